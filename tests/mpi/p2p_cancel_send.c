/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cancelled sends, from one rank of each pair to the other: a message is either received or not,
 * and MPI_Test_cancelled says which.
 *
 * Option -cancels: the MPI does cancel sends that nobody has received, and MPI_Wait then returns
 * whatever the receiver does. Without it a receive is there for each message before its send is
 * waited for, which ends the wait in any MPI.
 */
#include "mt.h"

enum { TAG = 51, FLAG = 52, NEXT = 53, LARGEST = 1 << 20, SIZES = 7, ROUNDS = 200 };

enum kind { STANDARD, SYNCHRONOUS, BUFFERED, PERSISTENT, PERSISTENT_SYNCHRONOUS, HOLEY, KINDS };

static const int sizes[SIZES] = {0, 1, 32, 33, 5000, 100000, LARGEST};
static MPI_Comm comm, side; /* of two ranks, or of one that is left */
static int me, size;
static MPI_Datatype every_other;
static bool cancels;
static unsigned char *data, *got;

static bool is_persistent(enum kind kind)
{
    return PERSISTENT == kind || PERSISTENT_SYNCHRONOUS == kind;
}

static void start(enum kind kind, const void *buf, int n, int dest, int tag, MPI_Request *rq)
{
    switch (kind) {
    case SYNCHRONOUS:
        MPI_Issend(buf, n, MPI_BYTE, dest, tag, comm, rq);
        break;
    case BUFFERED:
        MPI_Ibsend(buf, n, MPI_BYTE, dest, tag, comm, rq);
        break;
    case PERSISTENT:
        MPI_Send_init(buf, n, MPI_BYTE, dest, tag, comm, rq);
        break;
    case PERSISTENT_SYNCHRONOUS:
        MPI_Ssend_init(buf, n, MPI_BYTE, dest, tag, comm, rq);
        break;
    case HOLEY: /* as many bytes, of twice as many */
        MPI_Isend(buf, n, every_other, dest, tag, comm, rq);
        break;
    default:
        MPI_Isend(buf, n, MPI_BYTE, dest, tag, comm, rq);
    }
    if (is_persistent(kind)) {
        MPI_Start(rq);
    }
}

/* Whether it was cancelled. */
static int finish(enum kind kind, MPI_Request *rq)
{
    MPI_Status st;
    int flag = -1;

    mt_ok(MPI_Wait(rq, &st));
    MPI_Test_cancelled(&st, &flag);
    if (is_persistent(kind)) {
        MPI_Request_free(rq);
    }
    mt_check(MPI_REQUEST_NULL == *rq, "the request is not null after the wait");
    return flag;
}

static void fill(enum kind kind, int n, uint64_t seed)
{
    mt_fill(got, (size_t)n, seed);
    for (int i = 0; i < n; ++i) {
        data[HOLEY == kind ? 2 * i : i] = got[i];
    }
}

/* A receive for a message that was perhaps cancelled: it gets it, or can be cancelled itself. */
static void settle(MPI_Request *rq, int cancelled, int n, uint64_t seed)
{
    MPI_Status st;
    int flag, count;

    if (cancelled) {
        MPI_Cancel(rq);
    }
    MPI_Wait(rq, &st);
    MPI_Test_cancelled(&st, &flag);
    mt_equal(flag, cancelled, "receive of %d bytes whose send was%s cancelled", n,
             cancelled ? "" : " not");
    if (!cancelled) {
        MPI_Get_count(&st, MPI_BYTE, &count);
        mt_equal(count, n, "bytes received");
        mt_equal(st.MPI_SOURCE, 0, "source");
        mt_verify(got, (size_t)n, seed, "message of %d bytes, cancelled in vain", n);
    }
}

