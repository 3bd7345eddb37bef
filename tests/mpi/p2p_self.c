/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages to oneself: in every order of send and receive, by every kind of wait, probed too. */
#include "mt.h"

enum { TAG = 3 };

static void one_size(size_t n, unsigned char *out, unsigned char *in, MPI_Comm comm, int me)
{
    MPI_Request s, r;
    MPI_Status st;
    MPI_Message msg;
    int count, flag;
    uint64_t seed = mt_seed((uint64_t)me, n, 1, 2);

    mt_fill(out, n, seed);
    MPI_Irecv(in, (int)n, MPI_BYTE, me, TAG, comm, &r);
    MPI_Send(out, (int)n, MPI_BYTE, me, TAG, comm);
    MPI_Wait(&r, &st);
    mt_verify(in, n, seed, "posted receive from self, %zu bytes", n);

    memset(in, 0, n);
    MPI_Isend(out, (int)n, MPI_BYTE, me, TAG, comm, &s);
    MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &st);
    MPI_Get_count(&st, MPI_BYTE, &count);
    mt_equal(count, (long long)n, "probed size from self");
    MPI_Recv(in, (int)n, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &st);
    MPI_Wait(&s, MPI_STATUS_IGNORE);
    mt_equal(st.MPI_SOURCE, me, "source of a message from self");
    mt_verify(in, n, seed, "unexpected message from self, %zu bytes", n);

    memset(in, 0, n);
    MPI_Issend(out, (int)n, MPI_BYTE, me, TAG, comm, &s);
    MPI_Test(&s, &flag, MPI_STATUS_IGNORE);
    mt_check(!flag, "Issend to self complete without a receive, %zu bytes", n);
    MPI_Mprobe(me, TAG, comm, &msg, &st);
    MPI_Mrecv(in, (int)n, MPI_BYTE, &msg, &st);
    MPI_Wait(&s, MPI_STATUS_IGNORE);
    mt_verify(in, n, seed, "matched probe from self, %zu bytes", n);
}

/* Many at once, received in the reverse order of their tags. */
static void many(MPI_Comm comm, int me)
{
    enum { N = 500 };
    static int out[N], in[N];
    static MPI_Request rq[2 * N];

    for (int i = 0; i < N; ++i) {
        out[i] = 1000 * me + i;
        MPI_Isend(&out[i], 1, MPI_INT, me, i, comm, &rq[i]);
    }
    for (int i = N - 1; i >= 0; --i) {
        MPI_Irecv(&in[i], 1, MPI_INT, me, i, comm, &rq[N + i]);
    }
    MPI_Waitall(2 * N, rq, MPI_STATUSES_IGNORE);
    for (int i = 0; i < N; ++i) {
        mt_equal(in[i], out[i], "message %d of many to self", i);
    }
}

int main(int argc, char **argv)
{
    size_t sizes[256], count;
    unsigned char *out, *in;

    mt_init(&argc, &argv);
    count = mt_sizes(sizes, 256, MT_BIG);
    out = mt_alloc(MT_BIG);
    in = mt_alloc(MT_BIG);
    for (size_t i = 0; i < count; ++i) {
        one_size(sizes[i], out, in, MPI_COMM_WORLD, mt_rank);
        if (i % 5 == 0) {
            one_size(sizes[i], out, in, MPI_COMM_SELF, 0);
        }
    }
    many(MPI_COMM_WORLD, mt_rank);
    many(MPI_COMM_SELF, 0);
    mt_free(out);
    mt_free(in);
    return mt_finish();
}
