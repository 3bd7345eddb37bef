/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Each two ranks exchange messages of all sizes, and all ranks do collectives: for the rows of the
 * sheet that are about where ranks run, not about what they do.
 */
#include "mt.h"

enum { TAG = 4, SIZES = 160, MOST = 1 << 20, BLOCK = 20000 };

static uint64_t seed_of(int from, int to, size_t size)
{
    return mt_seed((uint64_t)from, (uint64_t)to, size, 0);
}

static void with(int other, const size_t *sizes, size_t count)
{
    unsigned char *out = mt_alloc(MOST), *in = mt_alloc(MOST);

    for (size_t i = 0; i < count; i++) {
        mt_fill(out, sizes[i], seed_of(mt_rank, other, sizes[i]));
        MPI_Sendrecv(out, (int)sizes[i], MPI_BYTE, other, TAG, in, (int)sizes[i], MPI_BYTE, other,
                     TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        mt_verify(in, sizes[i], seed_of(other, mt_rank, sizes[i]), "%zu bytes of rank %d", sizes[i],
                  other);
    }
    mt_free(out);
    mt_free(in);
}

static void collectives(void)
{
    size_t all = (size_t)mt_size * BLOCK;
    unsigned char *out = mt_alloc(all), *in = mt_alloc(all);
    int sum = 0;

    for (int to = 0; to < mt_size; to++) {
        mt_fill(out + (size_t)to * BLOCK, BLOCK, seed_of(mt_rank, to, BLOCK));
    }
    MPI_Alltoall(out, BLOCK, MPI_BYTE, in, BLOCK, MPI_BYTE, MPI_COMM_WORLD);
    for (int from = 0; from < mt_size; from++) {
        mt_verify(in + (size_t)from * BLOCK, BLOCK, seed_of(from, mt_rank, BLOCK),
                  "all to all, rank %d", from);
    }
    MPI_Allreduce(&mt_rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    mt_equal(sum, mt_size * (mt_size - 1) / 2, "sum of the ranks");
    mt_free(out);
    mt_free(in);
}

int main(int argc, char **argv)
{
    size_t sizes[SIZES];
    size_t count;

    mt_init(&argc, &argv);
    mt_need(2);
    count = mt_sizes(sizes, SIZES, MOST);
    /* In round r those meet whose numbers add up to r. */
    for (int round = 0; round < mt_size; round++) {
        int other = (round + mt_size - mt_rank) % mt_size;

        if (other != mt_rank) {
            with(other, sizes, count);
        }
    }
    collectives();
    return mt_finish();
}
