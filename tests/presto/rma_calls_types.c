/* SPDX-License-Identifier: BSD-3-Clause */
/* Derived types and unusual ones; operations with requests; windows of some ranks. */
#include "rma_calls.h"

/* ---- types ---- */

struct pair {
    double value;
    int index;
};

/* Fetching accumulates between different layouts, each against a sum that is known. */
static void layouts(MPI_Win win, int64_t *part)
{
    int64_t in[12], old[36];
    MPI_Datatype every_third, backwards;
    int lengths[2] = {2, 4}, disps[2] = {8, 1};
    MPI_Type_vector(6, 1, 3, MPI_INT64_T, &every_third);
    MPI_Type_indexed(2, lengths, disps, MPI_INT64_T, &backwards);
    MPI_Type_commit(&every_third);
    MPI_Type_commit(&backwards);
    for (int i = 0; i < 12; i++) {
        in[i] = 100 * i + rank;
        part[i] = i;
    }
    memset(old, 255, sizeof(old));
    MPI_Win_fence(0, win);
    /* Elements 8 9 1 2 3 4 of the right neighbour get in[0] to in[5]; what they were goes to each
     * third place. */
    MPI_Get_accumulate(in, 6, MPI_INT64_T, old, 1, every_third, right(), 0, 1, backwards, MPI_SUM,
                       win);
    MPI_Win_fence(0, win);
    static const int place[6] = {8, 9, 1, 2, 3, 4};
    for (int i = 0; i < 6; i++) {
        EQUAL(old[3 * i], place[i]);
        EQUAL(old[3 * i + 1], -1);
        EQUAL(part[place[i]], place[i] + 100 * i + left());
    }
    EQUAL(part[0], 0);
    EQUAL(part[5], 5);
    MPI_Win_fence(0, win);
    MPI_Put(in, 1, backwards, right(), 0, 6, MPI_INT64_T, win);
    MPI_Get(old, 1, every_third, right(), 6, 6, MPI_INT64_T, win);
    MPI_Win_fence(0, win);
    for (int i = 0; i < 6; i++) {
        EQUAL(part[i], 100 * place[i] + left());
        EQUAL(old[3 * i], 6 + i < 8 || 6 + i > 9 ? 6 + i : 6 + i + 100 * (6 + i - 8) + rank);
    }
    MPI_Type_free(&every_third);
    MPI_Type_free(&backwards);
}

/* A square of numbers goes to the right neighbour with its rows as columns, in one operation of as
 * many blocks as it has numbers, and comes back number by number. */
static void many_blocks(void)
{
    enum { SIDE = 150, ALL = SIDE * SIDE };
    int *mine = malloc(ALL * sizeof(*mine)), *got = malloc(ALL * sizeof(*got));
    MPI_Datatype column, turned;
    MPI_Win win;
    MPI_Win_create(mine, ALL * (MPI_Aint)sizeof(*mine), sizeof(*mine), MPI_INFO_NULL,
                   MPI_COMM_WORLD, &win);
    MPI_Type_vector(SIDE, 1, SIDE, MPI_INT, &column);
    MPI_Type_create_hvector(SIDE, 1, sizeof(int), column, &turned);
    MPI_Type_commit(&turned);
    for (int i = 0; i < ALL; i++) {
        got[i] = i * (rank + 1);
    }
    MPI_Win_fence(0, win);
    MPI_Put(got, ALL, MPI_INT, right(), 0, 1, turned, win);
    MPI_Type_free(&column);
    MPI_Type_free(&turned);
    MPI_Win_fence(0, win);
    for (int i = 0; i < ALL; i++) {
        EQUAL(mine[i], (i % SIDE * SIDE + i / SIDE) * (left() + 1));
    }
    memset(got, 0, ALL * sizeof(*got));
    MPI_Win_fence(0, win);
    for (int i = 0; i < ALL; i++) {
        MPI_Get(&got[i], 1, MPI_INT, right(), i, 1, MPI_INT, win);
    }
    MPI_Win_fence(0, win);
    for (int i = 0; i < ALL; i++) {
        EQUAL(got[i], (i % SIDE * SIDE + i / SIDE) * (rank + 1));
    }
    for (int i = 0; i < ALL; i++) {
        MPI_Put(&got[i], 1, MPI_INT, right(), ALL - 1 - i, 1, MPI_INT, win);
    }
    MPI_Win_fence(0, win);
    for (int i = 0; i < ALL; i++) {
        EQUAL(mine[ALL - 1 - i], (i % SIDE * SIDE + i / SIDE) * (left() + 1));
    }
    MPI_Win_free(&win);
    free(got);
    free(mine);
}

/* Everybody's values at rank 0, in types that are updated under its lock; misaligned integers among
 * them. */
