/* SPDX-License-Identifier: BSD-3-Clause */
/* The constructors: each fills the recipe and adds blocks. */
#include "type/type.h"

#include <stdlib.h>
#include <string.h>

/* A type made of one other. */
static struct pri_type *begin_one(enum pri_combiner combiner, int ints, int addrs,
                                  struct pri_type *old)
{
    struct pri_type *type = pri_type_begin(combiner, ints, addrs, 1);
    if (type != NULL) {
        pri_type_retain(old);
        type->recipe->type[0] = old;
    }
    return type;
}

struct pri_type *pri_type_new_contiguous(int count, struct pri_type *old)
{
    struct pri_type *type = begin_one(PRI_COMBINER_CONTIGUOUS, 1, 0, old);
    if (type == NULL) {
        return NULL;
    }
    type->recipe->integer[0] = count;
    return pri_type_finish(type, pri_type_add(type, 0, 1, 0, (size_t)count, old));
}

struct pri_type *pri_type_new_vector(int count, int length, int stride, struct pri_type *old)
{
    struct pri_type *type = begin_one(PRI_COMBINER_VECTOR, 3, 0, old);
    if (type == NULL) {
        return NULL;
    }
    memcpy(type->recipe->integer, (int[]){count, length, stride}, 3 * sizeof(int));
    bool ok = pri_type_add(type, 0, (size_t)count, stride * old->extent, (size_t)length, old);
    return pri_type_finish(type, ok);
}

struct pri_type *pri_type_new_hvector(int count, int length, ptrdiff_t stride, struct pri_type *old)
{
    struct pri_type *type = begin_one(PRI_COMBINER_HVECTOR, 2, 1, old);
    if (type == NULL) {
        return NULL;
    }
    memcpy(type->recipe->integer, (int[]){count, length}, 2 * sizeof(int));
    type->recipe->addr[0] = stride;
    bool ok = pri_type_add(type, 0, (size_t)count, stride, (size_t)length, old);
    return pri_type_finish(type, ok);
}

struct pri_type *pri_type_new_indexed(int count, const int *length, const int *disp,
                                      struct pri_type *old)
{
    struct pri_type *type = begin_one(PRI_COMBINER_INDEXED, 2 * count + 1, 0, old);
    bool ok = type != NULL;
    if (ok) {
        type->recipe->integer[0] = count;
    }
    for (int i = 0; ok && i < count; i++) {
        type->recipe->integer[1 + i] = length[i];
        type->recipe->integer[1 + count + i] = disp[i];
        ok = pri_type_add(type, disp[i] * old->extent, 1, 0, (size_t)length[i], old);
    }
    return pri_type_finish(type, ok);
}

struct pri_type *pri_type_new_hindexed(int count, const int *length, const ptrdiff_t *disp,
                                       struct pri_type *old)
{
    struct pri_type *type = begin_one(PRI_COMBINER_HINDEXED, count + 1, count, old);
    bool ok = type != NULL;
    if (ok) {
        type->recipe->integer[0] = count;
    }
    for (int i = 0; ok && i < count; i++) {
        type->recipe->integer[1 + i] = length[i];
        type->recipe->addr[i] = disp[i];
        ok = pri_type_add(type, disp[i], 1, 0, (size_t)length[i], old);
    }
    return pri_type_finish(type, ok);
}

struct pri_type *pri_type_new_indexed_block(int count, int length, const int *disp,
                                            struct pri_type *old)
{
    struct pri_type *type = begin_one(PRI_COMBINER_INDEXED_BLOCK, count + 2, 0, old);
    bool ok = type != NULL;
    if (ok) {
        memcpy(type->recipe->integer, (int[]){count, length}, 2 * sizeof(int));
    }
    for (int i = 0; ok && i < count; i++) {
        type->recipe->integer[2 + i] = disp[i];
        ok = pri_type_add(type, disp[i] * old->extent, 1, 0, (size_t)length, old);
    }
    return pri_type_finish(type, ok);
}

struct pri_type *pri_type_new_hindexed_block(int count, int length, const ptrdiff_t *disp,
                                             struct pri_type *old)
{
    struct pri_type *type = begin_one(PRI_COMBINER_HINDEXED_BLOCK, 2, count, old);
    bool ok = type != NULL;
    if (ok) {
        memcpy(type->recipe->integer, (int[]){count, length}, 2 * sizeof(int));
    }
    for (int i = 0; ok && i < count; i++) {
        type->recipe->addr[i] = disp[i];
        ok = pri_type_add(type, disp[i], 1, 0, (size_t)length, old);
    }
    return pri_type_finish(type, ok);
}

