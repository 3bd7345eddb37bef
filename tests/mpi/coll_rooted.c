/* SPDX-License-Identifier: BSD-3-Clause */
/* Bcast, Gather(v), Scatter(v), Reduce and Barrier: from every root, in place and not. */
#include "coll.h"

static const MPI_Datatype LL = MPI_LONG_LONG;
static long long *a, *b;
static int *counts, *starts;

static void bcast(struct coll *c, int root, int n)
{
    MPI_Request rq;

    coll_put(c, a, c->rank == root ? root : 900, 0, n);
    if (c->nb) {
        MPI_Ibcast(a, n, LL, root, c->comm, &rq);
    } else {
        MPI_Bcast(a, n, LL, root, c->comm);
    }
    coll_wait(c, &rq);
    coll_expect(c, a, root, 0, n, "Bcast");
}

/* The root sends contiguous elements, the others receive into every other one. The counts are
 * equal: segmenting algorithms of Open MPI lock up when only the signatures are. */
static void bcast_typed(struct coll *c, int root, int n)
{
    MPI_Datatype padded;
    MPI_Request rq;
    bool mine = c->rank == root;

    MPI_Type_create_resized(LL, 0, 2 * sizeof(long long), &padded);
    MPI_Type_commit(&padded);
    coll_put(c, a, mine ? root : 900, 0, mine ? n : 2 * n);
    if (c->nb) {
        MPI_Ibcast(a, n, mine ? LL : padded, root, c->comm, &rq);
    } else {
        MPI_Bcast(a, n, mine ? LL : padded, root, c->comm);
    }
    coll_wait(c, &rq);
    for (int i = 0; i < n && !mine; ++i) {
        mt_check(a[2 * i] == coll_value(c, root, i), "typed Bcast: element %d", i);
        mt_check(a[2 * i + 1] == coll_value(c, 900, 2 * i + 1), "gap %d changed", i);
    }
    MPI_Type_free(&padded);
}

static void gather(struct coll *c, int root, int n, bool in_place)
{
    bool mine = c->rank == root;
    const void *from = mine && in_place ? MPI_IN_PLACE : a;
    MPI_Request rq;

    coll_put(c, a, c->rank, 0, n);
    coll_put(c, b, 900, 0, c->size * n);
    if (mine && in_place) {
        coll_put(c, b + (size_t)root * (size_t)n, root, 0, n);
    }
    if (c->nb) {
        MPI_Igather(from, n, LL, b, n, LL, root, c->comm, &rq);
    } else {
        MPI_Gather(from, n, LL, b, n, LL, root, c->comm);
    }
    coll_wait(c, &rq);
    for (int r = 0; mine && r < c->size; ++r) {
        coll_expect(c, b + (size_t)r * (size_t)n, r, 0, n, "Gather");
    }
}

/* Rank r has r + n elements; in the root they lie in reverse order with gaps of 3. */
static void irregular(struct coll *c, int n)
{
    int at = 0;

    for (int r = c->size - 1; r >= 0; --r) {
        counts[r] = r + n;
        starts[r] = at;
        at += counts[r] + 3;
    }
}

static void gatherv(struct coll *c, int root, int n)
{
    MPI_Request rq;

    irregular(c, n);
    coll_put(c, a, c->rank, 0, counts[c->rank]);
    coll_put(c, b, 900, 0, starts[0] + counts[0] + 3);
    if (c->nb) {
        MPI_Igatherv(a, counts[c->rank], LL, b, counts, starts, LL, root, c->comm, &rq);
    } else {
        MPI_Gatherv(a, counts[c->rank], LL, b, counts, starts, LL, root, c->comm);
    }
    coll_wait(c, &rq);
    for (int r = 0; c->rank == root && r < c->size; ++r) {
        coll_expect(c, b + starts[r], r, 0, counts[r], "Gatherv");
        coll_expect(c, b + starts[r] + counts[r], 900, starts[r] + counts[r], 3, "gap of Gatherv");
    }
}

static void scatter(struct coll *c, int root, int n, bool in_place)
{
    bool mine = c->rank == root;
    void *to = mine && in_place ? MPI_IN_PLACE : a;
    MPI_Request rq;

    for (int r = 0; r < c->size; ++r) {
        coll_put(c, b + (size_t)r * (size_t)n, r, root, n);
    }
    coll_put(c, a, 900, 0, n);
    if (c->nb) {
        MPI_Iscatter(b, n, LL, to, n, LL, root, c->comm, &rq);
    } else {
        MPI_Scatter(b, n, LL, to, n, LL, root, c->comm);
    }
    coll_wait(c, &rq);
    if (mine && in_place) {
        coll_expect(c, b + (size_t)root * (size_t)n, root, root, n, "Scatter in place");
    } else {
        coll_expect(c, a, c->rank, root, n, "Scatter");
    }
}

