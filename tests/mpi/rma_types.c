/* SPDX-License-Identifier: BSD-3-Clause */
/* Put, Get and Accumulate with derived datatypes at the origin, at the target, at both. -most INTS
 * leaves out those of more, -accumulate INTS those of more that accumulate, unless all of the ints
 * are one piece. */
#include "dt.h"
#include "rma.h"

enum { BACKGROUND = 99, MOST = 1 << 20 };

struct pair {
    struct dt origin, target;
    int origin_count, target_count;
    size_t ints;
};

static bool make_pair(struct pair *p, int a, int b, size_t least)
{
    size_t x, y;

    dt_make(&p->origin, a, 1);
    dt_make(&p->target, b, 1);
    for (x = p->origin.ints, y = p->target.ints; y;) {
        size_t r = x % y;
        x = y;
        y = r;
    }
    p->ints = p->origin.ints / x * p->target.ints;
    p->ints *= (least + p->ints - 1) / p->ints;
    p->origin_count = (int)(p->ints / p->origin.ints);
    p->target_count = (int)(p->ints / p->target.ints);
    return p->target.high + p->target_count * p->target.extent < MOST / 2;
}

static void drop_pair(struct pair *p)
{
    dt_drop(&p->origin);
    dt_drop(&p->target);
}

/* Where the data starts in the window. MPI wants displacements that are not negative, so a type
 * that begins behind its address starts as far in. */
static ptrdiff_t start_of(const struct dt *t)
{
    return t->low > 0 ? t->low : 0;
}

/* The window as memory of the target's type. */
static struct dt_memory window_memory(struct rma *w, const struct pair *p)
{
    const struct dt *t = &p->target;
    struct dt_memory m = {.base = w->base + start_of(t)};

    m.bytes = (size_t)(t->high - t->low + (p->target_count - 1) * t->extent);
    m.at = m.base - t->low;
    return m;
}

static MPI_Aint target_at(const struct rma *w, const struct pair *p, int rank)
{
    return rma_at(w, rank, (size_t)(start_of(&p->target) - p->target.low));
}

/* Each rank puts to its right neighbour, or accumulates over zeros. */
static void out(struct rma *w, struct pair *p, bool accumulate)
{
    int right = (mt_rank + 1) % mt_size, left = (mt_rank + mt_size - 1) % mt_size;
    uint64_t seed = mt_seed((uint64_t)mt_rank, p->ints, 4, accumulate);
    uint64_t theirs = mt_seed((uint64_t)left, p->ints, 4, accumulate);
    struct dt_memory m, win = window_memory(w, p);
    MPI_Aint at = target_at(w, p, right);

    dt_room(&m, &p->origin, p->origin_count);
    dt_background(&m, BACKGROUND);
    dt_put(&m, &p->origin, p->origin_count, seed);
    dt_background(&win, BACKGROUND);
    MPI_Win_fence(0, w->win);
    if (accumulate) {
        MPI_Accumulate(m.at, p->origin_count, p->origin.type, right, at, p->target_count,
                       p->target.type, MPI_REPLACE, w->win);
    } else {
        MPI_Put(m.at, p->origin_count, p->origin.type, right, at, p->target_count, p->target.type,
                w->win);
    }
    MPI_Win_fence(0, w->win);
    dt_check(&win, &p->target, p->target_count, p->ints, theirs, BACKGROUND,
             accumulate ? "Accumulate" : "Put");
    MPI_Barrier(MPI_COMM_WORLD);
    dt_unroom(&m);
}

static void in(struct rma *w, struct pair *p)
{
    int right = (mt_rank + 1) % mt_size;
    struct dt_memory m, win = window_memory(w, p);
    MPI_Aint at = target_at(w, p, right);

    dt_background(&win, BACKGROUND);
    dt_put(&win, &p->target, p->target_count, mt_seed((uint64_t)mt_rank, p->ints, 5, 5));
    dt_room(&m, &p->origin, p->origin_count);
    dt_background(&m, BACKGROUND);
    MPI_Win_fence(0, w->win);
    MPI_Get(m.at, p->origin_count, p->origin.type, right, at, p->target_count, p->target.type,
            w->win);
    MPI_Win_fence(0, w->win);
    dt_check(&m, &p->origin, p->origin_count, p->ints, mt_seed((uint64_t)right, p->ints, 5, 5),
             BACKGROUND, "Get");
    MPI_Barrier(MPI_COMM_WORLD);
    dt_unroom(&m);
}

int main(int argc, char **argv)
{
    static const size_t sizes[] = {1, 300, 5000};
    struct rma w;

    mt_init(&argc, &argv);
    size_t most = (size_t)mt_option(argc, argv, "-most", MOST);
    size_t accumulate = (size_t)mt_option(argc, argv, "-accumulate", MOST);
    for (int kind = 0; kind < rma_kinds(); ++kind) {
        rma_open(&w, kind, MOST);
        for (int a = 0; a < dt_kinds(); ++a) {
            for (int k = 0; k < 3; ++k) {
                /* ints on one side, or two different layouts */
                int b = 0 == k ? 0 : 1 == k ? a : (a + 4) % dt_kinds();
                for (size_t i = 0; i < sizeof sizes / sizeof *sizes && sizes[i] <= most; ++i) {
                    struct pair p;
                    if (make_pair(&p, a, b, sizes[i])) {
                        out(&w, &p, false);
                        if (sizes[i] <= accumulate || (0 == a && 0 == b)) {
                            out(&w, &p, true);
                        }
                        in(&w, &p);
                    }
                    drop_pair(&p);
                }
            }
        }
        rma_close(&w);
    }
    return mt_finish();
}
