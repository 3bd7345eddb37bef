/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ompi_match/result.c. */
/*
 * Address space runs out once MPI has started, before there is anything but the first messages:
 * messages of all sizes still arrive, since what is needed for progress is there.
 */
#include "mt.h"

#include <sys/resource.h>

enum {
    LARGEST = 64 * 1024,
    LEFT = 400 * 1024, /* bytes: some for MPI, less than many descriptors take */
    ROUNDS = 3
};

/* Bytes of address space that are in use. */
static size_t in_use(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    unsigned long pages = 0;

    if (file == NULL || fscanf(file, "%lu", &pages) != 1) {
        mt_fail("no /proc/self/statm");
    }
    fclose(file);
    return pages * 4096;
}

static void limit(void)
{
    struct rlimit now;

    mt_check(getrlimit(RLIMIT_AS, &now) == 0, "getrlimit");
    now.rlim_cur = in_use() + LEFT;
    mt_check(setrlimit(RLIMIT_AS, &now) == 0, "setrlimit");
}

/* Both ways at once between neighbours, posted before they are sent. */
static void exchange(unsigned char *out, unsigned char *in, int len, int round)
{
    int right = (mt_rank + 1) % mt_size, left = (mt_rank + mt_size - 1) % mt_size;
    MPI_Request rq[2];

    mt_fill(out, (size_t)len, mt_seed((uint64_t)mt_rank, (uint64_t)len, (uint64_t)round, 1));
    memset(in, 0, (size_t)len);
    MPI_Irecv(in, len, MPI_BYTE, left, round, MPI_COMM_WORLD, &rq[0]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Isend(out, len, MPI_BYTE, right, round, MPI_COMM_WORLD, &rq[1]);
    MPI_Waitall(2, rq, MPI_STATUSES_IGNORE);
    mt_verify(in, (size_t)len, mt_seed((uint64_t)left, (uint64_t)len, (uint64_t)round, 1),
              "%d bytes, round %d", len, round);
}

int main(int argc, char **argv)
{
    mt_init(&argc, &argv);
    mt_need(2);
    unsigned char *out = mt_alloc(LARGEST), *in = mt_alloc(LARGEST);

    /* What MPI itself needs, on the same ways. */
    exchange(out, in, 1, 0);
    limit();
    for (int round = 1; round <= ROUNDS; ++round) {
        for (int len = 1; len <= LARGEST; len *= 4) {
            exchange(out, in, len, round);
            exchange(out, in, len - len / 8, round);
        }
    }
    mt_free(out);
    mt_free(in);
    return mt_finish();
}