/* Nobody receives it before the cancel. */
static void unmatched(enum kind kind, int n, uint64_t seed)
{
    MPI_Request rq;
    int flag = 0;

    if (0 == me) {
        fill(kind, n, seed);
        start(kind, data, n, 1, TAG, &rq);
        MPI_Cancel(&rq);
        if (0 == seed % 2) {
            MPI_Cancel(&rq);
        }
        if (cancels) {
            flag = finish(kind, &rq);
            mt_check(flag, "send %d of %d bytes is not cancelled", kind, n);
        }
        MPI_Barrier(comm);
        if (!cancels) {
            flag = finish(kind, &rq);
        }
        MPI_Send(&flag, 1, MPI_INT, 1, FLAG, side);
    } else if (1 == me) {
        memset(got, 0, (size_t)n);
        MPI_Barrier(comm);
        MPI_Irecv(got, n, MPI_BYTE, seed % 3 ? 0 : MPI_ANY_SOURCE, seed % 5 ? TAG : MPI_ANY_TAG,
                  comm, &rq);
        MPI_Recv(&flag, 1, MPI_INT, 0, FLAG, side, MPI_STATUS_IGNORE);
        settle(&rq, flag, n, seed);
    }
    MPI_Barrier(comm); /* the receive is gone before anything else is sent */
}

/* A receive is there, or a probe has claimed the message: too late. */
static void matched(enum kind kind, int n, uint64_t seed)
{
    MPI_Message message = MPI_MESSAGE_NULL;
    bool claims = 1 == seed % 2;
    MPI_Request rq;
    int flag;

    if (1 == me && !claims) {
        MPI_Irecv(got, n, MPI_BYTE, 0, TAG, comm, &rq);
    }
    MPI_Barrier(comm);
    if (0 == me) {
        fill(kind, n, seed);
        start(kind, data, n, 1, TAG, &rq);
        if (claims) {
            MPI_Recv(NULL, 0, MPI_BYTE, 1, NEXT, comm, MPI_STATUS_IGNORE);
        }
        MPI_Cancel(&rq);
        flag = finish(kind, &rq);
        mt_check(!flag, "send %d of %d bytes is cancelled, though it was %s", kind, n,
                 claims ? "claimed" : "matched");
    } else if (1 == me && claims) {
        MPI_Mprobe(0, TAG, comm, &message, MPI_STATUS_IGNORE);
        MPI_Send(NULL, 0, MPI_BYTE, 0, NEXT, comm);
        MPI_Imrecv(got, n, MPI_BYTE, &message, &rq);
    }
    if (1 == me) {
        settle(&rq, 0, n, seed);
    }
}

/* Some of many: the others come in order. */
static void some(int n)
{
    enum { N = 200 };
    static MPI_Request rq[N];
    static int flag[N], value[N];
    unsigned char *all = mt_alloc((size_t)N * (size_t)n);
    uint64_t s = 5;
    int next = 0;

    if (0 == me) {
        for (int i = 0; i < N; ++i) {
            mt_fill(all + (size_t)i * (size_t)n, (size_t)n, (uint64_t)i);
            start(i % 3 ? STANDARD : SYNCHRONOUS, all + (size_t)i * (size_t)n, n, 1, TAG, &rq[i]);
        }
        for (int i = N - 1; i >= 0; --i) {
            value[i] = 0 != mt_below(&s, 2);
            if (value[i]) {
                MPI_Cancel(&rq[i]);
            }
        }
    }
    MPI_Barrier(comm);
    if (1 == me) {
        for (int i = 0; i < N; ++i) {
            MPI_Irecv(all + (size_t)i * (size_t)n, n, MPI_BYTE, 0, TAG, comm, &rq[i]);
        }
    }
    for (int i = 0; 0 == me && i < N; ++i) {
        flag[i] = finish(STANDARD, &rq[i]);
        mt_check(value[i] || !flag[i], "send %d of many is cancelled", i);
        mt_check(!cancels || !value[i] || flag[i], "send %d of many is not cancelled", i);
    }
    MPI_Bcast(flag, N, MPI_INT, 0, comm);
    for (int i = 0; 1 == me && i < N; ++i) {
        if (!flag[i]) {
            MPI_Wait(&rq[next], MPI_STATUS_IGNORE);
            mt_verify(all + (size_t)next * (size_t)n, (size_t)n, (uint64_t)i, "message %d of many",
                      i);
            ++next;
        }
    }
    for (int i = next; 1 == me && i < N; ++i) {
        MPI_Cancel(&rq[i]);
        mt_check(finish(STANDARD, &rq[i]), "receive %d beyond what was sent is matched", i);
    }
    MPI_Barrier(comm);
    mt_free(all);
}

