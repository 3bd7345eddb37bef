/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: btl_apelink/btl_apelink_module.c btl_apelink/btl_apelink_send.c
 * btl_apelink/btl_apelink_sendi.c btl_apelink/btl_apelink_frag.c. */
/* Every rank to every rank, itself included, all at once, small to large. */
#include "mt.h"

enum { TAG = 81 };

static uint64_t seed_of(int src, int dst, int round)
{
    return mt_seed((uint64_t)src, (uint64_t)dst, (uint64_t)round, 8);
}

static size_t size_of(int src, int dst, int round, size_t limit)
{
    uint64_t s = seed_of(src, dst, round);
    size_t scale = (size_t)1 << mt_below(&s, 24);

    return mt_below(&s, (scale < limit ? scale : limit) + 1);
}

static void exchange(int round, size_t limit, unsigned char **out, unsigned char **in)
{
    MPI_Request *rq = malloc(2 * (size_t)mt_size * sizeof *rq);

    if (!rq) {
        mt_fail("no memory");
    }
    for (int r = 0; r < mt_size; ++r) {
        memset(in[r], 0, limit);
        MPI_Irecv(in[r], (int)limit, MPI_BYTE, r, TAG + round, MPI_COMM_WORLD, &rq[r]);
    }
    for (int k = 0; k < mt_size; ++k) {
        int r = (mt_rank + k) % mt_size;
        size_t n = size_of(mt_rank, r, round, limit);
        mt_fill(out[r], n, seed_of(mt_rank, r, round));
        MPI_Isend(out[r], (int)n, MPI_BYTE, r, TAG + round, MPI_COMM_WORLD, &rq[mt_size + r]);
    }
    MPI_Waitall(2 * mt_size, rq, MPI_STATUSES_IGNORE);
    for (int r = 0; r < mt_size; ++r) {
        mt_verify(in[r], size_of(r, mt_rank, round, limit), seed_of(r, mt_rank, round),
                  "round %d, message from %d", round, r);
    }
    free(rq);
}

int main(int argc, char **argv)
{
    unsigned char **in, **out;
    size_t limit;
    int rounds;

    mt_init(&argc, &argv);
    limit = (size_t)mt_option(argc, argv, "-m", 1 << 20);
    rounds = (int)mt_option(argc, argv, "-n", 50);
    in = malloc((size_t)mt_size * sizeof *in);
    out = malloc((size_t)mt_size * sizeof *out);
    if (!in || !out) {
        mt_fail("no memory");
    }
    for (int r = 0; r < mt_size; ++r) {
        in[r] = mt_alloc(limit);
        out[r] = mt_alloc(limit);
    }
    for (int round = 0; round < rounds; ++round) {
        exchange(round, limit, out, in);
    }
    for (int r = 0; r < mt_size; ++r) {
        mt_free(in[r]);
        mt_free(out[r]);
    }
    free(in);
    free(out);
    return mt_finish();
}
