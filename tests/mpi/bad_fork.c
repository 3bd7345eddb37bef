/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranks fork in the middle of traffic: children that compute and leave, children that run another
 * program, children that outlive messages in flight. The parents' messages stay right, also those
 * whose buffers the child writes to in its own copy.
 */
#include "mt.h"

#include <sys/wait.h>
#include <unistd.h>

enum { TAG = 7, ROUNDS = 40, LARGEST = 1 << 20 };

static const size_t sizes[] = {8, 3000, 70000, LARGEST};

static unsigned char *out, *in;

/* Writes over its copy of both buffers; uses no MPI. */
static pid_t computing_child(void)
{
    pid_t p = fork();

    if (0 == p) {
        uint64_t s = 1;
        memset(out, 0xff, LARGEST);
        memset(in, 0xff, LARGEST);
        for (int i = 0; i < 100000; ++i) {
            mt_next(&s);
        }
        _exit(0 == s ? 1 : 17);
    }
    return p;
}

static void reap(pid_t p)
{
    int status = 0;

    mt_equal(waitpid(p, &status, 0), p, "waitpid");
    mt_check(WIFEXITED(status) && 17 == WEXITSTATUS(status), "child ended with status 0x%x",
             status);
}

static void round_trip(int round, size_t n)
{
    int to = (mt_rank + 1) % mt_size, from = (mt_rank + mt_size - 1) % mt_size;
    MPI_Request rq[2];
    pid_t child = 0;

    mt_fill(out, n, mt_seed((uint64_t)mt_rank, (uint64_t)round, n, 3));
    memset(in, 0, n);
    MPI_Irecv(in, (int)n, MPI_BYTE, from, TAG, MPI_COMM_WORLD, &rq[0]);
    if (0 == (round + mt_rank) % 2) {
        child = computing_child();
    }
    MPI_Isend(out, (int)n, MPI_BYTE, to, TAG, MPI_COMM_WORLD, &rq[1]);
    if (0 == (round + mt_rank) % 5 && 0 == child) {
        child = computing_child();
    }
    MPI_Waitall(2, rq, MPI_STATUSES_IGNORE);
    mt_verify(in, n, mt_seed((uint64_t)from, (uint64_t)round, n, 3), "message in round %d", round);
    /* now that all pages have been shared and some copied: again from the same buffer */
    MPI_Sendrecv(out, (int)n, MPI_BYTE, to, TAG, in, (int)n, MPI_BYTE, from, TAG, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    mt_verify(in, n, mt_seed((uint64_t)from, (uint64_t)round, n, 3), "again in round %d", round);
    if (child) {
        reap(child);
    }
    if (0 == round % 10) {
        mt_equal(system("/bin/true"), 0, "system");
    }
}

int main(int argc, char **argv)
{
    mt_init(&argc, &argv);
    out = mt_alloc(LARGEST);
    in = mt_alloc(LARGEST);
    for (int round = 0; round < ROUNDS; ++round) {
        round_trip(round, sizes[round % 4]);
    }
    mt_free(out);
    mt_free(in);
    return mt_finish();
}
