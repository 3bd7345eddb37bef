/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ompi_match/probe.c. */
/* Covers: pml_match_matched.c */
/* Probe, Iprobe, Mprobe, Improbe: what they see, what they take, and in which order. */
#include "mt.h"

enum { TAG = 31, LARGEST = 1 << 20 };

static const int sizes[] = {0, 1, 100, 4000, 5000, 70000, LARGEST};
enum { SIZES = sizeof sizes / sizeof *sizes };

static MPI_Comm comm;
static unsigned char *buf;

static void expect(const MPI_Status *st, int source, int tag, int n)
{
    int count = -1;

    MPI_Get_count(st, MPI_BYTE, &count);
    mt_equal(count, n, "probed count");
    mt_equal(st->MPI_SOURCE, source, "probed source");
    mt_equal(st->MPI_TAG, tag, "probed tag");
}

/* Nothing sent on this communicator yet: nothing to be seen. */
static void nothing(void)
{
    MPI_Message msg = MPI_MESSAGE_NULL;
    MPI_Status st;
    int flag = 1;

    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 10; ++i) {
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &flag, &st);
        mt_check(!flag, "Iprobe sees tag %d from %d, nothing was sent", st.MPI_TAG, st.MPI_SOURCE);
        MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &flag, &msg, &st);
        mt_check(!flag, "Improbe sees tag %d from %d, nothing was sent", st.MPI_TAG, st.MPI_SOURCE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void wait_iprobe(int source, int tag, MPI_Status *st)
{
    int flag = 0;

    while (!flag) {
        MPI_Iprobe(source, tag, comm, &flag, st);
    }
}

static void wait_improbe(int source, int tag, MPI_Message *msg, MPI_Status *st)
{
    int flag = 0;

    while (!flag) {
        MPI_Improbe(source, tag, comm, &flag, msg, st);
    }
}

/* The same message seen twice by probes, then received; the sizes go through all protocols. */
static void plain(void)
{
    MPI_Status st;

    for (int i = 0; i < SIZES; ++i) {
        size_t n = (size_t)sizes[i];
        if (0 == mt_rank) {
            mt_fill(buf, n, n);
            MPI_Send(buf, sizes[i], MPI_BYTE, 1, TAG, comm);
        } else if (1 == mt_rank) {
            MPI_Probe(0, TAG, comm, &st);
            expect(&st, 0, TAG, sizes[i]);
            wait_iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, &st);
            expect(&st, 0, TAG, sizes[i]);
            MPI_Recv(buf, sizes[i], MPI_BYTE, st.MPI_SOURCE, st.MPI_TAG, comm, &st);
            expect(&st, 0, TAG, sizes[i]);
            mt_verify(buf, n, n, "probed message of %zu bytes", n);
        }
    }
}

/* A matched message is out of reach of other probes and receives, and keeps its data. */
static void matched(void)
{
    MPI_Message first, second;
    MPI_Request rq;
    MPI_Status st;

    for (int i = 0; i < SIZES; ++i) {
        int n = sizes[i], m = sizes[SIZES - 1 - i];
        if (0 == mt_rank) {
            mt_fill(buf, (size_t)n, 1);
            MPI_Send(buf, n, MPI_BYTE, 1, TAG, comm);
            mt_fill(buf, (size_t)m, 2);
            MPI_Send(buf, m, MPI_BYTE, 1, TAG, comm);
            MPI_Ssend(buf, 0, MPI_BYTE, 1, TAG + 1, comm);
        } else if (1 == mt_rank) {
            MPI_Mprobe(MPI_ANY_SOURCE, TAG, comm, &first, &st);
            expect(&st, 0, TAG, n);
            /* the sender may wait for the first one to be received before it sends the second */
            MPI_Imrecv(buf, n, MPI_BYTE, &first, &rq);
            mt_check(MPI_MESSAGE_NULL == first, "message is not null after Imrecv");
            MPI_Wait(&rq, &st);
            expect(&st, 0, TAG, n);
            mt_verify(buf, (size_t)n, 1, "first matched message of %d bytes", n);
            wait_improbe(0, MPI_ANY_TAG, &second, &st);
            expect(&st, 0, TAG, m);
            MPI_Mrecv(buf, m, MPI_BYTE, &second, &st);
            mt_check(MPI_MESSAGE_NULL == second, "message is not null after Mrecv");
            mt_verify(buf, (size_t)m, 2, "second matched message of %d bytes", m);
            MPI_Recv(buf, 0, MPI_BYTE, 0, TAG + 1, comm, &st);
        }
    }
}