struct pri_type *pri_type_new_struct(int count, const int *length, const ptrdiff_t *disp,
                                     struct pri_type *const *old)
{
    struct pri_type *type = pri_type_begin(PRI_COMBINER_STRUCT, count + 1, count, count);
    bool ok = type != NULL;
    if (ok) {
        type->recipe->integer[0] = count;
    }
    for (int i = 0; ok && i < count; i++) {
        type->recipe->integer[1 + i] = length[i];
        type->recipe->addr[i] = disp[i];
        pri_type_retain(old[i]);
        type->recipe->type[i] = old[i];
        ok = pri_type_add(type, disp[i], 1, 0, (size_t)length[i], old[i]);
    }
    return pri_type_finish(type, ok);
}

/* Sets both bounds, as if by marks, of a type that is being made. */
static void set_bounds(struct pri_type *type, ptrdiff_t lb, ptrdiff_t extent)
{
    type->lb = lb;
    type->extent = lb + extent;
    type->lb_marked = true;
    type->ub_marked = true;
}

struct pri_type *pri_type_new_resized(struct pri_type *old, ptrdiff_t lb, ptrdiff_t extent)
{
    struct pri_type *type = begin_one(PRI_COMBINER_RESIZED, 0, 2, old);
    if (type == NULL) {
        return NULL;
    }
    type->recipe->addr[0] = lb;
    type->recipe->addr[1] = extent;
    bool ok = pri_type_add(type, 0, 1, 0, 1, old);
    set_bounds(type, lb, extent);
    return pri_type_finish(type, ok);
}

struct pri_type *pri_type_new_dup(struct pri_type *old)
{
    struct pri_type *type = begin_one(PRI_COMBINER_DUP, 0, 0, old);
    if (type == NULL) {
        return NULL;
    }
    type = pri_type_finish(type, pri_type_add(type, 0, 1, 0, 1, old));
    if (type != NULL) {
        type->lb = old->lb;
        type->extent = old->extent;
        type->committed = old->committed;
    }
    return type;
}

/* One more dimension around `inner`, which the new type holds: `count` of it, `stride` bytes
 * apart. */
static struct pri_type *dimension(struct pri_type *inner, ptrdiff_t disp, int count,
                                  ptrdiff_t stride)
{
    struct pri_type *type = pri_type_begin(PRI_COMBINER_HVECTOR, 0, 0, 0);
    bool ok = type != NULL && pri_type_hold(type, inner);
    if (type == NULL) {
        pri_type_release(inner);
    }
    return pri_type_finish(type, ok && pri_type_add(type, disp, (size_t)count, stride, 1, inner));
}

static void subarray_recipe(struct pri_recipe *recipe, int dims, const int *sizes,
                            const int *subsizes, const int *starts, bool fortran)
{
    recipe->integer[0] = dims;
    memcpy(recipe->integer + 1, sizes, (size_t)dims * sizeof(int));
    memcpy(recipe->integer + 1 + dims, subsizes, (size_t)dims * sizeof(int));
    memcpy(recipe->integer + 1 + 2 * dims, starts, (size_t)dims * sizeof(int));
    recipe->integer[1 + 3 * dims] = fortran ? PRI_ORDER_FORTRAN : PRI_ORDER_C;
}

struct pri_type *pri_type_new_subarray(int dims, const int *sizes, const int *subsizes,
                                       const int *starts, bool fortran, struct pri_type *old)
{
    struct pri_type *type = begin_one(PRI_COMBINER_SUBARRAY, 3 * dims + 2, 0, old), *inner = old;
    if (type == NULL) {
        return NULL;
    }
    subarray_recipe(type->recipe, dims, sizes, subsizes, starts, fortran);
    pri_type_retain(old);
    ptrdiff_t stride = old->extent;
    for (int i = 0; inner != NULL && i < dims; i++) {
        int d = fortran ? i : dims - 1 - i;
        inner = dimension(inner, starts[d] * stride, subsizes[d], stride);
        stride *= sizes[d];
    }
    bool ok = inner != NULL && pri_type_hold(type, inner) && pri_type_add(type, 0, 1, 0, 1, inner);
    set_bounds(type, 0, stride);
    return pri_type_finish(type, ok);
}
