/* SPDX-License-Identifier: BSD-3-Clause */
/* How a datatype was made. */
#include "mpi/state.h"

/* The same recipe as MPI_Type_get_contents_c has it: numbers that were large counts stand in an
 * array of their own, in the order of the constructor's arguments (MPI 4.0, 5.1.13). */
struct contents {
    MPI_Count ints, addrs, larges, types;
};

static const struct pri_recipe *recipe_of(const struct pri_type *type)
{
    static const struct pri_recipe named = {.combiner = PRI_COMBINER_NAMED};
    return type->recipe != NULL ? type->recipe : &named;
}

/* How many dimensions an array has that a type is a part of. */
static int dims_of(const struct pri_recipe *recipe)
{
    return (int)recipe->integer[recipe->combiner == PRI_COMBINER_DARRAY ? 2 : 0];
}

static struct contents contents_of(const struct pri_recipe *recipe)
{
    struct contents c = {recipe->ints, recipe->addrs, 0, recipe->types};
    if (!recipe->large) {
        return c;
    }
    if (recipe->combiner == PRI_COMBINER_SUBARRAY) {
        c.larges = 3 * (MPI_Count)dims_of(recipe);
    } else if (recipe->combiner == PRI_COMBINER_DARRAY) {
        c.larges = dims_of(recipe);
    } else {
        c.larges = c.ints + c.addrs;
        c.addrs = 0;
    }
    c.ints -= recipe->combiner == PRI_COMBINER_SUBARRAY || recipe->combiner == PRI_COMBINER_DARRAY
                  ? c.larges
                  : c.ints;
    return c;
}

/* Where the recipe's integers are that were large counts: one row of them. */
static void large_row(const struct pri_recipe *recipe, int *from, int *behind)
{
    const int dims = dims_of(recipe);
    *from = recipe->combiner == PRI_COMBINER_SUBARRAY ? 1 : 3;
    *behind = *from + (recipe->combiner == PRI_COMBINER_SUBARRAY ? 3 * dims : dims);
}

static void write_large(const struct pri_recipe *recipe, int integers[], MPI_Count large_counts[])
{
    int from = 0, behind = recipe->ints;
    if (recipe->combiner == PRI_COMBINER_SUBARRAY || recipe->combiner == PRI_COMBINER_DARRAY) {
        large_row(recipe, &from, &behind);
    }
    for (int i = 0; i < recipe->ints; i++) {
        if (i >= from && i < behind) {
            *large_counts++ = recipe->integer[i];
        } else {
            *integers++ = (int)recipe->integer[i];
        }
    }
    for (int i = 0; i < recipe->addrs; i++) {
        *large_counts++ = recipe->addr[i];
    }
}

static void write_plain(const struct pri_recipe *recipe, int integers[], MPI_Aint addresses[])
{
    for (int i = 0; i < recipe->ints; i++) {
        integers[i] = (int)recipe->integer[i];
    }
    for (int i = 0; i < recipe->addrs; i++) {
        addresses[i] = recipe->addr[i];
    }
}

static void write_types(const struct pri_recipe *recipe, MPI_Datatype types[])
{
    for (int i = 0; i < recipe->types; i++) {
        pri_type_retain(recipe->type[i]); /* the application frees it */
        types[i] = recipe->type[i];
    }
}

/* What the functions without large counts say of a type that was made with some. */
static int blame_large(void)
{
    return pri_blame(MPI_ERR_TYPE, "it was made with large counts; use MPI_Type_get_envelope_c "
                                   "and MPI_Type_get_contents_c");
}

int MPI_Type_get_envelope(MPI_Datatype type, int *integers, int *addresses, int *types,
                          int *combiner)
{
    if (type == NULL || recipe_of(type)->large) {
        return pri_fail(NULL, __func__, type == NULL ? MPI_ERR_TYPE : blame_large());
    }
    const struct pri_recipe *recipe = recipe_of(type);
    *integers = recipe->ints;
    *addresses = recipe->addrs;
    *types = recipe->types;
    *combiner = (int)recipe->combiner;
    return MPI_SUCCESS;
}
PRI_ALIAS(Type_get_envelope);

int MPI_Type_get_envelope_c(MPI_Datatype type, MPI_Count *integers, MPI_Count *addresses,
                            MPI_Count *large_counts, MPI_Count *types, int *combiner)
{
    if (type == NULL) {
        return pri_fail(NULL, __func__, MPI_ERR_TYPE);
    }
    const struct contents c = contents_of(recipe_of(type));
    *integers = c.ints;
    *addresses = c.addrs;
    *large_counts = c.larges;
    *types = c.types;
    *combiner = (int)recipe_of(type)->combiner;
    return MPI_SUCCESS;
}
PRI_ALIAS(Type_get_envelope_c);

int MPI_Type_get_contents(MPI_Datatype type, int max_integers, int max_addresses, int max_types,
                          int integers[], MPI_Aint addresses[], MPI_Datatype types[])
{
    if (type == NULL || type->recipe == NULL || type->recipe->large) {
        return pri_fail(NULL, __func__,
                        type == NULL || type->recipe == NULL ? MPI_ERR_TYPE : blame_large());
    }
    const struct pri_recipe *recipe = type->recipe;
    if (max_integers < recipe->ints || max_addresses < recipe->addrs || max_types < recipe->types) {
        return pri_fail(NULL, __func__, MPI_ERR_ARG);
    }
    write_plain(recipe, integers, addresses);
    write_types(recipe, types);
    return MPI_SUCCESS;
}
PRI_ALIAS(Type_get_contents);

int MPI_Type_get_contents_c(MPI_Datatype type, MPI_Count max_integers, MPI_Count max_addresses,
                            MPI_Count max_large_counts, MPI_Count max_types, int integers[],
                            MPI_Aint addresses[], MPI_Count large_counts[], MPI_Datatype types[])
{
    if (type == NULL || type->recipe == NULL) {
        return pri_fail(NULL, __func__, MPI_ERR_TYPE);
    }
    const struct pri_recipe *recipe = type->recipe;
    const struct contents c = contents_of(recipe);
    if (max_integers < c.ints || max_addresses < c.addrs || max_large_counts < c.larges ||
        max_types < c.types) {
        return pri_fail(NULL, __func__, MPI_ERR_ARG);
    }
    if (recipe->large) {
        write_large(recipe, integers, large_counts);
    } else {
        write_plain(recipe, integers, addresses);
    }
    write_types(recipe, types);
    return MPI_SUCCESS;
}
PRI_ALIAS(Type_get_contents_c);
