/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Derived datatypes on either side or both, small to more than a MiB packed: each layout to ints,
 * ints to each layout, each layout to each other one with an equal signature. Bytes that are not
 * part of the type stay untouched.
 */
#include "dt.h"

enum { TAG = 13, BACKGROUND = 555 };

static size_t gcd(size_t a, size_t b)
{
    while (b) {
        size_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}

/* Rank 0 sends with type a, rank 1 receives with type b; `ints` divides by both. */
static void move(const struct dt *a, const struct dt *b, size_t ints, bool late)
{
    uint64_t seed = mt_seed(ints, a->ints, b->ints, late);
    const struct dt *mine = 0 == mt_rank ? a : b;
    int count = (int)(ints / mine->ints), got;
    struct dt_memory m;
    MPI_Request rq;
    MPI_Status st;

    dt_room(&m, mine, count);
    dt_background(&m, BACKGROUND);
    if (0 == mt_rank) {
        dt_put(&m, a, count, seed);
        MPI_Isend(m.at, count, a->type, 1, TAG, MPI_COMM_WORLD, &rq);
        if (late) {
            MPI_Send(NULL, 0, MPI_INT, 1, TAG + 1, MPI_COMM_WORLD);
        }
        MPI_Wait(&rq, MPI_STATUS_IGNORE);
    } else {
        if (late) {
            MPI_Recv(NULL, 0, MPI_INT, 0, TAG + 1, MPI_COMM_WORLD, &st);
        }
        MPI_Recv(m.at, count, b->type, 0, TAG, MPI_COMM_WORLD, &st);
        MPI_Get_count(&st, b->type, &got);
        mt_equal(got, count, "count of %s received from %s", b->name, a->name);
        dt_check(&m, b, count, ints, seed, BACKGROUND, "receive");
    }
    dt_unroom(&m);
}

/* A message shorter than its receive fills the first ints only. */
static void partial(const struct dt *t, int count)
{
    size_t ints = t->ints * (size_t)count, sent = ints - ints / 3;
    struct dt_memory m;
    MPI_Status st;
    int elements;

    if (0 == mt_rank) {
        int *v = malloc((sent + 1) * sizeof *v);
        if (!v) {
            mt_fail("no memory");
        }
        for (size_t k = 0; k < sent; ++k) {
            v[k] = dt_value(31, k);
        }
        MPI_Send(v, (int)sent, MPI_INT, 1, TAG, MPI_COMM_WORLD);
        free(v);
        return;
    }
    dt_room(&m, t, count);
    dt_background(&m, BACKGROUND);
    MPI_Recv(m.at, count, t->type, 0, TAG, MPI_COMM_WORLD, &st);
    MPI_Get_elements(&st, t->type, &elements);
    mt_equal(elements, (long long)sent, "elements of a part of %s", t->name);
    dt_check(&m, t, count, sent, 31, BACKGROUND, "partial receive");
    dt_unroom(&m);
}

static void one_pair(int a_kind, int b_kind, int scale, size_t least)
{
    struct dt a, b;
    size_t step, ints;

    dt_make(&a, a_kind, scale);
    dt_make(&b, b_kind, scale);
    step = a.ints / gcd(a.ints, b.ints) * b.ints;
    ints = (least + step - 1) / step * step;
    move(&a, &b, ints, false);
    move(&a, &b, ints, true);
    dt_drop(&a);
    dt_drop(&b);
}

int main(int argc, char **argv)
{
    /* ints per message: up to more than a MiB */
    static const size_t small[] = {1, 40, 700, 5000};
    static const size_t large[] = {20000, 300000};

    mt_init(&argc, &argv);
    mt_equal(mt_size, 2, "ranks of this test");
    for (int a = 0; a < dt_kinds(); ++a) {
        for (int b = 0; b < dt_kinds(); ++b) {
            for (size_t i = 0; i < sizeof small / sizeof *small; ++i) {
                one_pair(a, b, 1, small[i]);
            }
        }
    }
    for (int a = 0; a < dt_kinds(); ++a) {
        for (size_t i = 0; i < sizeof large / sizeof *large; ++i) {
            one_pair(a, 0, 100, large[i]);
            one_pair(0, a, 1, large[i]);
            one_pair(a, (a + 3) % dt_kinds(), 10, large[i]);
        }
    }
    for (int a = 0; a < dt_kinds(); ++a) {
        struct dt t;
        dt_make(&t, a, 2);
        partial(&t, 1);
        partial(&t, 50);
        partial(&t, 5000);
        dt_drop(&t);
    }
    return mt_finish();
}
