/* SPDX-License-Identifier: BSD-3-Clause */
/* The part of one process of an array that is dealt out to a grid of processes (MPI 3.1, 4.1.4). */
#include <string.h>

#include "type/type.h"

/* One dimension: its length, and how it is dealt out to how many processes, of which this is the
 * one at `at`. */
struct deal {
    long long length, kind, argument, processes, at;
};

/* Elements in a row, and after how many the next row of this process begins. */
static void rows_of(const struct deal *deal, long long *row, long long *step)
{
    long long length = deal->length, n = deal->processes, argument = deal->argument;

    if (deal->kind == PRI_DISTRIBUTE_NONE) {
        *row = length;
    } else if (argument != PRI_DISTRIBUTE_DFLT_DARG) {
        *row = argument;
    } else {
        *row = deal->kind == PRI_DISTRIBUTE_BLOCK ? (length + n - 1) / n : 1;
    }
    *step = *row * n;
}

/* One more dimension around `inner`, of which this is the last reference; elements are `stride`
 * bytes apart. */
static struct pri_type *deal_out(struct pri_type *inner, const struct deal *deal, ptrdiff_t stride)
{
    struct pri_type *type = pri_type_begin(PRI_COMBINER_HVECTOR, 0, 0, 0);
    bool ok = type != NULL && pri_type_hold(type, inner);
    long long row, step, at;

    if (type == NULL) {
        pri_type_release(inner);
    }
    rows_of(deal, &row, &step);
    at = deal->at * row;
    if (row == 1 && at < deal->length) {
        long long count = (deal->length - at + step - 1) / step;

        return pri_type_finish(type, ok && pri_type_add(type, (ptrdiff_t)at * stride, (size_t)count,
                                                        (ptrdiff_t)step * stride, 1, inner));
    }
    for (; ok && at < deal->length; at += step) {
        long long count = deal->length - at < row ? deal->length - at : row;

        ok = pri_type_add(type, (ptrdiff_t)at * stride, (size_t)count, stride, 1, inner);
    }
    return pri_type_finish(type, ok);
}

static void write_recipe(struct pri_recipe *recipe, const struct pri_darray *darray)
{
    size_t bytes = (size_t)darray->dims * sizeof(long long);
    long long *to = recipe->integer;
    int n = darray->dims;

    to[0] = darray->size;
    to[1] = darray->rank;
    to[2] = n;
    memcpy(to + 3, darray->lengths, bytes);
    memcpy(to + 3 + n, darray->kinds, bytes);
    memcpy(to + 3 + 2 * n, darray->arguments, bytes);
    memcpy(to + 3 + 3 * n, darray->processes, bytes);
    to[3 + 4 * n] = darray->fortran ? PRI_ORDER_FORTRAN : PRI_ORDER_C;
}

/* Where the process is in dimension d of the grid, which is in the order of C whatever the array's
 * is. */
static long long place_in(const struct pri_darray *darray, int d)
{
    long long behind = 1;

    for (int i = d + 1; i < darray->dims; i++) {
        behind *= darray->processes[i];
    }
    return darray->rank / behind % darray->processes[d];
}

struct pri_type *pri_type_new_darray(const struct pri_darray *darray, struct pri_type *old)
{
    struct pri_type *type = pri_type_begin(PRI_COMBINER_DARRAY, 4 * darray->dims + 4, 0, 1);
    struct pri_type *inner = old;
    ptrdiff_t stride = old->extent;
    bool ok;

    if (type == NULL) {
        return NULL;
    }
    pri_type_retain(old);
    type->recipe->type[0] = old;
    write_recipe(type->recipe, darray);
    pri_type_retain(old);
    for (int i = 0; inner != NULL && i < darray->dims; i++) {
        int d = darray->fortran ? i : darray->dims - 1 - i;
        const struct deal deal = {darray->lengths[d], darray->kinds[d], darray->arguments[d],
                                  darray->processes[d], place_in(darray, d)};

        inner = deal_out(inner, &deal, stride);
        stride *= darray->lengths[d];
    }
    ok = inner != NULL && pri_type_hold(type, inner) && pri_type_add(type, 0, 1, 0, 1, inner);
    type->lb = 0;
    type->extent = stride; /* the upper bound, until it is finished */
    type->lb_marked = true;
    type->ub_marked = true;
    return pri_type_finish(type, ok);
}
