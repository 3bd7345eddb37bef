/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Several threads of each rank send to all ranks while others receive with wildcards: nothing gets
 * lost or doubled, and the messages of one sending thread keep their order where one thread
 * receives.
 */
#include "thr.h"

#include <stdatomic.h>

enum { SENDERS = 3, RECEIVERS = 2, LARGEST = 20000, TAG_STOP = 9 };

struct head {
    int rank;
    int thread;
    int number;
};

static int each; /* messages per sending thread and target */
static MPI_Comm comm;
/* how often each message came: [source][thread][number]; each slot is only counted up */
static _Atomic unsigned char *seen;

static size_t slot(int rank, int thread, int number)
{
    return ((size_t)rank * SENDERS + (size_t)thread) * (size_t)each + (size_t)number;
}

static size_t size_of(const struct head *h)
{
    uint64_t s = mt_seed((uint64_t)h->rank, (uint64_t)h->thread, (uint64_t)h->number, 1);

    return sizeof *h + mt_below(&s, 0 == mt_below(&s, 8) ? LARGEST : 400);
}

static void send_all(int thread)
{
    unsigned char *buf = mt_alloc(sizeof(struct head) + LARGEST);

    for (int i = 0; i < each; ++i) {
        for (int t = 0; t < mt_size; ++t) {
            struct head h = {.rank = mt_rank, .thread = thread, .number = i};
            size_t n = size_of(&h);
            memcpy(buf, &h, sizeof h);
            mt_fill(buf + sizeof h, n - sizeof h, slot(mt_rank, thread, i));
            MPI_Send(buf, (int)n, MPI_BYTE, t, 100 + thread, comm);
        }
    }
    mt_free(buf);
}

static void check(const unsigned char *buf, const MPI_Status *st)
{
    struct head h;
    int count;

    memcpy(&h, buf, sizeof h);
    mt_equal(h.rank, st->MPI_SOURCE, "source in the message");
    mt_equal(100 + h.thread, st->MPI_TAG, "tag in the message");
    mt_check(h.number >= 0 && h.number < each, "number %d in the message", h.number);
    MPI_Get_count(st, MPI_BYTE, &count);
    mt_equal(count, (long long)size_of(&h), "size of message %d", h.number);
    mt_verify(buf + sizeof h, (size_t)count - sizeof h, slot(h.rank, h.thread, h.number),
              "message %d of thread %d of rank %d", h.number, h.thread, h.rank);
    /* relaxed: the joins of the threads order it before the final look */
    unsigned before =
        atomic_fetch_add_explicit(&seen[slot(h.rank, h.thread, h.number)], 1, memory_order_relaxed);
    mt_equal(before, 0, "times message %d came before", h.number);
}

/* Receives until a stop message comes; matched probes, so that threads don't steal each other's. */
static void receive_some(int thread)
{
    unsigned char *buf = mt_alloc(sizeof(struct head) + LARGEST);
    MPI_Message msg;
    MPI_Status st;

    for (;;) {
        if (thread % 2) {
            MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &msg, &st);
            MPI_Mrecv(buf, (int)sizeof(struct head) + LARGEST, MPI_BYTE, &msg, &st);
        } else {
            MPI_Recv(buf, (int)sizeof(struct head) + LARGEST, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG,
                     comm, &st);
        }
        if (TAG_STOP == st.MPI_TAG) {
            break;
        }
        check(buf, &st);
    }
    mt_free(buf);
}

static void worker(int thread, void *arg)
{
    (void)arg;
    if (thread < SENDERS) {
        send_all(thread);
    } else {
        receive_some(thread);
    }
}

/* When all ranks have sent everything and it has arrived, each rank stops its own receivers. */
static void supervise(int thread, void *arg)
{
    if (thread < SENDERS + RECEIVERS) {
        worker(thread, arg);
        return;
    }
    size_t total = (size_t)mt_size * SENDERS * (size_t)each;
    size_t have = 0;
    while (have < total) {
        have = 0;
        for (size_t i = 0; i < total; ++i) {
            have += atomic_load_explicit(&seen[i], memory_order_relaxed);
        }
        mt_sleep(5);
    }
    for (int r = 0; r < RECEIVERS; ++r) {
        MPI_Send(NULL, 0, MPI_BYTE, mt_rank, TAG_STOP, comm);
    }
}

/* One receiving thread, several sending ones: order per sending thread. */
static void ordered(int thread, void *arg)
{
    static int next[SENDERS];
    int v;
    MPI_Status st;
    int peer = (mt_rank + 1) % mt_size;

    (void)arg;
    if (thread < SENDERS) {
        for (int i = 0; i < each; ++i) {
            MPI_Send(&i, 1, MPI_INT, peer, 200 + thread, comm);
        }
        return;
    }
    for (int i = 0; i < SENDERS * each; ++i) {
        MPI_Recv(&v, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &st);
        int t = st.MPI_TAG - 200;
        mt_check(t >= 0 && t < SENDERS, "tag %d", st.MPI_TAG);
        mt_equal(v, next[t]++, "order of the messages of thread %d", t);
    }
}

int main(int argc, char **argv)
{
    size_t total;

    mt_init_thread(&argc, &argv, MPI_THREAD_MULTIPLE);
    each = (int)mt_option(argc, argv, "-n", 500);
    total = (size_t)mt_size * SENDERS * (size_t)each;
    seen = calloc(total, sizeof *seen);
    if (!seen) {
        mt_fail("no memory");
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    thr_run(SENDERS + RECEIVERS + 1, supervise, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    for (size_t i = 0; i < total; ++i) {
        mt_equal(atomic_load_explicit(&seen[i], memory_order_relaxed), 1,
                 "how often message %zu came", i);
    }
    thr_run(SENDERS + 1, ordered, NULL);
    MPI_Comm_free(&comm);
    free((void *)seen);
    return mt_finish();
}