/* One that is complete leaves its request to the next, which is the one to be cancelled. */
static void reused(enum kind kind, int n)
{
    unsigned char first = 1, second = 2, in = 0;
    MPI_Request rq;

    if (0 == me) {
        start(STANDARD, &first, 1, 1, TAG, &rq);
        (void)finish(STANDARD, &rq);
        data[0] = second;
        start(kind, data, n, 1, TAG, &rq);
        MPI_Cancel(&rq);
        mt_check(finish(kind, &rq), "send %d, in a request used before, is not cancelled", kind);
    }
    MPI_Barrier(comm);
    if (0 == me) {
        MPI_Send(&second, 1, MPI_BYTE, 1, NEXT, comm);
    } else if (1 == me) {
        MPI_Recv(&in, 1, MPI_BYTE, 0, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE);
        mt_equal(in, first, "message before the cancelled one");
        MPI_Recv(&in, 1, MPI_BYTE, 0, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE);
        mt_equal(in, second, "message behind the cancelled one");
    }
}

/* Other ways to end it: tests, one of several, nobody waits. */
static void ends(enum kind kind, int n)
{
    MPI_Request rq[3];
    MPI_Status st;
    int flag = 0, index, in = 7;

    if (0 == me) {
        start(kind, data, n, 1, TAG, &rq[0]);
        MPI_Cancel(&rq[0]);
        while (!flag) {
            MPI_Request_get_status(rq[0], &flag, &st);
        }
        MPI_Test_cancelled(&st, &flag);
        mt_check(flag, "send %d is not cancelled by its status", kind);
        MPI_Test(&rq[0], &flag, &st);
        MPI_Test_cancelled(&st, &flag);
        mt_check(flag, "send %d is not cancelled by a test", kind);
        if (is_persistent(kind)) {
            MPI_Start(&rq[0]);
            MPI_Cancel(&rq[0]);
            (void)finish(kind, &rq[0]);
        }
        start(kind, data, n, 1, TAG, &rq[0]);
        start(kind, data, n, 1, TAG, &rq[1]);
        rq[2] = MPI_REQUEST_NULL;
        MPI_Cancel(&rq[1]);
        MPI_Request_free(&rq[1]);
        MPI_Cancel(&rq[0]);
        MPI_Waitany(3, rq, &index, &st);
        MPI_Test_cancelled(&st, &flag);
        mt_check(0 == index && flag, "send %d is not cancelled by one of several", kind);
        if (is_persistent(kind)) {
            MPI_Request_free(&rq[0]);
        }
    }
    MPI_Barrier(comm);
    if (0 == me) {
        MPI_Send(NULL, 0, MPI_INT, 1, NEXT, comm);
    } else if (1 == me) {
        MPI_Recv(&in, 1, MPI_INT, 0, MPI_ANY_TAG, comm, &st);
        mt_equal(st.MPI_TAG, NEXT, "tag of what is received behind cancelled sends");
    }
}

/* The receive comes at the same time: one of the two gets it. */
static void race(int most)
{
    uint64_t s = 11;
    MPI_Request rq;
    int flag;

    for (int i = 0; i < ROUNDS; ++i) {
        int n = (int)mt_below(&s, (uint64_t)most) + 1;
        int wait = (int)mt_below(&s, 20);
        MPI_Barrier(comm);
        if (0 == me) {
            fill(STANDARD, n, (uint64_t)i);
            start(i % 2 ? STANDARD : SYNCHRONOUS, data, n, 1, TAG, &rq);
            MPI_Cancel(&rq);
            flag = finish(STANDARD, &rq);
            MPI_Send(&flag, 1, MPI_INT, 1, FLAG, side);
        } else if (1 == me) {
            for (int k = 0; k < wait; ++k) {
                MPI_Iprobe(0, NEXT, comm, &flag, MPI_STATUS_IGNORE);
            }
            MPI_Irecv(got, n, MPI_BYTE, 0, TAG, comm, &rq);
            MPI_Recv(&flag, 1, MPI_INT, 0, FLAG, side, MPI_STATUS_IGNORE);
            settle(&rq, flag, n, (uint64_t)i);
        }
    }
    MPI_Barrier(comm);
}

