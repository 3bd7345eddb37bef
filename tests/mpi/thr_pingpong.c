/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pairs of threads play ping-pong, each pair on a communicator of its own, then all pairs on one
 * communicator with a tag each, then with nonblocking windows. All sizes at the same time.
 */
#include "thr.h"

enum { THREADS = 4, LARGEST = 200000, TAG = 50, WINDOW = 8 };

static const size_t sizes[] = {0, 8, 300, 4096, 9000, 65537, LARGEST};
static MPI_Comm own[THREADS];
static int peer, rounds;

static uint64_t seed_of(int rank, int thread, int round)
{
    return mt_seed((uint64_t)rank, (uint64_t)thread, (uint64_t)round, 50);
}

static size_t size_of(int thread, int round)
{
    return sizes[(size_t)(thread + round) % (sizeof sizes / sizeof *sizes)];
}

static void play(int thread, MPI_Comm comm, int tag)
{
    unsigned char *out = mt_alloc(LARGEST), *in = mt_alloc(LARGEST);
    MPI_Status st;
    int count;

    for (int i = 0; i < rounds; ++i) {
        size_t n = size_of(thread, i);
        mt_fill(out, n, seed_of(mt_rank, thread, i));
        if (mt_rank < peer) {
            MPI_Send(out, (int)n, MPI_BYTE, peer, tag, comm);
        }
        MPI_Recv(in, LARGEST, MPI_BYTE, peer, tag, comm, &st);
        MPI_Get_count(&st, MPI_BYTE, &count);
        mt_equal(count, (long long)n, "count, thread %d round %d", thread, i);
        mt_verify(in, n, seed_of(peer, thread, i), "thread %d round %d", thread, i);
        if (mt_rank > peer) {
            MPI_Send(out, (int)n, MPI_BYTE, peer, tag, comm);
        }
    }
    mt_free(out);
    mt_free(in);
}

static void on_own(int thread, void *arg)
{
    (void)arg;
    play(thread, own[thread], TAG);
}

static void on_world(int thread, void *arg)
{
    (void)arg;
    play(thread, MPI_COMM_WORLD, TAG + thread);
}

/* Windows of sends and receives in both directions. */
static void windows(int thread, void *arg)
{
    unsigned char *buf[2 * WINDOW];
    MPI_Request rq[2 * WINDOW];

    (void)arg;
    for (int w = 0; w < 2 * WINDOW; ++w) {
        buf[w] = mt_alloc(LARGEST);
    }
    for (int i = 0; i < rounds / 4; ++i) {
        for (int w = 0; w < WINDOW; ++w) {
            MPI_Irecv(buf[w], LARGEST, MPI_BYTE, peer, TAG + thread, MPI_COMM_WORLD, &rq[w]);
        }
        for (int w = 0; w < WINDOW; ++w) {
            size_t n = size_of(thread, i + w);
            mt_fill(buf[WINDOW + w], n, seed_of(mt_rank, thread, i * WINDOW + w));
            MPI_Isend(buf[WINDOW + w], (int)n, MPI_BYTE, peer, TAG + thread, MPI_COMM_WORLD,
                      &rq[WINDOW + w]);
        }
        MPI_Waitall(2 * WINDOW, rq, MPI_STATUSES_IGNORE);
        for (int w = 0; w < WINDOW; ++w) {
            mt_verify(buf[w], size_of(thread, i + w), seed_of(peer, thread, i * WINDOW + w),
                      "window %d of thread %d round %d", w, thread, i);
        }
    }
    for (int w = 0; w < 2 * WINDOW; ++w) {
        mt_free(buf[w]);
    }
}

int main(int argc, char **argv)
{
    mt_init_thread(&argc, &argv, MPI_THREAD_MULTIPLE);
    if (mt_size % 2) {
        mt_fail("needs an even number of ranks, has %d", mt_size);
    }
    peer = mt_rank ^ 1;
    rounds = (int)mt_option(argc, argv, "-n", 400);
    for (int t = 0; t < THREADS; ++t) {
        MPI_Comm_dup(MPI_COMM_WORLD, &own[t]);
    }
    thr_run(THREADS, on_own, NULL);
    thr_run(THREADS, on_world, NULL);
    thr_run(THREADS, windows, NULL);
    for (int t = 0; t < THREADS; ++t) {
        MPI_Comm_free(&own[t]);
    }
    return mt_finish();
}
