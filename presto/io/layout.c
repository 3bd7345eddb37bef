/* SPDX-License-Identifier: BSD-3-Clause */
#include "io/layout.h"

#include <stdlib.h>

#include "io/datarep.h"
#include "type/external.h"
#include "type/named.h"

/* One that has a name, in so many bytes. */
static struct pri_type *named(const struct pri_type *type, struct pri_io_datarep *datarep)
{
    size_t bytes = datarep != NULL ? pri_io_datarep_size(datarep, type) : pri_external_size(type);
    return pri_type_new_contiguous((long long)bytes, &presto_type_byte);
}

static struct pri_type *of_darray(const struct pri_recipe *recipe, struct pri_type *part)
{
    const long long *in = recipe->integer;
    int dims = (int)in[2];
    struct pri_darray darray = {
        .size = (int)in[0],
        .rank = (int)in[1],
        .dims = dims,
        .lengths = in + 3,
        .kinds = in + 3 + dims,
        .arguments = in + 3 + 2 * dims,
        .processes = in + 3 + 3 * dims,
        .fortran = in[3 + 4 * dims] == PRI_ORDER_FORTRAN,
    };
    return pri_type_new_darray(&darray, part);
}

static struct pri_type *of_subarray(const struct pri_recipe *recipe, struct pri_type *part)
{
    const long long *in = recipe->integer;
    int dims = (int)in[0];
    return pri_type_new_subarray(dims, in + 1, in + 1 + dims, in + 1 + 2 * dims,
                                 in[1 + 3 * dims] == PRI_ORDER_FORTRAN, part);
}

/* Made of one other. */
static struct pri_type *of_one(const struct pri_recipe *recipe, struct pri_type *part)
{
    const long long *in = recipe->integer;
    const ptrdiff_t *addr = recipe->addr;
    switch (recipe->combiner) {
    case PRI_COMBINER_CONTIGUOUS:
        return pri_type_new_contiguous(in[0], part);
    case PRI_COMBINER_VECTOR:
        return pri_type_new_vector(in[0], in[1], in[2], part);
    case PRI_COMBINER_HVECTOR:
        return pri_type_new_hvector(in[0], in[1], addr[0], part);
    case PRI_COMBINER_INDEXED:
        return pri_type_new_indexed(in[0], in + 1, in + 1 + in[0], part);
    case PRI_COMBINER_HINDEXED:
        return pri_type_new_hindexed(in[0], in + 1, addr, part);
    case PRI_COMBINER_INDEXED_BLOCK:
        return pri_type_new_indexed_block(in[0], in[1], in + 2, part);
    case PRI_COMBINER_HINDEXED_BLOCK:
        return pri_type_new_hindexed_block(in[0], in[1], addr, part);
    case PRI_COMBINER_SUBARRAY:
        return of_subarray(recipe, part);
    case PRI_COMBINER_DARRAY:
        return of_darray(recipe, part);
    case PRI_COMBINER_RESIZED:
        return pri_type_new_resized(part, addr[0], addr[1]);
    default:
        return pri_type_new_dup(part);
    }
}

static struct pri_type *rebuild(const struct pri_type *type, struct pri_io_datarep *datarep);

static struct pri_type *of_struct(const struct pri_recipe *recipe, struct pri_io_datarep *datarep)
{
    struct pri_type **part = calloc((size_t)recipe->types + 1, sizeof(struct pri_type *));
    struct pri_type *made = NULL;
    bool ok = part != NULL;
    for (int i = 0; ok && i < recipe->types; i++) {
        part[i] = rebuild(recipe->type[i], datarep);
        ok = part[i] != NULL;
    }
    if (ok) {
        made = pri_type_new_struct(recipe->types, recipe->integer + 1, recipe->addr, part);
    }
    for (int i = 0; part != NULL && i < recipe->types; i++) {
        if (part[i] != NULL) {
            pri_type_release(part[i]);
        }
    }
    free(part);
    return made;
}

static struct pri_type *rebuild(const struct pri_type *type, struct pri_io_datarep *datarep)
{
    const struct pri_recipe *recipe = type->recipe;
    if (recipe == NULL || type->predefined) {
        return named(type, datarep);
    }
    if (recipe->combiner == PRI_COMBINER_STRUCT) {
        return of_struct(recipe, datarep);
    }
    struct pri_type *part = rebuild(recipe->type[0], datarep);
    if (part == NULL) {
        return NULL;
    }
    struct pri_type *made = of_one(recipe, part);
    pri_type_release(part);
    return made;
}

struct pri_type *pri_io_layout(struct pri_type *type, struct pri_io_datarep *datarep)
{
    if (datarep == NULL && pri_external_size(type) == type->size && type->unit > 0) {
        pri_type_retain(type);
        return type;
    }
    return rebuild(type, datarep);
}
