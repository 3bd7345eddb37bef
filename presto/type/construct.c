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

struct pri_type *pri_type_new_contiguous(long long count, struct pri_type *old)
{
    struct pri_type *type = begin_one(PRI_COMBINER_CONTIGUOUS, 1, 0, old);
    if (type == NULL) {
        return NULL;
    }
    type->recipe->integer[0] = count;
    return pri_type_finish(type, pri_type_add(type, 0, 1, 0, (size_t)count, old));
}

struct pri_type *pri_type_new_vector(long long count, long long length, long long stride,
                                     struct pri_type *old)
{
    struct pri_type *type = begin_one(PRI_COMBINER_VECTOR, 3, 0, old);
    if (type == NULL) {
        return NULL;
    }
    memcpy(type->recipe->integer, (long long[]){count, length, stride}, 3 * sizeof(long long));
    bool ok = pri_type_add(type, 0, (size_t)count, stride * old->extent, (size_t)length, old);
    return pri_type_finish(type, ok);
}

struct pri_type *pri_type_new_hvector(long long count, long long length, ptrdiff_t stride,
                                      struct pri_type *old)
{
    struct pri_type *type = begin_one(PRI_COMBINER_HVECTOR, 2, 1, old);
    if (type == NULL) {
        return NULL;
    }
    memcpy(type->recipe->integer, (long long[]){count, length}, 2 * sizeof(long long));
    type->recipe->addr[0] = stride;
    bool ok = pri_type_add(type, 0, (size_t)count, stride, (size_t)length, old);
    return pri_type_finish(type, ok);
}

struct pri_type *pri_type_new_indexed(long long count, const long long *length,
                                      const long long *disp, struct pri_type *old)
{
    struct pri_type *type = begin_one(PRI_COMBINER_INDEXED, 2 * (int)count + 1, 0, old);
    bool ok = type != NULL;
    if (ok) {
        type->recipe->integer[0] = count;
    }
    for (long long i = 0; ok && i < count; i++) {
        type->recipe->integer[1 + i] = length[i];
        type->recipe->integer[1 + count + i] = disp[i];
        ok = pri_type_add(type, disp[i] * old->extent, 1, 0, (size_t)length[i], old);
    }
    return pri_type_finish(type, ok);
}

struct pri_type *pri_type_new_hindexed(long long count, const long long *length,
                                       const ptrdiff_t *disp, struct pri_type *old)
{
    struct pri_type *type = begin_one(PRI_COMBINER_HINDEXED, (int)count + 1, (int)count, old);
    bool ok = type != NULL;
    if (ok) {
        type->recipe->integer[0] = count;
    }
    for (long long i = 0; ok && i < count; i++) {
        type->recipe->integer[1 + i] = length[i];
        type->recipe->addr[i] = disp[i];
        ok = pri_type_add(type, disp[i], 1, 0, (size_t)length[i], old);
    }
    return pri_type_finish(type, ok);
}

struct pri_type *pri_type_new_indexed_block(long long count, long long length,
                                            const long long *disp, struct pri_type *old)
{
    struct pri_type *type = begin_one(PRI_COMBINER_INDEXED_BLOCK, (int)count + 2, 0, old);
    bool ok = type != NULL;
    if (ok) {
        memcpy(type->recipe->integer, (long long[]){count, length}, 2 * sizeof(long long));
    }
    for (long long i = 0; ok && i < count; i++) {
        type->recipe->integer[2 + i] = disp[i];
        ok = pri_type_add(type, disp[i] * old->extent, 1, 0, (size_t)length, old);
    }
    return pri_type_finish(type, ok);
}

struct pri_type *pri_type_new_hindexed_block(long long count, long long length,
                                             const ptrdiff_t *disp, struct pri_type *old)
{
    struct pri_type *type = begin_one(PRI_COMBINER_HINDEXED_BLOCK, 2, (int)count, old);
    bool ok = type != NULL;
    if (ok) {
        memcpy(type->recipe->integer, (long long[]){count, length}, 2 * sizeof(long long));
    }
    for (long long i = 0; ok && i < count; i++) {
        type->recipe->addr[i] = disp[i];
        ok = pri_type_add(type, disp[i], 1, 0, (size_t)length, old);
    }
    return pri_type_finish(type, ok);
}

struct pri_type *pri_type_new_struct(long long count, const long long *length,
                                     const ptrdiff_t *disp, struct pri_type *const *old)
{
    struct pri_type *type =
        pri_type_begin(PRI_COMBINER_STRUCT, (int)count + 1, (int)count, (int)count);
    bool ok = type != NULL;
    if (ok) {
        type->recipe->integer[0] = count;
    }
    for (long long i = 0; ok && i < count; i++) {
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
static struct pri_type *dimension(struct pri_type *inner, ptrdiff_t disp, long long count,
                                  ptrdiff_t stride)
{
    struct pri_type *type = pri_type_begin(PRI_COMBINER_HVECTOR, 0, 0, 0);
    bool ok = type != NULL && pri_type_hold(type, inner);
    if (type == NULL) {
        pri_type_release(inner);
    }
    return pri_type_finish(type, ok && pri_type_add(type, disp, (size_t)count, stride, 1, inner));
}

static void subarray_recipe(struct pri_recipe *recipe, int dims, const long long *sizes,
                            const long long *subsizes, const long long *starts, bool fortran)
{
    recipe->integer[0] = dims;
    memcpy(recipe->integer + 1, sizes, (size_t)dims * sizeof(long long));
    memcpy(recipe->integer + 1 + dims, subsizes, (size_t)dims * sizeof(long long));
    memcpy(recipe->integer + 1 + 2 * dims, starts, (size_t)dims * sizeof(long long));
    recipe->integer[1 + 3 * dims] = fortran ? PRI_ORDER_FORTRAN : PRI_ORDER_C;
}

struct pri_type *pri_type_new_subarray(int dims, const long long *sizes, const long long *subsizes,
                                       const long long *starts, bool fortran, struct pri_type *old)
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
