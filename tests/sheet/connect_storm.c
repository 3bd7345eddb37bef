/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Very many ranks, each of which first hears of each other in the same moment: all send to all at
 * once, before anything else was sent. Then once more, with longer messages.
 */
#include "mt.h"

enum { TAG = 3, FIRST = 64, SECOND = 4000 };

static uint64_t seed_of(int from, int to, int size)
{
    return mt_seed((uint64_t)from, (uint64_t)to, (uint64_t)size, 0);
}

static void all_to_all(int size)
{
    size_t ranks = (size_t)mt_size, bytes = (size_t)size;
    MPI_Request *requests = malloc(2 * ranks * sizeof(MPI_Request));
    unsigned char *out = mt_alloc(ranks * bytes), *in = mt_alloc(ranks * bytes);

    mt_check(requests != NULL, "no memory");
    for (int k = 0; k < mt_size; k++) {
        int to = (mt_rank + k) % mt_size;
        unsigned char *at = out + (size_t)to * bytes;

        mt_fill(at, bytes, seed_of(mt_rank, to, size));
        MPI_Isend(at, size, MPI_BYTE, to, TAG, MPI_COMM_WORLD, &requests[2 * k]);
        MPI_Irecv(in + (size_t)to * bytes, size, MPI_BYTE, to, TAG, MPI_COMM_WORLD,
                  &requests[2 * k + 1]);
    }
    MPI_Waitall(2 * mt_size, requests, MPI_STATUSES_IGNORE);
    for (int from = 0; from < mt_size; from++) {
        mt_verify(in + (size_t)from * bytes, bytes, seed_of(from, mt_rank, size),
                  "%d bytes from rank %d", size, from);
    }
    mt_free(out);
    mt_free(in);
    free(requests);
}

int main(int argc, char **argv)
{
    mt_init(&argc, &argv);
    mt_need(2);
    all_to_all(FIRST);
    for (int round = 0; round < 3; round++) {
        all_to_all(SECOND);
    }
    return mt_finish();
}
