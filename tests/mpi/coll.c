/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll.h"

const int coll_counts[COLL_COUNTS] = {0, 1, 7, 1000, COLL_MOST};

static void on(MPI_Comm comm, int round, coll_fn *fn)
{
    struct coll c = {.comm = comm, .round = round};

    MPI_Comm_rank(comm, &c.rank);
    MPI_Comm_size(comm, &c.size);
    fn(&c);
    c.nb = true;
    fn(&c);
}

void coll_each(coll_fn *fn)
{
    MPI_Comm part;

    for (int k = 1; k <= mt_size; ++k) {
        MPI_Comm_split(MPI_COMM_WORLD, mt_rank < k, mt_rank, &part);
        on(part, k, fn);
        MPI_Comm_free(&part);
    }
}

long long coll_value(const struct coll *c, int r, int i)
{
    return (r + 1LL) * 1000003 + i * 17LL + c->round * 1000000007LL;
}

long long *coll_room(size_t n)
{
    return mt_alloc(n * sizeof(long long));
}

void coll_put(const struct coll *c, long long *p, int r, int first, int n)
{
    for (int i = 0; i < n; ++i) {
        p[i] = coll_value(c, r, first + i);
    }
}

void coll_expect(const struct coll *c, const long long *p, int r, int first, int n,
                 const char *what)
{
    for (int i = 0; i < n; ++i) {
        if (p[i] != coll_value(c, r, first + i)) {
            mt_fail("%s%s on %d ranks: element %d of %d from rank %d is %lld, want %lld",
                    c->nb ? "nonblocking " : "", what, c->size, i, n, r, p[i],
                    coll_value(c, r, first + i));
        }
    }
    mt_check(true, "%s", what);
}

void coll_wait(const struct coll *c, MPI_Request *rq)
{
    if (c->nb) {
        MPI_Wait(rq, MPI_STATUS_IGNORE);
    }
}
