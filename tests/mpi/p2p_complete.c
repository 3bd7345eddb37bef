/* SPDX-License-Identifier: BSD-3-Clause */
/* Wait, Test and their any, some and all forms, on mixtures of sends, receives and null
 * requests. */
#include "mt.h"

enum { N = 64, LARGEST = 70000, TAG = 51 };

static unsigned char *in[N];
static unsigned char *out[N];

static int size_of(int i)
{
    static const int sizes[] = {0, 4, 100, 4096, 20000, LARGEST};

    return sizes[i % 6];
}

static void check(int i, const MPI_Status *st)
{
    int count;

    mt_equal(st->MPI_TAG, TAG + i, "tag of receive %d", i);
    mt_equal(st->MPI_SOURCE, 0, "source of receive %d", i);
    MPI_Get_count(st, MPI_BYTE, &count);
    mt_equal(count, size_of(i), "count of receive %d", i);
    mt_verify(in[i], (size_t)count, (uint64_t)i, "receive %d", i);
}

static void post(MPI_Request *rq)
{
    for (int i = 0; i < N; ++i) {
        memset(in[i], 0, LARGEST);
        MPI_Irecv(in[i], LARGEST, MPI_BYTE, 0, TAG + i, MPI_COMM_WORLD, &rq[i]);
    }
}

/* Sends all N in a scattered order. */
static void feed(void)
{
    static MPI_Request rq[N];

    for (int k = 0; k < N; ++k) {
        int i = k * 29 % N;
        MPI_Isend(out[i], size_of(i), MPI_BYTE, 1, TAG + i, MPI_COMM_WORLD, &rq[k]);
    }
    MPI_Waitall(N, rq, MPI_STATUSES_IGNORE);
}

typedef void drain_fn(MPI_Request *rq);

static void by_waitany(MPI_Request *rq)
{
    MPI_Status st;
    int i;

    for (int k = 0; k < N; ++k) {
        MPI_Waitany(N, rq, &i, &st);
        mt_check(i >= 0 && i < N && MPI_REQUEST_NULL == rq[i], "Waitany gives %d", i);
        check(i, &st);
    }
    MPI_Waitany(N, rq, &i, &st);
    mt_equal(i, MPI_UNDEFINED, "Waitany on null requests");
}

static void by_testany(MPI_Request *rq)
{
    MPI_Status st;
    int i, flag;

    for (int k = 0; k < N;) {
        MPI_Testany(N, rq, &i, &flag, &st);
        if (flag) {
            mt_check(i >= 0 && i < N && MPI_REQUEST_NULL == rq[i], "Testany gives %d", i);
            check(i, &st);
            ++k;
        }
    }
    MPI_Testany(N, rq, &i, &flag, &st);
    mt_check(flag && MPI_UNDEFINED == i, "Testany on null requests: flag %d, index %d", flag, i);
}

static void take_some(int count, const int *index, const MPI_Status *st, int *left)
{
    for (int k = 0; k < count; ++k) {
        check(index[k], &st[k]);
    }
    *left -= count;
}

static void by_waitsome(MPI_Request *rq)
{
    MPI_Status st[N];
    int index[N], count, left = N;

    while (left > 0) {
        MPI_Waitsome(N, rq, &count, index, st);
        mt_check(count > 0 && count <= left, "Waitsome gives %d of %d", count, left);
        take_some(count, index, st, &left);
    }
    MPI_Waitsome(N, rq, &count, index, st);
    mt_equal(count, MPI_UNDEFINED, "Waitsome on null requests");
}

static void by_testsome(MPI_Request *rq)
{
    MPI_Status st[N];
    int index[N], count, left = N;

    while (left > 0) {
        MPI_Testsome(N, rq, &count, index, st);
        mt_check(count >= 0 && count <= left, "Testsome gives %d of %d", count, left);
        take_some(count, index, st, &left);
    }
    MPI_Testsome(N, rq, &count, index, st);
    mt_equal(count, MPI_UNDEFINED, "Testsome on null requests");
}