static void scatterv(struct coll *c, int root, int n)
{
    MPI_Request rq;

    irregular(c, n);
    for (int r = 0; r < c->size; ++r) {
        coll_put(c, b + starts[r], r, root, counts[r]);
    }
    coll_put(c, a, 900, 0, counts[c->rank]);
    if (c->nb) {
        MPI_Iscatterv(b, counts, starts, LL, a, counts[c->rank], LL, root, c->comm, &rq);
    } else {
        MPI_Scatterv(b, counts, starts, LL, a, counts[c->rank], LL, root, c->comm);
    }
    coll_wait(c, &rq);
    coll_expect(c, a, c->rank, root, counts[c->rank], "Scatterv");
}

static void reduce(struct coll *c, int root, int n, bool in_place)
{
    bool mine = c->rank == root;
    const void *from = mine && in_place ? MPI_IN_PLACE : a;
    MPI_Request rq;

    coll_put(c, a, c->rank, 0, n);
    coll_put(c, b, mine && in_place ? c->rank : 900, 0, n);
    if (c->nb) {
        MPI_Ireduce(from, b, n, LL, MPI_SUM, root, c->comm, &rq);
    } else {
        MPI_Reduce(from, b, n, LL, MPI_SUM, root, c->comm);
    }
    coll_wait(c, &rq);
    for (int i = 0; mine && i < n; ++i) {
        long long want = 0;
        for (int r = 0; r < c->size; ++r) {
            want += coll_value(c, r, i);
        }
        if (b[i] != want) {
            mt_fail("Reduce on %d ranks: element %d is %lld, want %lld", c->size, i, b[i], want);
        }
    }
    mt_check(true, "Reduce");
}

/* Nobody leaves a barrier before all have come: the late rank enters when all others have told it
 * that they wait. */
static void barrier(struct coll *c, int late)
{
    int flag;
    MPI_Request rq;

    for (int r = 1; c->rank == late && r < c->size; ++r) {
        MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, 3, c->comm, MPI_STATUS_IGNORE);
    }
    if (!c->nb) {
        if (c->rank != late) {
            MPI_Send(NULL, 0, MPI_INT, late, 3, c->comm);
        }
        MPI_Barrier(c->comm);
        return;
    }
    MPI_Ibarrier(c->comm, &rq);
    if (c->rank != late) {
        MPI_Test(&rq, &flag, MPI_STATUS_IGNORE);
        mt_check(!flag, "Ibarrier complete before rank %d has come", late);
        MPI_Send(NULL, 0, MPI_INT, late, 3, c->comm);
    }
    MPI_Wait(&rq, MPI_STATUS_IGNORE);
}

static void all(struct coll *c)
{
    for (int late = 0; late < c->size; ++late) {
        barrier(c, late);
    }
    for (int i = 0; i < COLL_COUNTS; ++i) {
        int n = coll_counts[i];
        /* all roots for short ones, two roots for long ones */
        int step = n > 100 && c->size > 1 ? c->size - 1 : 1;
        for (int root = 0; root < c->size; root += step) {
            bcast(c, root, n);
            bcast_typed(c, root, n / 2);
            gather(c, root, n, false);
            gather(c, root, n, true);
            gatherv(c, root, n);
            scatter(c, root, n, false);
            scatter(c, root, n, true);
            scatterv(c, root, n);
            reduce(c, root, n, false);
            reduce(c, root, n, true);
        }
    }
}

int main(int argc, char **argv)
{
    size_t room;

    mt_init(&argc, &argv);
    room = (size_t)mt_size * (COLL_MOST + (size_t)mt_size + 4);
    a = coll_room(room);
    b = coll_room(room);
    counts = malloc((size_t)mt_size * sizeof *counts);
    starts = malloc((size_t)mt_size * sizeof *starts);
    if (!counts || !starts) {
        mt_fail("no memory");
    }
    coll_each(all);
    mt_free(a);
    mt_free(b);
    free(counts);
    free(starts);
    return mt_finish();
}
