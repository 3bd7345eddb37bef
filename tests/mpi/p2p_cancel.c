/* SPDX-License-Identifier: BSD-3-Clause */
/* Cancelled receives: either cancelled or matched, never both and never neither. */
#include "mt.h"

enum { TAG = 41, LARGEST = 100000 };

static MPI_Comm comm;

/* Cancelled before anything was sent; the message goes to the next receive. */
static void before(void)
{
    int v = -1, w = -1, flag = 0;
    MPI_Request rq;
    MPI_Status st;

    if (1 == mt_rank) {
        MPI_Irecv(&v, 1, MPI_INT, 0, TAG, comm, &rq);
        MPI_Cancel(&rq);
        MPI_Wait(&rq, &st);
        MPI_Test_cancelled(&st, &flag);
        mt_check(flag, "receive without a message is not cancelled");
    }
    MPI_Barrier(comm);
    if (0 == mt_rank) {
        v = 5;
        MPI_Send(&v, 1, MPI_INT, 1, TAG, comm);
    } else if (1 == mt_rank) {
        MPI_Recv(&w, 1, MPI_INT, 0, TAG, comm, &st);
        mt_equal(w, 5, "message after a cancelled receive");
        mt_equal(v, -1, "buffer of the cancelled receive");
    }
}

/* Out of the middle of a long list of receives, in random order. */
static void out_of_list(void)
{
    enum { N = 400 };
    static int v[N];
    static bool cancelled[N];
    static MPI_Request rq[N];
    MPI_Status st;
    uint64_t s = 3;
    int flag, sent = 0;

    for (int i = 0; i < N; ++i) {
        cancelled[i] = 0 != mt_below(&s, 2);
    }
    if (1 == mt_rank) {
        for (int i = 0; i < N; ++i) {
            MPI_Irecv(&v[i], 1, MPI_INT, i % 3 ? 0 : MPI_ANY_SOURCE, i % 5 ? TAG : MPI_ANY_TAG,
                      comm, &rq[i]);
        }
        for (int i = N - 1; i >= 0; i -= 2) {
            if (cancelled[i]) {
                MPI_Cancel(&rq[i]);
            }
        }
        for (int i = 0; i < N; i += 2) {
            if (cancelled[i]) {
                MPI_Cancel(&rq[i]);
            }
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < N; ++i) {
        if (0 == mt_rank && !cancelled[i]) {
            MPI_Send(&sent, 1, MPI_INT, 1, TAG, comm);
            ++sent;
        }
        if (1 == mt_rank) {
            MPI_Wait(&rq[i], &st);
            MPI_Test_cancelled(&st, &flag);
            mt_equal(flag, cancelled[i], "state of receive %d of the list", i);
            if (!flag) {
                mt_equal(v[i], sent++, "message of receive %d of the list", i);
            }
        }
    }
}

/* A receive whose message is there can no longer be cancelled. */
static void after(int n, unsigned char *buf)
{
    MPI_Request rq;
    MPI_Status st;
    int flag, done = 0;

    if (1 == mt_rank) {
        MPI_Irecv(buf, n, MPI_BYTE, 0, TAG, comm, &rq);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (0 == mt_rank) {
        mt_fill(buf, (size_t)n, 8);
        MPI_Send(buf, n, MPI_BYTE, 1, TAG, comm);
    } else if (1 == mt_rank) {
        while (!done) {
            MPI_Request_get_status(rq, &done, &st);
        }
        MPI_Cancel(&rq);
        MPI_Wait(&rq, &st);
        MPI_Test_cancelled(&st, &flag);
        mt_check(!flag, "complete receive of %d bytes was cancelled", n);
        mt_verify(buf, (size_t)n, 8, "receive of %d bytes, cancelled too late", n);
    }
}

/* Cancel races with the message: each message arrives exactly once, in order. */
static void race(unsigned char *buf)
{
    enum { N = 1000 };
    MPI_Request rq;
    MPI_Status st;
    uint64_t s = 17;
    int flag;

    for (int i = 0; i < N; ++i) {
        int n = (int)mt_below(&s, 0 == i % 50 ? LARGEST : 300) + 1;
        if (0 == mt_rank) {
            mt_fill(buf, (size_t)n, (uint64_t)i);
            MPI_Recv(NULL, 0, MPI_BYTE, 1, TAG, comm, MPI_STATUS_IGNORE);
            MPI_Send(buf, n, MPI_BYTE, 1, TAG, comm);
        } else if (1 == mt_rank) {
            MPI_Irecv(buf, n, MPI_BYTE, i % 2 ? 0 : MPI_ANY_SOURCE, TAG, comm, &rq);
            MPI_Send(NULL, 0, MPI_BYTE, 0, TAG, comm);
            for (int k = 0; k < i % 7; ++k) {
                MPI_Iprobe(0, TAG + 1, comm, &flag, MPI_STATUS_IGNORE);
            }
            MPI_Cancel(&rq);
            MPI_Wait(&rq, &st);
            MPI_Test_cancelled(&st, &flag);
            if (flag) {
                MPI_Recv(buf, n, MPI_BYTE, 0, TAG, comm, &st);
            }
            mt_verify(buf, (size_t)n, (uint64_t)i, "message %d, receive %s", i,
                      flag ? "cancelled and repeated" : "matched");
        }
    }
}

static void persistent(void)
{
    MPI_Request rq = MPI_REQUEST_NULL;
    MPI_Status st;
    int v = 0, flag;

    if (1 == mt_rank) {
        MPI_Recv_init(&v, 1, MPI_INT, 0, TAG, comm, &rq);
    }
    for (int i = 0; i < 50; ++i) {
        if (1 == mt_rank) {
            MPI_Start(&rq);
            if (i % 2) {
                MPI_Cancel(&rq);
                MPI_Wait(&rq, &st);
                MPI_Test_cancelled(&st, &flag);
                mt_check(flag, "persistent receive %d is not cancelled", i);
            }
        }
        if (0 == i % 2) {
            if (0 == mt_rank) {
                MPI_Recv(NULL, 0, MPI_INT, 1, TAG, comm, &st);
                MPI_Send(&i, 1, MPI_INT, 1, TAG, comm);
            } else if (1 == mt_rank) {
                MPI_Send(NULL, 0, MPI_INT, 0, TAG, comm);
                MPI_Wait(&rq, &st);
                MPI_Test_cancelled(&st, &flag);
                mt_check(!flag, "persistent receive %d is cancelled", i);
                mt_equal(v, i, "persistent receive %d", i);
            }
        }
    }
    if (1 == mt_rank) {
        MPI_Request_free(&rq);
    }
}

int main(int argc, char **argv)
{
    unsigned char *buf;

    mt_init(&argc, &argv);
    mt_need(2);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    buf = mt_alloc(LARGEST + 1);
    before();
    out_of_list();
    after(1, buf);
    after(5000, buf);
    after(LARGEST, buf);
    race(buf);
    persistent();
    mt_free(buf);
    MPI_Comm_free(&comm);
    return mt_finish();
}
