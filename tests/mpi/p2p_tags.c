/* SPDX-License-Identifier: BSD-3-Clause */
/* Tags over their whole range, many at once; wild tags never see the traffic of collectives. */
#include "mt.h"

static int upper_bound(void)
{
    int *value, flag = 0;

    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &flag);
    mt_check(flag, "MPI_TAG_UB is not set");
    mt_check(*value >= 32767, "MPI_TAG_UB is %d, less than the standard's 32767", *value);
    return *value;
}

/* 0, all powers of two with their neighbours up to the bound, and random ones. No tag twice. */
static int choose(int *tags, int max, int bound)
{
    uint64_t s = 61;
    int n = 0;

    for (long long p = 1; p <= bound; p *= 2) {
        for (int d = -1; d <= 1; ++d) {
            if (p + d <= bound && (0 == n || p + d > tags[n - 1])) {
                tags[n++] = (int)(p + d);
            }
        }
    }
    if (tags[n - 1] != bound) {
        tags[n++] = bound;
    }
    while (n < max) {
        int t = (int)mt_below(&s, (uint64_t)bound + 1);
        bool known = false;
        for (int i = 0; i < n; ++i) {
            known = known || tags[i] == t;
        }
        if (!known) {
            tags[n++] = t;
        }
    }
    return n;
}

static void everywhere(const int *tags, int n)
{
    MPI_Request rq[512];
    MPI_Status st[512];
    int in[512];

    if (0 == mt_rank) {
        for (int i = 0; i < n; ++i) {
            MPI_Isend(&tags[i], 1, MPI_INT, 1, tags[i], MPI_COMM_WORLD, &rq[i]);
        }
        MPI_Waitall(n, rq, MPI_STATUSES_IGNORE);
        return;
    }
    for (int k = 0; k < n; ++k) {
        int i = k * 7 % n;
        MPI_Irecv(&in[i], 1, MPI_INT, 0, tags[i], MPI_COMM_WORLD, &rq[i]);
    }
    MPI_Waitall(n, rq, st);
    for (int i = 0; i < n; ++i) {
        mt_equal(in[i], tags[i], "value sent with tag %d", tags[i]);
        mt_equal(st[i].MPI_TAG, tags[i], "tag in the status");
    }
}

/* A receive that is wild in everything waits while collectives run; they must not feed it. */
static void wild_and_collectives(int bound)
{
    int v = -1, sum = 0, big[5000] = {0}, flag = 0, other = 1 - mt_rank;
    MPI_Request rq, bar;
    MPI_Status st;

    for (int round = 0; round < 50; ++round) {
        MPI_Irecv(&v, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &rq);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Ibarrier(MPI_COMM_WORLD, &bar);
        MPI_Allreduce(&mt_rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        big[17] = round;
        MPI_Bcast(big, 5000, MPI_INT, round % 2, MPI_COMM_WORLD);
        mt_equal(big[17], round, "value of a broadcast");
        MPI_Wait(&bar, MPI_STATUS_IGNORE);
        mt_equal(sum, 1, "sum of the ranks");
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &st);
        mt_check(!flag, "wild probe sees a message of a collective: tag %d", st.MPI_TAG);
        MPI_Test(&rq, &flag, &st);
        mt_check(!flag, "wild receive took a message of a collective: tag %d", st.MPI_TAG);
        /* both must have looked before the real message is sent */
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Send(&round, 1, MPI_INT, other, bound, MPI_COMM_WORLD);
        MPI_Wait(&rq, &st);
        mt_equal(v, round, "value of the wild receive");
        mt_equal(st.MPI_TAG, bound, "tag of the wild receive");
    }
}

int main(int argc, char **argv)
{
    int tags[512], n, bound;

    mt_init(&argc, &argv);
    mt_equal(mt_size, 2, "ranks of this test");
    bound = upper_bound();
    n = choose(tags, 512, bound);
    for (int round = 0; round < 10; ++round) {
        everywhere(tags, n);
    }
    wild_and_collectives(bound);
    return mt_finish();
}
