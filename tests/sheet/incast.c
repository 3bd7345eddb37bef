/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All ranks overload rank 0, which is slow: many short messages that it does not expect, long ones,
 * and gets and puts of a window of its memory. Everything arrives, in order, and nobody hangs.
 * Options: -short N, -long N, -rma N: how many each sender has.
 */
#include "mt.h"

enum { TAG_SHORT = 1, TAG_LONG = 2, SHORT_MOST = 2000, LONG = 1 << 20, WINDOW = 256 << 10 };
enum { LATE_MS = 200, REST_EVERY = 64, REST_MS = 1, UNDER_WAY = 64, UNDER_WAY_LONG = 8 };

/* What one message holds. */
static uint64_t seed_of(int tag, int source, int number)
{
    return mt_seed((uint64_t)tag, (uint64_t)source, (uint64_t)number, 0);
}

static int size_of(int tag, int source, int number)
{
    return tag == TAG_LONG ? LONG : (int)(seed_of(tag, source, number) % (SHORT_MOST + 1));
}

/* Several under way at a time, so that a sender is never without one that waits. */
static void pour(int tag, int count)
{
    int under_way = tag == TAG_LONG ? UNDER_WAY_LONG : UNDER_WAY;
    size_t most = tag == TAG_LONG ? LONG : SHORT_MOST;
    MPI_Request requests[UNDER_WAY];
    unsigned char *out = mt_alloc((size_t)under_way * most);

    for (int i = 0; i < under_way; i++) {
        requests[i] = MPI_REQUEST_NULL;
    }
    for (int k = 0; k < count; k++) {
        int place = k % under_way, size = size_of(tag, mt_rank, k);
        unsigned char *at = out + (size_t)place * most;

        MPI_Wait(&requests[place], MPI_STATUS_IGNORE);
        mt_fill(at, (size_t)size, seed_of(tag, mt_rank, k));
        MPI_Isend(at, size, MPI_BYTE, 0, tag, MPI_COMM_WORLD, &requests[place]);
    }
    MPI_Waitall(under_way, requests, MPI_STATUSES_IGNORE);
    mt_free(out);
}

static void drink(int tag, int count)
{
    int *next = calloc((size_t)mt_size, sizeof(*next));
    unsigned char *in = mt_alloc(LONG);

    mt_check(next != NULL, "no memory");
    mt_sleep(LATE_MS);
    for (int i = 0; i < count * (mt_size - 1); i++) {
        MPI_Status status;
        int size, from;

        MPI_Recv(in, LONG, MPI_BYTE, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_BYTE, &size);
        from = status.MPI_SOURCE;
        mt_equal(size, size_of(tag, from, next[from]), "size of message %d of rank %d", next[from],
                 from);
        mt_verify(in, (size_t)size, seed_of(tag, from, next[from]), "message %d of rank %d",
                  next[from], from);
        next[from]++;
        if (i % REST_EVERY == 0) {
            mt_sleep(REST_MS);
        }
    }
    mt_free(in);
    free(next);
}

/* Everybody reads all of rank 0's memory but the parts of others, and writes its own part. */
static void access_window(int count)
{
    size_t part = WINDOW / (size_t)mt_size, at = part * (size_t)mt_rank;
    size_t bytes = mt_rank == 0 ? WINDOW : 0;
    unsigned char *memory = mt_alloc(WINDOW), *out = mt_alloc(part), *in = mt_alloc(part);
    MPI_Win window;

    for (int rank = 0; rank < mt_size; rank++) {
        mt_fill(memory + part * (size_t)rank, part, mt_seed((uint64_t)rank, 0, 0, 7));
    }
    MPI_Win_create(memory, (MPI_Aint)bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    for (int k = 0; k < count; k++) {
        if (mt_rank != 0) {
            MPI_Get(in, (int)part, MPI_BYTE, 0, (MPI_Aint)at, (int)part, MPI_BYTE, window);
        } else {
            mt_sleep(REST_MS);
        }
        MPI_Win_fence(0, window);
        if (mt_rank != 0) {
            mt_verify(in, part, mt_seed((uint64_t)mt_rank, (uint64_t)k, 0, 7), "get %d", k);
            mt_fill(out, part, mt_seed((uint64_t)mt_rank, (uint64_t)k + 1, 0, 7));
            MPI_Put(out, (int)part, MPI_BYTE, 0, (MPI_Aint)at, (int)part, MPI_BYTE, window);
        }
        MPI_Win_fence(0, window);
    }
    for (int rank = 1; mt_rank == 0 && rank < mt_size; rank++) {
        mt_verify(memory + part * (size_t)rank, part,
                  mt_seed((uint64_t)rank, (uint64_t)count, 0, 7), "what rank %d put", rank);
    }
    MPI_Win_free(&window);
    mt_free(memory);
    mt_free(out);
    mt_free(in);
}

int main(int argc, char **argv)
{
    int count[2], rma;

    mt_init(&argc, &argv);
    mt_need(2);
    count[0] = (int)mt_option(argc, argv, "-short", 3000);
    count[1] = (int)mt_option(argc, argv, "-long", 30);
    rma = (int)mt_option(argc, argv, "-rma", 50);
    for (int i = 0; i < 2; i++) {
        int tag = i == 0 ? TAG_SHORT : TAG_LONG;

        if (mt_rank == 0) {
            drink(tag, count[i]);
        } else {
            pour(tag, count[i]);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    access_window(rma);
    return mt_finish();
}
