/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A rank is stopped by SIGSTOP for some time and continued, in the middle of traffic. Nothing may
 * get lost, and nobody may take it for dead.
 *
 * The rank asks a helper process, forked before MPI starts, to stop and continue it.
 * -mode eager, long, rma; -ms N: for how long; -stops N: how often, up to 3.
 */
#include "mt.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TAG = 7, LONG_BYTES = 1 << 20, ROUNDS = 300, WINDOW = 8 };

static int ask, stops;
static pid_t helper;

static void fork_helper(int ms)
{
    int p[2];
    char c;
    pid_t parent = getpid();

    if (0 != pipe(p) || (helper = fork()) < 0) {
        fprintf(stderr, "no helper process\n");
        exit(1);
    }
    ask = p[1];
    if (helper > 0) {
        close(p[0]);
        return;
    }
    close(p[1]);
    while (1 == read(p[0], &c, 1)) {
        kill(parent, SIGSTOP);
        mt_sleep(ms);
        kill(parent, SIGCONT);
    }
    _exit(0);
}

/* Ranks take turns in being stopped. The helper may be a little late: that is as good a place. */
static void maybe_stop(int round)
{
    if (round % 100 == 50 && round / 100 < stops && mt_rank == round / 100 % mt_size &&
        1 != write(ask, "s", 1)) {
        mt_fail("the helper process is gone");
    }
}

static void messages(size_t n)
{
    int to = (mt_rank + 1) % mt_size, from = (mt_rank + mt_size - 1) % mt_size;
    unsigned char *buf[2 * WINDOW];
    MPI_Request rq[2 * WINDOW];

    for (int w = 0; w < 2 * WINDOW; ++w) {
        buf[w] = mt_alloc(n);
    }
    for (int round = 0; round < ROUNDS; ++round) {
        for (int w = 0; w < WINDOW; ++w) {
            MPI_Irecv(buf[w], (int)n, MPI_BYTE, from, TAG, MPI_COMM_WORLD, &rq[w]);
        }
        for (int w = 0; w < WINDOW; ++w) {
            mt_fill(buf[WINDOW + w], n,
                    mt_seed((uint64_t)mt_rank, (uint64_t)round, (uint64_t)w, 1));
            MPI_Isend(buf[WINDOW + w], (int)n, MPI_BYTE, to, TAG, MPI_COMM_WORLD, &rq[WINDOW + w]);
            if (w == WINDOW / 2) {
                maybe_stop(round);
            }
        }
        MPI_Waitall(2 * WINDOW, rq, MPI_STATUSES_IGNORE);
        for (int w = 0; w < WINDOW; ++w) {
            mt_verify(buf[w], n, mt_seed((uint64_t)from, (uint64_t)round, (uint64_t)w, 1),
                      "round %d message %d", round, w);
        }
    }
    for (int w = 0; w < 2 * WINDOW; ++w) {
        mt_free(buf[w]);
    }
}

static void one_sided(void)
{
    int64_t *mem = mt_alloc(64), one = 1, got, last = -1;
    MPI_Win win;

    memset(mem, 0, 64);
    MPI_Win_create(mem, 64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    for (int round = 0; round < ROUNDS; ++round) {
        maybe_stop(round);
        MPI_Fetch_and_op(&one, &got, MPI_INT64_T, 0, 0, MPI_SUM, win);
        MPI_Win_flush(0, win);
        mt_check(got > last, "counter %lld after %lld", (long long)got, (long long)last);
        last = got;
    }
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (0 == mt_rank) {
        mt_equal(*mem, (long long)ROUNDS * mt_size, "counter after stops");
    }
    MPI_Win_free(&win);
    mt_free(mem);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 2 && 0 == strcmp(argv[1], "-mode") ? argv[2] : "eager";

    stops = (int)mt_option(argc, argv, "-stops", 3);
    fork_helper((int)mt_option(argc, argv, "-ms", 3000));
    mt_init(&argc, &argv);
    mt_need(2);
    if (0 == strcmp(mode, "rma")) {
        one_sided();
    } else {
        messages(0 == strcmp(mode, "long") ? LONG_BYTES : 200);
    }
    close(ask);
    waitpid(helper, NULL, 0);
    return mt_finish();
}
