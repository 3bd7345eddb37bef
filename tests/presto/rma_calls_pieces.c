/* SPDX-License-Identifier: BSD-3-Clause */
/* Accesses to memory of dynamic windows that was attached in several pieces. */
#include "rma_calls.h"

enum { WORDS = 5000, ODD = 8 * 1234 + 3, EVEN = 8 * 3000, GAP = 8 * 4600, BYTES = 8 * WORDS };

static _Thread_local MPI_Win win;
static _Thread_local unsigned char
    *mine; /* attached: [0, ODD), [ODD, EVEN), [EVEN, GAP), [GAP + 8, BYTES) */
static _Thread_local MPI_Aint *all;

static MPI_Aint at(int target, size_t byte)
{
    return MPI_Aint_add(all[target], (MPI_Aint)byte);
}

static void fill(unsigned char *bytes, size_t count, uint64_t salt)
{
    for (size_t i = 0; i < count; i++) {
        bytes[i] = (unsigned char)mix(salt * BYTES + i);
    }
}

/* Put in one call, got in another, from a byte on, with requests or without. */
static void put_and_get(size_t from, size_t count, int requests)
{
    static _Thread_local unsigned char out[BYTES], in[BYTES];
    MPI_Request request;
    fill(out, count, from + (size_t)rank);
    memset(in, 0, count);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right(), 0, win);
    if (requests) {
        MPI_Rput(out, (int)count, MPI_BYTE, right(), at(right(), from), (int)count, MPI_BYTE, win,
                 &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Win_flush(right(), win);
        MPI_Rget(in, (int)count, MPI_BYTE, right(), at(right(), from), (int)count, MPI_BYTE, win,
                 &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Put(out, (int)count, MPI_BYTE, right(), at(right(), from), (int)count, MPI_BYTE, win);
        MPI_Win_flush(right(), win);
        MPI_Get(in, (int)count, MPI_BYTE, right(), at(right(), from), (int)count, MPI_BYTE, win);
    }
    MPI_Win_unlock(right(), win);
    EQUAL(memcmp(in, out, count), 0);
    MPI_Barrier(MPI_COMM_WORLD);
    fill(out, count, from + (size_t)left());
    EQUAL(memcmp(mine + from, out, count), 0);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Two blocks with memory between them that is not attached. */
static void around_the_gap(void)
{
    int lengths[] = {300, 500};
    MPI_Aint places[] = {at(right(), GAP - 300), at(right(), GAP + 8)};
    unsigned char out[800], in[800] = {0};
    MPI_Datatype blocks;
    MPI_Type_create_hindexed(2, lengths, places, MPI_BYTE, &blocks);
    MPI_Type_commit(&blocks);
    fill(out, sizeof(out), (uint64_t)rank);
    memset(mine + GAP, 0x77, 8);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right(), 0, win);
    MPI_Put(out, sizeof(out), MPI_BYTE, right(), 0, 1, blocks, win);
    MPI_Win_flush(right(), win);
    MPI_Get(in, sizeof(in), MPI_BYTE, right(), 0, 1, blocks, win);
    MPI_Win_unlock(right(), win);
    EQUAL(memcmp(in, out, sizeof(in)), 0);
    MPI_Type_free(&blocks);
    MPI_Barrier(MPI_COMM_WORLD);
    fill(out, sizeof(out), (uint64_t)left());
    EQUAL(memcmp(mine + GAP - 300, out, 300), 0);
    EQUAL(memcmp(mine + GAP + 8, out + 300, 500), 0);
    for (int i = 0; i < 8; i++) {
        EQUAL(mine[GAP + i], 0x77);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* All ranks add to the same elements of each, in ways that mix. Of integers none lies in two
 * pieces. */
static void accumulates(MPI_Datatype type, size_t border)
{
    enum { SOME = 2500, FEW = 200 };
    static _Thread_local int64_t ones[SOME], old[SOME];
    size_t first = border - 8 * 1000, few = border - 8 * 100;
    double d;
    memset(mine, 0, BYTES);
    for (int i = 0; i < SOME; i++) {
        ones[i] = 1;
        if (type == MPI_DOUBLE) {
            memcpy(&ones[i], &(double){1}, sizeof(d));
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    for (int target = 0; target < size; target++) {
        MPI_Accumulate(ones, SOME, type, target, at(target, first), SOME, type, MPI_SUM, win);
        MPI_Get_accumulate(ones, SOME, type, old, SOME, type, target, at(target, first), SOME, type,
                           MPI_SUM, win);
        MPI_Accumulate(ones, FEW, type, target, at(target, few), FEW, type, MPI_SUM, win);
        MPI_Fetch_and_op(ones, &old[0], type, target, at(target, border - 8), MPI_SUM, win);
        MPI_Win_flush(target, win);
        for (int i = 0; i < SOME; i++) {
            memcpy(&d, &old[i], sizeof(d));
            int64_t had = type == MPI_DOUBLE ? (int64_t)d : old[i];
            EQUAL(had >= 1 && had < 4 * size, 1);
        }
    }
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    for (size_t i = 0; i < SOME; i++) {
        size_t byte = first + 8 * i;
        int times = 2 + (byte >= few && byte < few + 8 * FEW) + (byte == border - 8);
        int64_t word;
        memcpy(&word, mine + byte, sizeof(word));
        memcpy(&d, mine + byte, sizeof(d));
        EQUAL(type == MPI_DOUBLE ? (int64_t)d : word, times * size);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* An integer that lies in two pieces: changed as a whole, or refused. */
static void divided(void)
{
    int64_t one = 1, seen = 77, word;
    memset(mine, 0, BYTES);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    int error = class_of(MPI_Fetch_and_op(&one, &seen, MPI_INT64_T, right(),
                                          at(right(), ODD / 8 * 8), MPI_SUM, win));
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    memcpy(&word, mine + ODD / 8 * 8, sizeof(word));
    EQUAL(error == MPI_SUCCESS || error == MPI_ERR_RMA_RANGE, 1);
    EQUAL(word, error == MPI_SUCCESS);
    EQUAL(seen, error == MPI_SUCCESS ? 0 : 77);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Where a part of it is not attached nothing is done. */
static void refused(void)
{
    static _Thread_local unsigned char out[BYTES];
    memset(out, 1, BYTES);
    memset(mine, 0, BYTES);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, right(), 0, win);
    CLASS(MPI_Put(out, BYTES, MPI_BYTE, right(), at(right(), 0), BYTES, MPI_BYTE, win),
          MPI_ERR_RMA_RANGE);
    CLASS(MPI_Put(out, 9, MPI_BYTE, right(), at(right(), GAP - 8), 9, MPI_BYTE, win),
          MPI_ERR_RMA_RANGE);
    CLASS(MPI_Get(out, 9, MPI_BYTE, right(), at(right(), GAP + 7), 9, MPI_BYTE, win),
          MPI_ERR_RMA_RANGE);
    CLASS(MPI_Accumulate(out, 3, MPI_INT64_T, right(), at(right(), GAP - 16), 3, MPI_INT64_T,
                         MPI_SUM, win),
          MPI_ERR_RMA_RANGE);
    MPI_Win_unlock(right(), win);
    MPI_Barrier(MPI_COMM_WORLD);
    for (size_t i = 0; i < BYTES; i++) {
        EQUAL(mine[i], 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

void rma_pieces(void)
{
    MPI_Aint here;
    mine = calloc(WORDS, 8);
    all = malloc((size_t)size * sizeof(*all));
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_Win_attach(win, mine + EVEN, GAP - EVEN);
    MPI_Win_attach(win, mine, ODD);
    MPI_Win_attach(win, mine + GAP + 8, BYTES - GAP - 8);
    MPI_Win_attach(win, mine + ODD, EVEN - ODD);
    MPI_Get_address(mine, &here);
    MPI_Allgather(&here, 1, MPI_AINT, all, 1, MPI_AINT, MPI_COMM_WORLD);
    for (int requests = 0; requests < 2; requests++) {
        put_and_get(0, GAP, requests);
        put_and_get(ODD - 5, 10, requests);
        put_and_get(EVEN - 8, 16, requests);
    }
    around_the_gap();
    accumulates(MPI_INT64_T, EVEN);
    accumulates(MPI_DOUBLE, EVEN);
    accumulates(MPI_DOUBLE, ODD / 8 * 8 + 8);
    divided();
    refused();
    MPI_Win_free(&win);
    free(all);
    free(mine);
}