/* Many small messages taken by Mprobe, then received in the reverse order. */
static void held_back(void)
{
    enum { N = 200 };
    static MPI_Message msg[N];
    static int values[N];
    MPI_Status st;
    int v, flag;

    if (0 == mt_rank) {
        for (int i = 0; i < N; ++i) {
            values[i] = 7 * i;
            MPI_Send(&values[i], 1, MPI_INT, 1, TAG, comm);
        }
        MPI_Ssend(NULL, 0, MPI_BYTE, 1, TAG + 1, comm);
    } else if (1 == mt_rank) {
        for (int i = 0; i < N; ++i) {
            MPI_Mprobe(0, TAG, comm, &msg[i], &st);
        }
        MPI_Iprobe(0, TAG, comm, &flag, &st);
        mt_check(!flag, "Iprobe sees a message that Mprobe has taken");
        for (int i = N - 1; i >= 0; --i) {
            MPI_Mrecv(&v, 1, MPI_INT, &msg[i], &st);
            mt_equal(v, 7 * i, "held back message %d", i);
        }
        MPI_Recv(NULL, 0, MPI_BYTE, 0, TAG + 1, comm, &st);
    }
}

/* Every rank sends to rank 0, which looks for any source and takes what it saw. */
static void from_all(void)
{
    enum { EACH = 100 };
    int *seen;
    MPI_Status st;
    int v[2];

    if (0 != mt_rank) {
        for (int i = 0; i < EACH; ++i) {
            v[0] = mt_rank;
            v[1] = i;
            MPI_Send(v, 2, MPI_INT, 0, TAG + mt_rank, comm);
        }
        return;
    }
    seen = calloc((size_t)mt_size, sizeof *seen);
    if (!seen) {
        mt_fail("no memory");
    }
    for (int i = 0; i < EACH * (mt_size - 1); ++i) {
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &st);
        mt_equal(st.MPI_TAG, TAG + st.MPI_SOURCE, "tag and source of a probe");
        MPI_Recv(v, 2, MPI_INT, st.MPI_SOURCE, st.MPI_TAG, comm, &st);
        mt_equal(v[0], st.MPI_SOURCE, "message from the probed source");
        mt_equal(v[1], seen[v[0]]++, "order of the messages from %d", v[0]);
    }
    free(seen);
}

/* Only calls that return several statuses set MPI_ERROR. */
static void error_stays(void)
{
    enum { MARK = MPI_ERR_DIMS };
    MPI_Message first, second;
    MPI_Status st = {.MPI_ERROR = MARK};

    if (0 == mt_rank) {
        mt_fill(buf, 100, 1);
        MPI_Send(buf, 100, MPI_BYTE, 1, TAG, comm);
        MPI_Send(buf, 100, MPI_BYTE, 1, TAG, comm);
    } else if (1 == mt_rank) {
        MPI_Probe(0, TAG, comm, &st);
        mt_equal(st.MPI_ERROR, MARK, "MPI_ERROR after Probe");
        wait_iprobe(0, TAG, &st);
        mt_equal(st.MPI_ERROR, MARK, "MPI_ERROR after Iprobe");
        MPI_Mprobe(0, TAG, comm, &first, &st);
        mt_equal(st.MPI_ERROR, MARK, "MPI_ERROR after Mprobe");
        wait_improbe(0, TAG, &second, &st);
        mt_equal(st.MPI_ERROR, MARK, "MPI_ERROR after Improbe");
        MPI_Mrecv(buf, 100, MPI_BYTE, &first, &st);
        MPI_Mrecv(buf, 100, MPI_BYTE, &second, &st);
        mt_verify(buf, 100, 1, "message after probes");
    }
}

static void proc_null(void)
{
    MPI_Message msg = MPI_MESSAGE_NULL;
    MPI_Status st;
    int flag = 0;

    MPI_Mprobe(MPI_PROC_NULL, TAG, comm, &msg, &st);
    mt_check(MPI_MESSAGE_NO_PROC == msg, "Mprobe of MPI_PROC_NULL gives a message");
    mt_equal(st.MPI_SOURCE, MPI_PROC_NULL, "source of a probe of MPI_PROC_NULL");
    MPI_Mrecv(buf, 5, MPI_BYTE, &msg, &st);
    expect(&st, MPI_PROC_NULL, MPI_ANY_TAG, 0);
    MPI_Iprobe(MPI_PROC_NULL, TAG, comm, &flag, &st);
    mt_check(flag, "Iprobe of MPI_PROC_NULL sees nothing");
    expect(&st, MPI_PROC_NULL, MPI_ANY_TAG, 0);
}

int main(int argc, char **argv)
{
    mt_init(&argc, &argv);
    mt_need(2);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    buf = mt_alloc(LARGEST);
    nothing();
    plain();
    matched();
    held_back();
    from_all();
    error_stays();
    proc_null();
    nothing();
    mt_free(buf);
    MPI_Comm_free(&comm);
    return mt_finish();
}
