/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Different things at the same time in different threads: collectives on own communicators,
 * nonblocking traffic completed by another thread than the one that started it, communicators made
 * and freed, probes, compute without MPI.
 */
#include "thr.h"

enum { N = 3000, TAG = 60 };

static MPI_Comm comm[5];
static int rounds;

static void collectives(MPI_Comm c)
{
    long long *v = mt_alloc(N * sizeof *v);

    for (int i = 0; i < rounds; ++i) {
        int n = 1 + i * 37 % N;
        for (int k = 0; k < n; ++k) {
            v[k] = mt_rank * 100LL + k + i;
        }
        MPI_Allreduce(MPI_IN_PLACE, v, n, MPI_LONG_LONG, MPI_SUM, c);
        for (int k = 0; k < n; ++k) {
            long long want = 100LL * mt_size * (mt_size - 1) / 2 + (long long)mt_size * (k + i);
            if (v[k] != want) {
                mt_fail("sum %d in round %d is %lld, want %lld", k, i, v[k], want);
            }
        }
        mt_check(true, "Allreduce");
        v[0] = mt_rank == i % mt_size ? i : -1;
        MPI_Bcast(v, 1, MPI_LONG_LONG, i % mt_size, c);
        mt_equal(v[0], i, "Bcast in a thread");
        MPI_Barrier(c);
    }
    mt_free(v);
}

static void communicators(MPI_Comm c)
{
    int to = (mt_rank + 1) % mt_size, from = (mt_rank + mt_size - 1) % mt_size;

    for (int i = 0; i < rounds / 2; ++i) {
        MPI_Comm d;
        int v = 1000 * mt_rank + i;
        MPI_Comm_dup(c, &d);
        MPI_Sendrecv_replace(&v, 1, MPI_INT, to, TAG, from, TAG, d, MPI_STATUS_IGNORE);
        mt_equal(v, 1000 * from + i, "message on a communicator made in a thread");
        MPI_Comm_free(&d);
    }
}

/* The one thread starts, the other completes. */
enum { LANES = 16, LANE_BYTES = 30000 };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    MPI_Request rq[2 * LANES];
    unsigned char *buf[2 * LANES];
    bool full;
} relay = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void relay_wait(bool full)
{
    pthread_mutex_lock(&relay.lock);
    while (relay.full != full) {
        pthread_cond_wait(&relay.changed, &relay.lock);
    }
    pthread_mutex_unlock(&relay.lock);
}

static void relay_set(bool full)
{
    pthread_mutex_lock(&relay.lock);
    relay.full = full;
    pthread_cond_broadcast(&relay.changed);
    pthread_mutex_unlock(&relay.lock);
}

static uint64_t lane_seed(int rank, int round, int lane)
{
    return mt_seed((uint64_t)rank, (uint64_t)round, (uint64_t)lane, 60);
}

static size_t lane_size(int round, int lane)
{
    return (size_t)((round * 7 + lane) * 1009 % LANE_BYTES);
}

static void start(MPI_Comm c)
{
    int to = (mt_rank + 1) % mt_size, from = (mt_rank + mt_size - 1) % mt_size;

    for (int i = 0; i < rounds; ++i) {
        relay_wait(false);
        for (int k = 0; k < LANES; ++k) {
            size_t n = lane_size(i, k);
            mt_fill(relay.buf[k], n, lane_seed(mt_rank, i, k));
            MPI_Irecv(relay.buf[LANES + k], LANE_BYTES, MPI_BYTE, from, k, c, &relay.rq[LANES + k]);
            MPI_Isend(relay.buf[k], (int)n, MPI_BYTE, to, k, c, &relay.rq[k]);
        }
        relay_set(true);
    }
}

static void complete(void)
{
    int from = (mt_rank + mt_size - 1) % mt_size;

    for (int i = 0; i < rounds; ++i) {
        relay_wait(true);
        MPI_Waitall(2 * LANES, relay.rq, MPI_STATUSES_IGNORE);
        for (int k = 0; k < LANES; ++k) {
            mt_verify(relay.buf[LANES + k], lane_size(i, k), lane_seed(from, i, k),
                      "lane %d of round %d", k, i);
        }
        relay_set(false);
    }
}

static void probes(MPI_Comm c)
{
    int to = (mt_rank + 1) % mt_size, from = (mt_rank + mt_size - 1) % mt_size, v;
    MPI_Request rq;
    MPI_Status st;

    for (int i = 0; i < 2 * rounds; ++i) {
        int flag = 0;
        MPI_Isend(&i, 1, MPI_INT, to, i, c, &rq);
        while (!flag) {
            MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, c, &flag, &st);
        }
        mt_equal(st.MPI_SOURCE, from, "source probed by a thread");
        mt_equal(st.MPI_TAG, i, "tag probed by a thread");
        MPI_Recv(&v, 1, MPI_INT, from, i, c, &st);
        mt_equal(v, i, "message probed by a thread");
        MPI_Wait(&rq, MPI_STATUS_IGNORE);
    }
}

static void worker(int thread, void *arg)
{
    (void)arg;
    switch (thread) {
    case 0:
    case 1:
        collectives(comm[thread]);
        break;
    case 2:
        communicators(comm[2]);
        break;
    case 3:
        start(comm[3]);
        break;
    case 4:
        complete();
        break;
    default:
        probes(comm[4]);
    }
}

int main(int argc, char **argv)
{
    mt_init_thread(&argc, &argv, MPI_THREAD_MULTIPLE);
    rounds = (int)mt_option(argc, argv, "-n", 100);
    for (int i = 0; i < 5; ++i) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);
    }
    for (int k = 0; k < 2 * LANES; ++k) {
        relay.buf[k] = mt_alloc(LANE_BYTES);
    }
    thr_run(6, worker, NULL);
    for (int k = 0; k < 2 * LANES; ++k) {
        mt_free(relay.buf[k]);
    }
    for (int i = 0; i < 5; ++i) {
        MPI_Comm_free(&comm[i]);
    }
    return mt_finish();
}
