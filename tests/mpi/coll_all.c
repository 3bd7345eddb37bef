/* SPDX-License-Identifier: BSD-3-Clause */
/* Allgather(v), Alltoall(v, w), Allreduce, Reduce_scatter(_block): in place and not. */
#include "coll.h"

static const MPI_Datatype LL = MPI_LONG_LONG;
static long long *a, *b;
static int *scounts, *sstarts, *rcounts, *rstarts;

static long long *block(long long *p, int r, int n)
{
    return p + (size_t)r * (size_t)n;
}

static void allgather(struct coll *c, int n, bool in_place)
{
    const void *from = in_place ? MPI_IN_PLACE : a;
    MPI_Request rq;

    coll_put(c, a, c->rank, 0, n);
    coll_put(c, b, 900, 0, c->size * n);
    if (in_place) {
        coll_put(c, block(b, c->rank, n), c->rank, 0, n);
    }
    if (c->nb) {
        MPI_Iallgather(from, n, LL, b, n, LL, c->comm, &rq);
    } else {
        MPI_Allgather(from, n, LL, b, n, LL, c->comm);
    }
    coll_wait(c, &rq);
    for (int r = 0; r < c->size; ++r) {
        coll_expect(c, block(b, r, n), r, 0, n, "Allgather");
    }
}

/* Rank r contributes r + n elements, none if r is 1; they land with gaps. */
static void allgatherv(struct coll *c, int n)
{
    int at = 2;
    MPI_Request rq;

    for (int r = 0; r < c->size; ++r) {
        rcounts[r] = 1 == r ? 0 : r + n;
        rstarts[r] = at;
        at += rcounts[r] + 2;
    }
    coll_put(c, a, c->rank, 0, rcounts[c->rank]);
    coll_put(c, b, 900, 0, at);
    if (c->nb) {
        MPI_Iallgatherv(a, rcounts[c->rank], LL, b, rcounts, rstarts, LL, c->comm, &rq);
    } else {
        MPI_Allgatherv(a, rcounts[c->rank], LL, b, rcounts, rstarts, LL, c->comm);
    }
    coll_wait(c, &rq);
    for (int r = 0; r < c->size; ++r) {
        int end = rstarts[r] + rcounts[r];
        coll_expect(c, b + rstarts[r], r, 0, rcounts[r], "Allgatherv");
        coll_expect(c, b + end, 900, end, 2, "gap of Allgatherv");
    }
}

/* What goes from r to s are the values of r from place 13 s on. */
static void alltoall(struct coll *c, int n, bool in_place)
{
    const void *from = in_place ? MPI_IN_PLACE : a;
    MPI_Request rq;

    for (int s = 0; s < c->size; ++s) {
        coll_put(c, block(in_place ? b : a, s, n), c->rank, 13 * s, n);
    }
    if (c->nb) {
        MPI_Ialltoall(from, n, LL, b, n, LL, c->comm, &rq);
    } else {
        MPI_Alltoall(from, n, LL, b, n, LL, c->comm);
    }
    coll_wait(c, &rq);
    for (int r = 0; r < c->size; ++r) {
        coll_expect(c, block(b, r, n), r, 13 * c->rank, n, "Alltoall");
    }
}

/* r sends n + r - s elements to s, or none. */
static int amount(int r, int s, int n)
{
    int k = n + r - s;

    return k > 0 && (r + s) % 5 != 4 ? k : 0;
}

static void prepare_v(struct coll *c, int n)
{
    int sat = 0, rat = 0;

    for (int r = 0; r < c->size; ++r) {
        scounts[r] = amount(c->rank, r, n);
        rcounts[r] = amount(r, c->rank, n);
        sstarts[r] = sat;
        rstarts[r] = rat;
        sat += scounts[r] + 1;
        rat += rcounts[r] + 2;
        coll_put(c, a + sstarts[r], c->rank, 13 * r, scounts[r]);
    }
    coll_put(c, b, 900, 0, rat);
}

static void check_v(struct coll *c, const char *what)
{
    for (int r = 0; r < c->size; ++r) {
        coll_expect(c, b + rstarts[r], r, 13 * c->rank, rcounts[r], what);
        coll_expect(c, b + rstarts[r] + rcounts[r], 900, rstarts[r] + rcounts[r], 2, "gap");
    }
}

static void alltoallv(struct coll *c, int n)
{
    MPI_Request rq;

    prepare_v(c, n);
    if (c->nb) {
        MPI_Ialltoallv(a, scounts, sstarts, LL, b, rcounts, rstarts, LL, c->comm, &rq);
    } else {
        MPI_Alltoallv(a, scounts, sstarts, LL, b, rcounts, rstarts, LL, c->comm);
    }
    coll_wait(c, &rq);
    check_v(c, "Alltoallv");
}

