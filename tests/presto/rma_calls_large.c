/* SPDX-License-Identifier: BSD-3-Clause */
/* Accumulates of more elements than go in one piece, of types that no atomic instruction adds, to a
 * window that is not mapped by its origin.
 * Covers: presto/rma/locked.c */
#include "rma_calls.h"

enum { MOST = 30011, GUARD = 3 };

/* Whole numbers below 2^20, so that sums are exact in either type. */
static double value_of(unsigned seed, int i)
{
    return (double)(mix(seed * UINT64_C(1000003) + (uint64_t)i) % 1000);
}

static void put_at(int wide, void *at, int i, double value)
{
    if (wide) {
        ((double *)at)[i] = value;
    } else {
        ((float *)at)[i] = (float)value;
    }
}

static double get_at(int wide, const void *at, int i)
{
    return wide ? ((const double *)at)[i] : (double)((const float *)at)[i];
}

static void fill(int wide, void *at, unsigned seed)
{
    for (int i = 0; i < MOST; i++) {
        put_at(wide, at, i, value_of(seed, i));
    }
}

/* Sums in the part of the rank to the right; what lies before and behind stays. */
static void add(int wide, MPI_Win win, char *part, int count, int fetch)
{
    MPI_Datatype type = wide ? MPI_DOUBLE : MPI_FLOAT;
    char *in = calloc(MOST, 8), *old = calloc(MOST, 8);

    fill(wide, part, (unsigned)rank);
    fill(wide, in, (unsigned)(100 + rank));
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, right(), 0, win);
    if (fetch) {
        MPI_Get_accumulate(in, count, type, old, count, type, right(), GUARD, count, type, MPI_SUM,
                           win);
    } else {
        MPI_Accumulate(in, count, type, right(), GUARD, count, type, MPI_SUM, win);
    }
    MPI_Win_unlock(right(), win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
    for (int i = 0; i < MOST; i++) {
        double want = value_of((unsigned)rank, i);
        int in_range = i >= GUARD && i < GUARD + count;

        want += in_range ? value_of((unsigned)(100 + left()), i - GUARD) : 0;
        EQUAL((long long)get_at(wide, part, i), (long long)want);
        if (fetch && in_range) {
            EQUAL((long long)get_at(wide, old, i - GUARD),
                  (long long)value_of((unsigned)right(), i));
        }
    }
    MPI_Win_unlock(rank, win);
    MPI_Barrier(MPI_COMM_WORLD);
    free(in);
    free(old);
}

void rma_large(void)
{
    static const int counts[] = {12287, 12288, 12289, 24577, MOST - GUARD};

    for (int wide = 0; wide < 2; wide++) {
        int unit = wide ? (int)sizeof(double) : (int)sizeof(float);
        MPI_Win win;
        char *part;

        MPI_Alloc_mem((MPI_Aint)MOST * unit, MPI_INFO_NULL, &part);
        MPI_Win_create(part, (MPI_Aint)MOST * unit, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
        for (unsigned i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
            add(wide, win, part, counts[i], 0);
            add(wide, win, part, counts[i], 1);
        }
        MPI_Win_free(&win);
        MPI_Free_mem(part);
    }
}
