/* SPDX-License-Identifier: BSD-3-Clause */
/* Scan, Exscan and every predefined operation; user operations, also one that does not commute. */
#include "coll.h"

#include <math.h>

/* Affine maps x -> m x + k over unsigned 32 bits: composing them is associative, not
 * commutative. */
struct affine {
    uint32_t m, k;
};

static void compose(void *in, void *inout, int *len, MPI_Datatype *type)
{
    struct affine *f = in, *g = inout;

    (void)type;
    for (int i = 0; i < *len; ++i) {
        /* first f, which comes from the lower ranks, then g */
        g[i].k += g[i].m * f[i].k;
        g[i].m *= f[i].m;
    }
}

static struct affine map_of(const struct coll *c, int r, int i)
{
    uint64_t s = mt_seed((uint64_t)c->round, (uint64_t)r, (uint64_t)i, 5);

    return (struct affine){.m = (uint32_t)mt_next(&s) | 1, .k = (uint32_t)mt_next(&s)};
}

static struct affine composed(const struct coll *c, int from, int to, int i)
{
    struct affine all = map_of(c, from, i);

    for (int r = from + 1; r < to; ++r) {
        struct affine g = map_of(c, r, i);
        all.k = g.k + g.m * all.k;
        all.m *= g.m;
    }
    return all;
}

static void expect_maps(const struct coll *c, const struct affine *got, int to, int n,
                        const char *what)
{
    for (int i = 0; i < n; ++i) {
        struct affine want = composed(c, 0, to, i);
        if (got[i].m != want.m || got[i].k != want.k) {
            mt_fail("%s of maps on %d ranks: element %d is %u x + %u, want %u x + %u", what,
                    c->size, i, got[i].m, got[i].k, want.m, want.k);
        }
    }
    mt_check(true, "%s", what);
}

/* Reduce to the last rank, Allreduce, Scan, Exscan, with an operation that does not commute. */
static void noncommuting(struct coll *c, int n)
{
    struct affine *mine = mt_alloc((size_t)n * sizeof *mine),
                  *got = mt_alloc((size_t)n * sizeof *got);
    MPI_Datatype type;
    MPI_Request rq;
    MPI_Op op;

    MPI_Type_contiguous(2, MPI_UINT32_T, &type);
    MPI_Type_commit(&type);
    MPI_Op_create(compose, 0, &op);
    for (int i = 0; i < n; ++i) {
        mine[i] = map_of(c, c->rank, i);
    }
    if (c->nb) {
        MPI_Iallreduce(mine, got, n, type, op, c->comm, &rq);
        coll_wait(c, &rq);
        expect_maps(c, got, c->size, n, "Iallreduce");
        MPI_Iscan(mine, got, n, type, op, c->comm, &rq);
        coll_wait(c, &rq);
        expect_maps(c, got, c->rank + 1, n, "Iscan");
        MPI_Iexscan(mine, got, n, type, op, c->comm, &rq);
        coll_wait(c, &rq);
    } else {
        MPI_Reduce(mine, got, n, type, op, c->size - 1, c->comm);
        if (c->rank == c->size - 1) {
            expect_maps(c, got, c->size, n, "Reduce");
        }
        MPI_Allreduce(mine, got, n, type, op, c->comm);
        expect_maps(c, got, c->size, n, "Allreduce");
        MPI_Scan(mine, got, n, type, op, c->comm);
        expect_maps(c, got, c->rank + 1, n, "Scan");
        MPI_Exscan(mine, got, n, type, op, c->comm);
    }
    if (c->rank > 0) {
        expect_maps(c, got, c->rank, n, "Exscan");
    }
    MPI_Op_free(&op);
    MPI_Type_free(&type);
    mt_free(mine);
    mt_free(got);
}

/* An operation as C sees it, for the reference. */
static unsigned apply(MPI_Op op, unsigned x, unsigned y)
{
    if (MPI_SUM == op) {
        return x + y;
    } else if (MPI_PROD == op) {
        return x * y;
    } else if (MPI_MAX == op) {
        return x > y ? x : y;
    } else if (MPI_MIN == op) {
        return x < y ? x : y;
    } else if (MPI_LAND == op) {
        return x && y;
    } else if (MPI_LOR == op) {
        return x || y;
    } else if (MPI_LXOR == op) {
        return !x != !y;
    } else if (MPI_BAND == op) {
        return x & y;
    } else if (MPI_BOR == op) {
        return x | y;
    }
    return x ^ y; /* MPI_BXOR */
}

