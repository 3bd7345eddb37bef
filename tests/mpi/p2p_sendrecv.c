/* SPDX-License-Identifier: BSD-3-Clause */
/* Sendrecv and Sendrecv_replace round the ring, to oneself, to nobody, with unequal sizes. */
#include "mt.h"

enum { TAG = 61, LARGEST = 1 << 20 };

static unsigned char *out, *in;

static uint64_t seed_of(int rank, int n, int shift)
{
    return mt_seed((uint64_t)rank, (uint64_t)n, (uint64_t)shift, 6);
}

/* What a rank sends in a step: not the same size everywhere. */
static int size_of(int rank, int n)
{
    return rank % 2 ? n : n / 2 + 1;
}

static void shift_by(int shift, int n)
{
    int to = (mt_rank + shift) % mt_size, from = (mt_rank + mt_size - shift) % mt_size;
    int mine = size_of(mt_rank, n), theirs = size_of(from, n), count;
    MPI_Status st;

    mt_fill(out, (size_t)mine, seed_of(mt_rank, n, shift));
    memset(in, 0, (size_t)theirs);
    MPI_Sendrecv(out, mine, MPI_BYTE, to, TAG, in, LARGEST, MPI_BYTE, from, TAG, MPI_COMM_WORLD,
                 &st);
    MPI_Get_count(&st, MPI_BYTE, &count);
    mt_equal(count, theirs, "count of Sendrecv from %d", from);
    mt_verify(in, (size_t)theirs, seed_of(from, n, shift), "Sendrecv by %d", shift);
}

static void replace_by(int shift, int n)
{
    int to = (mt_rank + shift) % mt_size, from = (mt_rank + mt_size - shift) % mt_size;
    MPI_Status st;

    mt_fill(in, (size_t)n, seed_of(mt_rank, n, shift));
    MPI_Sendrecv_replace(in, n, MPI_BYTE, to, TAG, from, TAG, MPI_COMM_WORLD, &st);
    mt_equal(st.MPI_SOURCE, from, "source of Sendrecv_replace");
    mt_verify(in, (size_t)n, seed_of(from, n, shift), "Sendrecv_replace by %d", shift);
}

/* A strided type: the gaps stay as they were. */
static void replace_strided(int blocks)
{
    int to = (mt_rank + 1) % mt_size, from = (mt_rank + mt_size - 1) % mt_size;
    int *v = (int *)(void *)in;
    MPI_Datatype type;

    MPI_Type_vector(blocks, 1, 3, MPI_INT, &type);
    MPI_Type_commit(&type);
    for (int i = 0; i < 3 * blocks; ++i) {
        v[i] = i % 3 ? -i : mt_rank * 1000 + i;
    }
    MPI_Sendrecv_replace(v, 1, type, to, TAG, from, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < 3 * blocks; ++i) {
        if (v[i] != (i % 3 ? -i : from * 1000 + i)) {
            mt_fail("strided Sendrecv_replace: int %d is %d", i, v[i]);
        }
    }
    mt_check(true, "strided");
    MPI_Type_free(&type);
}

static void with_nobody(void)
{
    int v = 7, count = -1;
    MPI_Status st;

    MPI_Sendrecv(&v, 1, MPI_INT, MPI_PROC_NULL, TAG, in, 1, MPI_INT, MPI_PROC_NULL, TAG,
                 MPI_COMM_WORLD, &st);
    mt_equal(st.MPI_SOURCE, MPI_PROC_NULL, "source of a receive from MPI_PROC_NULL");
    MPI_Get_count(&st, MPI_INT, &count);
    mt_equal(count, 0, "count of a receive from MPI_PROC_NULL");
    /* a chain: the ends talk to nobody */
    int to = mt_rank + 1 < mt_size ? mt_rank + 1 : MPI_PROC_NULL;
    int from = mt_rank > 0 ? mt_rank - 1 : MPI_PROC_NULL;
    v = mt_rank;
    MPI_Sendrecv_replace(&v, 1, MPI_INT, to, TAG, from, TAG, MPI_COMM_WORLD, &st);
    mt_equal(v, mt_rank > 0 ? mt_rank - 1 : 0, "value from the rank before in the chain");
}

int main(int argc, char **argv)
{
    static const int sizes[] = {1, 8, 1000, 4097, 65536, LARGEST};

    mt_init(&argc, &argv);
    out = mt_alloc(LARGEST);
    in = mt_alloc(LARGEST);
    for (int shift = 0; shift < mt_size; ++shift) {
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
            shift_by(shift, sizes[i]);
            replace_by(shift, sizes[i]);
        }
    }
    replace_strided(10);
    replace_strided(80000);
    with_nobody();
    mt_free(out);
    mt_free(in);
    return mt_finish();
}