static void by_testall(MPI_Request *rq)
{
    MPI_Status st[N];
    int flag = 0;

    while (!flag) {
        MPI_Testall(N, rq, &flag, st);
    }
    for (int i = 0; i < N; ++i) {
        mt_check(MPI_REQUEST_NULL == rq[i], "request %d is not null after Testall", i);
        check(i, &st[i]);
    }
}

static void by_waitall(MPI_Request *rq)
{
    MPI_Status st[N];

    MPI_Waitall(N, rq, st);
    for (int i = 0; i < N; ++i) {
        check(i, &st[i]);
    }
}

static void by_get_status(MPI_Request *rq)
{
    MPI_Status st;

    for (int i = N - 1; i >= 0; --i) {
        int flag = 0;
        while (!flag) {
            MPI_Request_get_status(rq[i], &flag, &st);
        }
        mt_check(MPI_REQUEST_NULL != rq[i], "Request_get_status freed request %d", i);
        check(i, &st);
        MPI_Test(&rq[i], &flag, &st);
        mt_check(flag && MPI_REQUEST_NULL == rq[i], "request %d not done after get_status", i);
        check(i, &st);
    }
}

/* Startall on persistent requests of both directions, several times. */
static void persistent(void)
{
    MPI_Request rq[N];
    MPI_Status st[N];

    for (int i = 0; i < N; ++i) {
        if (0 == mt_rank) {
            MPI_Send_init(out[i], size_of(i), MPI_BYTE, 1, TAG + i, MPI_COMM_WORLD, &rq[i]);
        } else {
            MPI_Recv_init(in[i], LARGEST, MPI_BYTE, 0, TAG + i, MPI_COMM_WORLD, &rq[i]);
        }
    }
    for (int round = 0; round < 5; ++round) {
        MPI_Startall(N, rq);
        MPI_Waitall(N, rq, st);
        for (int i = 0; 1 == mt_rank && i < N; ++i) {
            check(i, &st[i]);
            memset(in[i], 0, LARGEST);
        }
    }
    for (int i = 0; i < N; ++i) {
        MPI_Request_free(&rq[i]);
    }
}

/* A request freed right after Isend still delivers. */
static void freed_sends(void)
{
    MPI_Request rq;
    MPI_Status st;

    for (int i = 0; i < N; ++i) {
        if (0 == mt_rank) {
            MPI_Isend(out[i], size_of(i), MPI_BYTE, 1, TAG + i, MPI_COMM_WORLD, &rq);
            MPI_Request_free(&rq);
        } else {
            MPI_Recv(in[i], LARGEST, MPI_BYTE, 0, TAG + i, MPI_COMM_WORLD, &st);
            check(i, &st);
        }
    }
    if (0 == mt_rank) {
        MPI_Recv(NULL, 0, MPI_BYTE, 1, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(NULL, 0, MPI_BYTE, 0, TAG, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    static drain_fn *const drains[] = {by_waitany, by_testany, by_waitsome,  by_testsome,
                                       by_testall, by_waitall, by_get_status};
    MPI_Request rq[N];

    mt_init(&argc, &argv);
    mt_equal(mt_size, 2, "ranks of this test");
    for (int i = 0; i < N; ++i) {
        in[i] = mt_alloc(LARGEST);
        out[i] = mt_alloc(LARGEST);
        mt_fill(out[i], LARGEST, (uint64_t)i);
    }
    for (size_t d = 0; d < 2 * (sizeof drains / sizeof *drains); ++d) {
        if (1 == mt_rank) {
            post(rq);
        }
        /* in every other round the messages may come first */
        if (d % 2) {
            MPI_Barrier(MPI_COMM_WORLD);
        }
        if (0 == mt_rank) {
            feed();
        } else {
            drains[d / 2](rq);
        }
    }
    persistent();
    freed_sends();
    for (int i = 0; i < N; ++i) {
        mt_free(in[i]);
        mt_free(out[i]);
    }
    return mt_finish();
}