static unsigned operand(int r, int i)
{
    return (unsigned)(mt_seed((uint64_t)r, (uint64_t)i, 1, 1) >> (i % 3 ? 40 : 63));
}

static void predefined(struct coll *c, int n)
{
    const MPI_Op ops[] = {MPI_SUM, MPI_PROD, MPI_MAX,  MPI_MIN, MPI_LAND,
                          MPI_LOR, MPI_LXOR, MPI_BAND, MPI_BOR, MPI_BXOR};
    unsigned *mine = mt_alloc((size_t)n * sizeof *mine), *got = mt_alloc((size_t)n * sizeof *got);
    MPI_Request rq;

    for (size_t k = 0; k < sizeof ops / sizeof *ops; ++k) {
        for (int i = 0; i < n; ++i) {
            mine[i] = operand(c->rank, i);
        }
        if (c->nb) {
            MPI_Iallreduce(mine, got, n, MPI_UNSIGNED, ops[k], c->comm, &rq);
        } else {
            MPI_Allreduce(mine, got, n, MPI_UNSIGNED, ops[k], c->comm);
        }
        coll_wait(c, &rq);
        for (int i = 0; i < n; ++i) {
            unsigned want = operand(0, i);
            for (int r = 1; r < c->size; ++r) {
                want = apply(ops[k], want, operand(r, i));
            }
            mt_equal(got[i], want, "operation %zu, element %d", k, i);
        }
    }
    mt_free(mine);
    mt_free(got);
}

struct double_int {
    double v;
    int at;
};

/* Ties go to the lower index. */
static void locations(struct coll *c)
{
    enum { N = 50 };
    struct double_int mine[N], high[N], low[N];

    for (int i = 0; i < N; ++i) {
        mine[i].v = (c->rank * 7 + i) % 5;
        mine[i].at = 100 + c->rank;
    }
    MPI_Allreduce(mine, high, N, MPI_DOUBLE_INT, MPI_MAXLOC, c->comm);
    MPI_Allreduce(mine, low, N, MPI_DOUBLE_INT, MPI_MINLOC, c->comm);
    for (int i = 0; i < N; ++i) {
        int hi = 0, lo = 0;
        for (int r = 1; r < c->size; ++r) {
            hi = (r * 7 + i) % 5 > (hi * 7 + i) % 5 ? r : hi;
            lo = (r * 7 + i) % 5 < (lo * 7 + i) % 5 ? r : lo;
        }
        mt_equal(high[i].at, 100 + hi, "MAXLOC, element %d", i);
        mt_equal(low[i].at, 100 + lo, "MINLOC, element %d", i);
    }
}

/* Sums of small integers in doubles are exact in any order. */
static void doubles(struct coll *c, int n)
{
    double *mine = mt_alloc((size_t)n * sizeof *mine);

    for (int i = 0; i < n; ++i) {
        mine[i] = c->rank + i;
    }
    MPI_Allreduce(MPI_IN_PLACE, mine, n, MPI_DOUBLE, MPI_SUM, c->comm);
    for (int i = 0; i < n; ++i) {
        double want = (double)c->size * (c->size - 1) / 2 + (double)c->size * i;
        mt_check(fabs(mine[i] - want) < 0.5, "sum of doubles, element %d: %g, want %g", i, mine[i],
                 want);
    }
    mt_free(mine);
}

static void scan_in_place(struct coll *c, int n)
{
    long long *p = coll_room((size_t)n), want;
    MPI_Request rq;

    coll_put(c, p, c->rank, 0, n);
    if (c->nb) {
        MPI_Iscan(MPI_IN_PLACE, p, n, MPI_LONG_LONG, MPI_SUM, c->comm, &rq);
    } else {
        MPI_Scan(MPI_IN_PLACE, p, n, MPI_LONG_LONG, MPI_SUM, c->comm);
    }
    coll_wait(c, &rq);
    for (int i = 0; i < n; ++i) {
        want = 0;
        for (int r = 0; r <= c->rank; ++r) {
            want += coll_value(c, r, i);
        }
        mt_equal(p[i], want, "Scan in place, element %d", i);
    }
    mt_free(p);
}

static void all(struct coll *c)
{
    static const int counts[] = {1, 6, 500, 9000};

    for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i) {
        noncommuting(c, counts[i]);
        predefined(c, counts[i] > 600 ? 600 : counts[i]);
        scan_in_place(c, counts[i]);
        doubles(c, counts[i]);
    }
    locations(c);
}

int main(int argc, char **argv)
{
    mt_init(&argc, &argv);
    coll_each(all);
    return mt_finish();
}