/* To itself, and to nobody. */
static void self(enum kind kind, int n)
{
    MPI_Request rq, in;
    int flag;

    fill(kind, n, 9);
    start(kind, data, n, me, TAG, &rq);
    MPI_Cancel(&rq);
    if (!cancels) {
        MPI_Irecv(got, n, MPI_BYTE, me, TAG, comm, &in);
    }
    flag = finish(kind, &rq);
    if (cancels) {
        mt_check(flag, "send %d of %d bytes to itself is not cancelled", kind, n);
        MPI_Iprobe(me, TAG, comm, &flag, MPI_STATUS_IGNORE);
        mt_check(!flag, "a cancelled send to itself is there");
    } else {
        if (flag) {
            MPI_Cancel(&in);
        }
        mt_equal(finish(STANDARD, &in), flag, "receive from itself");
    }
    start(kind, data, n, MPI_PROC_NULL, TAG, &rq);
    MPI_Cancel(&rq);
    (void)finish(kind, &rq);
}

/* The receiver is about to end. */
static void at_the_end(void)
{
    static MPI_Request rq[KINDS];

    for (int kind = 0; 0 == me && kind < KINDS; ++kind) {
        start((enum kind)kind, data, kind % 2 ? 100000 : 8, 1, TAG, &rq[kind]);
    }
    if (0 == me) {
        mt_sleep(20);
    }
    for (int kind = 0; 0 == me && kind < KINDS; ++kind) {
        MPI_Cancel(&rq[kind]);
        mt_check(finish((enum kind)kind, &rq[kind]), "send %d is not cancelled at the end", kind);
    }
}

static void all(void)
{
    for (int kind = 0; kind < KINDS; ++kind) {
        for (int i = 0; i < SIZES; ++i) {
            self((enum kind)kind, sizes[i]);
            if (1 < size) {
                unmatched((enum kind)kind, sizes[i], (uint64_t)(kind + i));
                matched((enum kind)kind, sizes[i], (uint64_t)(kind + i));
            }
        }
        if (1 < size && cancels) {
            reused((enum kind)kind, 1);
            reused((enum kind)kind, 100000);
            ends((enum kind)kind, 4);
            ends((enum kind)kind, 100000);
        }
    }
    if (1 < size) {
        some(4);
        some(5000);
        some(100000);
        race(64);
        race(200000);
    }
}

int main(int argc, char **argv)
{
    void *buffer = NULL;
    int room = 16 * (LARGEST + MPI_BSEND_OVERHEAD);

    mt_init(&argc, &argv);
    cancels = mt_flag(argc, argv, "-cancels");
    MPI_Comm_split(MPI_COMM_WORLD, mt_rank / 2, 0, &comm);
    MPI_Comm_dup(comm, &side);
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &size);
    MPI_Type_create_resized(MPI_BYTE, 0, 2, &every_other);
    MPI_Type_commit(&every_other);
    data = mt_alloc(2 * LARGEST);
    got = mt_alloc(LARGEST);
    buffer = mt_alloc((size_t)room);
    MPI_Buffer_attach(buffer, room);
    all();
    if (cancels && 1 < size) {
        at_the_end();
    }
    MPI_Buffer_detach(&buffer, &room);
    mt_free(buffer);
    mt_free(got);
    mt_free(data);
    MPI_Type_free(&every_other);
    MPI_Comm_free(&side);
    MPI_Comm_free(&comm);
    return mt_finish();
}