/* Odd ranks send as bytes of the same size: pairs of ints stand for one value. */
static void alltoallw(struct coll *c, int n)
{
    MPI_Datatype *types = malloc((size_t)c->size * sizeof *types);
    MPI_Request rq;

    if (!types) {
        mt_fail("no memory");
    }
    prepare_v(c, n);
    for (int r = 0; r < c->size; ++r) {
        types[r] = LL;
        sstarts[r] *= (int)sizeof(long long);
        rstarts[r] *= (int)sizeof(long long);
    }
    if (c->nb) {
        MPI_Ialltoallw(a, scounts, sstarts, types, b, rcounts, rstarts, types, c->comm, &rq);
    } else {
        MPI_Alltoallw(a, scounts, sstarts, types, b, rcounts, rstarts, types, c->comm);
    }
    coll_wait(c, &rq);
    for (int r = 0; r < c->size; ++r) {
        rstarts[r] /= (int)sizeof(long long);
    }
    check_v(c, "Alltoallw");
    free(types);
}

static long long sum_of(const struct coll *c, int i)
{
    long long s = 0;

    for (int r = 0; r < c->size; ++r) {
        s += coll_value(c, r, i);
    }
    return s;
}

static void expect_sums(const struct coll *c, const long long *p, int first, int n,
                        const char *what)
{
    for (int i = 0; i < n; ++i) {
        if (p[i] != sum_of(c, first + i)) {
            mt_fail("%s on %d ranks: element %d of %d is %lld, want %lld", what, c->size, i, n,
                    p[i], sum_of(c, first + i));
        }
    }
    mt_check(true, "%s", what);
}

static void allreduce(struct coll *c, int n, bool in_place)
{
    const void *from = in_place ? MPI_IN_PLACE : a;
    MPI_Request rq;

    coll_put(c, a, c->rank, 0, n);
    coll_put(c, b, in_place ? c->rank : 900, 0, n);
    if (c->nb) {
        MPI_Iallreduce(from, b, n, LL, MPI_SUM, c->comm, &rq);
    } else {
        MPI_Allreduce(from, b, n, LL, MPI_SUM, c->comm);
    }
    coll_wait(c, &rq);
    expect_sums(c, b, 0, n, "Allreduce");
}

static void reduce_scatter_block(struct coll *c, int n, bool in_place)
{
    const void *from = in_place ? MPI_IN_PLACE : a;
    MPI_Request rq;

    coll_put(c, in_place ? b : a, c->rank, 0, c->size * n);
    if (c->nb) {
        MPI_Ireduce_scatter_block(from, b, n, LL, MPI_SUM, c->comm, &rq);
    } else {
        MPI_Reduce_scatter_block(from, b, n, LL, MPI_SUM, c->comm);
    }
    coll_wait(c, &rq);
    expect_sums(c, b, c->rank * n, n, "Reduce_scatter_block");
}

static void reduce_scatter(struct coll *c, int n)
{
    int at = 0, mine = 0;
    MPI_Request rq;

    for (int r = 0; r < c->size; ++r) {
        rcounts[r] = 2 == r ? 0 : n + r % 3;
        mine += r < c->rank ? rcounts[r] : 0;
        at += rcounts[r];
    }
    coll_put(c, a, c->rank, 0, at);
    if (c->nb) {
        MPI_Ireduce_scatter(a, b, rcounts, LL, MPI_SUM, c->comm, &rq);
    } else {
        MPI_Reduce_scatter(a, b, rcounts, LL, MPI_SUM, c->comm);
    }
    coll_wait(c, &rq);
    expect_sums(c, b, mine, rcounts[c->rank], "Reduce_scatter");
}

static void all(struct coll *c)
{
    for (int i = 0; i < COLL_COUNTS; ++i) {
        int n = coll_counts[i];
        for (int in_place = 0; in_place < 2; ++in_place) {
            allgather(c, n, in_place);
            allreduce(c, n, in_place);
            alltoall(c, n / 2, in_place);
            reduce_scatter_block(c, n / 2, in_place);
        }
        allgatherv(c, n);
        alltoallv(c, n / 2);
        alltoallw(c, n / 2);
        reduce_scatter(c, n / 2);
    }
}

static int *ints(void)
{
    int *p = malloc((size_t)mt_size * sizeof *p);

    if (!p) {
        mt_fail("no memory");
    }
    return p;
}

int main(int argc, char **argv)
{
    size_t room;

    mt_init(&argc, &argv);
    room = (size_t)mt_size * (COLL_MOST + (size_t)mt_size + 4) + 4;
    a = coll_room(room);
    b = coll_room(room);
    scounts = ints();
    sstarts = ints();
    rcounts = ints();
    rstarts = ints();
    coll_each(all);
    mt_free(a);
    mt_free(b);
    free(scounts);
    free(sstarts);
    free(rcounts);
    free(rstarts);
    return mt_finish();
}