static void odd_types(MPI_Win win, char *part)
{
    struct pair low = {5.0 - rank, rank}, *best = (void *)(part + 16);
    long double one = 1;
    float complexes[2] = {1, -2}, *sum = (void *)(part + 96);
    signed char byte = 3;
    short two = 2, *shorts = (void *)(part + 128);
    int odd = 7, got, before = rank == 0 ? 1000 : 0;
    memset(part, 0, 256);
    best->value = 1000;
    MPI_Win_fence(0, win);
    for (int i = 0; i < 20; i++) {
        MPI_Accumulate(&low, 1, MPI_DOUBLE_INT, 0, 16, 1, MPI_DOUBLE_INT, MPI_MINLOC, win);
        MPI_Accumulate(&one, 1, MPI_LONG_DOUBLE, 0, 64, 1, MPI_LONG_DOUBLE, MPI_SUM, win);
        MPI_Accumulate(complexes, 1, MPI_C_COMPLEX, 0, 96, 1, MPI_C_COMPLEX, MPI_SUM, win);
        MPI_Accumulate(&byte, 1, MPI_SIGNED_CHAR, 0, 113, 1, MPI_SIGNED_CHAR, MPI_BXOR, win);
        MPI_Accumulate(&two, 1, MPI_SHORT, 0, 128, 1, MPI_SHORT, MPI_SUM, win);
        MPI_Accumulate(&odd, 1, MPI_INT, 0, 150 - 1, 1, MPI_INT, MPI_SUM, win);
    }
    MPI_Win_fence(0, win);
    MPI_Get(&got, 1, MPI_INT, 0, 149, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    EQUAL(got, 140 * size);
    if (rank == 0) {
        EQUAL(best->value, 5 - (size - 1));
        EQUAL(best->index, size - 1);
        EQUAL(*(long double *)(void *)(part + 64), 20 * size);
        EQUAL(sum[0], 20 * size);
        EQUAL(sum[1], -40 * size);
        EQUAL(part[113], 0);
        EQUAL(shorts[0], 40 * size);
    }
    MPI_Win_fence(0, win);
    MPI_Fetch_and_op(&before, &got, MPI_INT, rank, 200, MPI_REPLACE, win);
    MPI_Win_fence(0, win);
    EQUAL(got, 0);
    MPI_Win_fence(0, win);
    MPI_Compare_and_swap(&byte, part + 201, &part[240], MPI_SIGNED_CHAR, rank, 203, win);
    MPI_Win_fence(0, win);
    EQUAL(part[240], 0);
}

void rma_types(int allocate)
{
    char *part = NULL;
    MPI_Win win;
    if (allocate) {
        MPI_Win_allocate(256, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &part, &win);
    } else {
        MPI_Win_create(part = calloc(1, 256), 256, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    }
    odd_types(win, part);
    MPI_Win_free(&win);
    if (!allocate) {
        free(part);
        many_blocks();
    }
    if (allocate) {
        MPI_Win_allocate(256, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &part, &win);
    } else {
        MPI_Win_create(part = calloc(1, 256), 256, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    }
    layouts(win, (int64_t *)(void *)part);
    MPI_Win_free(&win);
    if (!allocate) {
        free(part);
    }
}

/* ---- requests ---- */

void rma_requests(void)
{
    enum { LONG = 5000 };
    int *part = calloc(2 * LONG, sizeof(int)), *out = malloc(LONG * sizeof(int)),
        *in = malloc(LONG * sizeof(int));
    MPI_Request request[3];
    MPI_Datatype second;
    MPI_Win win;
    MPI_Type_vector(LONG, 1, 2, MPI_INT, &second);
    MPI_Type_commit(&second);
    MPI_Win_create(part, 2 * LONG * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    for (int i = 0; i < LONG; i++) {
        out[i] = rank + i;
    }
    MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
    MPI_Rput(out, LONG, MPI_INT, right(), 1, 1, second, win, &request[0]);
    MPI_Rput(out, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win, &request[1]);
    MPI_Raccumulate(out, 10, MPI_INT, right(), 0, 10, MPI_INT, MPI_NO_OP, win, &request[2]);
    MPI_Waitall(3, request, MPI_STATUSES_IGNORE);
    MPI_Win_flush_all(win);
    MPI_Rget(in, LONG, MPI_INT, right(), 1, 1, second, win, &request[0]);
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    for (int i = 0; i < LONG; i++) {
        EQUAL(in[i], rank + i);
    }
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    EQUAL(part[2 * LONG - 1], left() + LONG - 1);
    EQUAL(part[2], 0);
    MPI_Win_free(&win);
    MPI_Type_free(&second);
    free(part);
    free(out);
    free(in);
}

/* A window of some of the ranks, in another order. */
void rma_part_of_the_ranks(void)
{
    int64_t *part, value = rank, mine;
    int r, n;
    MPI_Comm comm;
    MPI_Win win;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &comm);
    MPI_Comm_rank(comm, &r);
    MPI_Comm_size(comm, &n);
    MPI_Win_allocate(8, 8, MPI_INFO_NULL, comm, &part, &win);
    MPI_Comm_free(&comm);
    MPI_Win_fence(0, win);
    MPI_Put(&value, 1, MPI_INT64_T, (r + 1) % n, 0, 1, MPI_INT64_T, win);
    MPI_Win_fence(0, win);
    mine = r == 0 ? rank % 2 : rank + 2;
    EQUAL(part[0], mine);
    MPI_Win_free(&win);
}
