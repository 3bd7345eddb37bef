/* SPDX-License-Identifier: BSD-3-Clause */
/* Constructors of datatypes: they check arguments. */
#include "mpi/state.h"

#include <limits.h>
#include <stdlib.h>

/* A constructor has made a type, or memory was short. */
static int made(const char *function, struct pri_type *type, MPI_Datatype *out)
{
    if (type == NULL) {
        return pri_fail(NULL, function, MPI_ERR_NO_MEM);
    }
    if (out == NULL) {
        pri_type_release(type);
        return pri_fail(NULL, function, pri_no_place(out));
    }
#ifdef PRI_LARGE
    type->recipe->large = true;
#endif
    *out = type;
    return MPI_SUCCESS;
}

/* MPI_SUCCESS, or what is wrong with counts. */
static int check(pri_count count, const struct pri_type *old)
{
    if (count < 0) {
        return pri_blame_value(MPI_ERR_COUNT, "the count", count, 0, PRI_COUNT_MAX);
    }
    return old == NULL ? pri_blame(MPI_ERR_TYPE, "it is MPI_DATATYPE_NULL") : MPI_SUCCESS;
}

/* The same of a type that is made of blocks of `length`. */
static int check_blocks(pri_count count, pri_count length, const struct pri_type *old)
{
    return length < 0 ? pri_blame_value(MPI_ERR_ARG, "the length", length, 0, PRI_COUNT_MAX)
                      : check(count, old);
}

/* The same of a type that is made of arrays of so many entries, of which the lengths may be
 * NULL. */
static int check_arrays(pri_count count, const pri_count *lengths, const struct pri_type *old)
{
    if (count > PRI_TYPE_ENTRIES) {
        return pri_blame_value(MPI_ERR_COUNT, "the count", count, 0, PRI_TYPE_ENTRIES);
    }
    for (pri_count i = 0; lengths != NULL && i < count; i++) {
        if (lengths[i] < 0) {
            return pri_blame_value(MPI_ERR_ARG, "one of the lengths", lengths[i], 0, PRI_COUNT_MAX);
        }
    }
    return check(count, old);
}

/* ---- arrays as type/ takes them: NULL if memory is short; who asks for them frees them ---- */

static long long *wide(const pri_count *from, pri_count n)
{
    long long *array = malloc(((size_t)n + 1) * sizeof(*array));
    for (pri_count i = 0; array != NULL && i < n; i++) {
        array[i] = from[i];
    }
    return array;
}

static ptrdiff_t *places(const pri_distance *from, pri_count n)
{
    ptrdiff_t *array = malloc(((size_t)n + 1) * sizeof(*array));
    for (pri_count i = 0; array != NULL && i < n; i++) {
        array[i] = (ptrdiff_t)from[i];
    }
    return array;
}

/* ---- constructors ---- */

int MPI_Type_contiguous(pri_count count, MPI_Datatype old, MPI_Datatype *type)
{
    int code = check(count, old);
    if (code != MPI_SUCCESS) {
        return pri_fail(NULL, __func__, code);
    }
    return made(__func__, pri_type_new_contiguous(count, old), type);
}
PRI_ALIAS(Type_contiguous);

int MPI_Type_vector(pri_count count, pri_count length, pri_count stride, MPI_Datatype old,
                    MPI_Datatype *type)
{
    int code = check_blocks(count, length, old);
    if (code != MPI_SUCCESS) {
        return pri_fail(NULL, __func__, code);
    }
    return made(__func__, pri_type_new_vector(count, length, stride, old), type);
}
PRI_ALIAS(Type_vector);

static int hvector(const char *function, pri_count count, pri_count length, pri_distance stride,
                   MPI_Datatype old, MPI_Datatype *type)
{
    int code = check_blocks(count, length, old);
    if (code != MPI_SUCCESS) {
        return pri_fail(NULL, function, code);
    }
    return made(function, pri_type_new_hvector(count, length, (ptrdiff_t)stride, old), type);
}

int MPI_Type_create_hvector(pri_count count, pri_count length, pri_distance stride,
                            MPI_Datatype old, MPI_Datatype *type)
{
    return hvector(__func__, count, length, stride, old, type);
}
PRI_ALIAS(Type_create_hvector);

int MPI_Type_indexed(pri_count count, const pri_count lengths[], const pri_count displacements[],
                     MPI_Datatype old, MPI_Datatype *type)
{
    int code = check_arrays(count, lengths, old);
    if (code != MPI_SUCCESS) {
        return pri_fail(NULL, __func__, code);
    }
    long long *length = wide(lengths, count), *disp = wide(displacements, count);
    struct pri_type *new = NULL;
    if (length != NULL && disp != NULL) {
        new = pri_type_new_indexed(count, length, disp, old);
    }
    free(length);
    free(disp);
    return made(__func__, new, type);
}
PRI_ALIAS(Type_indexed);

static int hindexed(const char *function, pri_count count, const pri_count *lengths,
                    const pri_distance *displacements, MPI_Datatype old, MPI_Datatype *type)
{
    int code = check_arrays(count, lengths, old);
    if (code != MPI_SUCCESS) {
        return pri_fail(NULL, function, code);
    }
    long long *length = wide(lengths, count);
    ptrdiff_t *disp = places(displacements, count);
    struct pri_type *new = NULL;
    if (length != NULL && disp != NULL) {
        new = pri_type_new_hindexed(count, length, disp, old);
    }
    free(length);
    free(disp);
    return made(function, new, type);
}

int MPI_Type_create_hindexed(pri_count count, const pri_count lengths[],
                             const pri_distance displacements[], MPI_Datatype old,
                             MPI_Datatype *type)
{
    return hindexed(__func__, count, lengths, displacements, old, type);
}
PRI_ALIAS(Type_create_hindexed);

int MPI_Type_create_indexed_block(pri_count count, pri_count length,
                                  const pri_count displacements[], MPI_Datatype old,
                                  MPI_Datatype *type)
{
    int code = check_arrays(count, NULL, old);
    if (code == MPI_SUCCESS) {
        code = check_blocks(count, length, old);
    }
    if (code != MPI_SUCCESS) {
        return pri_fail(NULL, __func__, code);
    }
    long long *disp = wide(displacements, count);
    struct pri_type *new =
        disp == NULL ? NULL : pri_type_new_indexed_block(count, length, disp, old);
    free(disp);
    return made(__func__, new, type);
}
PRI_ALIAS(Type_create_indexed_block);

int MPI_Type_create_hindexed_block(pri_count count, pri_count length,
                                   const pri_distance displacements[], MPI_Datatype old,
                                   MPI_Datatype *type)
{
    int code = check_arrays(count, NULL, old);
    if (code == MPI_SUCCESS) {
        code = check_blocks(count, length, old);
    }
    if (code != MPI_SUCCESS) {
        return pri_fail(NULL, __func__, code);
    }
    ptrdiff_t *disp = places(displacements, count);
    struct pri_type *new =
        disp == NULL ? NULL : pri_type_new_hindexed_block(count, length, disp, old);
    free(disp);
    return made(__func__, new, type);
}
PRI_ALIAS(Type_create_hindexed_block);

static int structure(const char *function, pri_count count, const pri_count *lengths,
                     const pri_distance *displacements, const MPI_Datatype *types,
                     MPI_Datatype *type)
{
    int code = check_arrays(count, lengths, MPI_BYTE);
    for (pri_count i = 0; code == MPI_SUCCESS && i < count; i++) {
        code = types[i] == NULL ? MPI_ERR_TYPE : MPI_SUCCESS;
    }
    if (code != MPI_SUCCESS) {
        return pri_fail(NULL, function, code);
    }
    long long *length = wide(lengths, count);
    ptrdiff_t *disp = places(displacements, count);
    struct pri_type *new = NULL;
    if (length != NULL && disp != NULL) {
        new = pri_type_new_struct(count, length, disp, types);
    }
    free(length);
    free(disp);
    return made(function, new, type);
}

int MPI_Type_create_struct(pri_count count, const pri_count lengths[],
                           const pri_distance displacements[], const MPI_Datatype types[],
                           MPI_Datatype *type)
{
    return structure(__func__, count, lengths, displacements, types, type);
}
PRI_ALIAS(Type_create_struct);

int MPI_Type_create_resized(MPI_Datatype old, pri_distance lb, pri_distance extent,
                            MPI_Datatype *type)
{
    if (old == NULL) {
        return pri_fail(NULL, __func__, MPI_ERR_TYPE);
    }
    return made(__func__, pri_type_new_resized(old, (ptrdiff_t)lb, (ptrdiff_t)extent), type);
}
PRI_ALIAS(Type_create_resized);

#ifndef PRI_LARGE
/* ---- as MPI 1 called them ---- */

int MPI_Type_hvector(int count, int length, MPI_Aint stride, MPI_Datatype old, MPI_Datatype *type)
{
    return hvector(__func__, count, length, stride, old, type);
}
PRI_ALIAS(Type_hvector);

int MPI_Type_hindexed(int count, int lengths[], MPI_Aint displacements[], MPI_Datatype old,
                      MPI_Datatype *type)
{
    return hindexed(__func__, count, lengths, displacements, old, type);
}
PRI_ALIAS(Type_hindexed);

int MPI_Type_struct(int count, int lengths[], MPI_Aint displacements[], MPI_Datatype types[],
                    MPI_Datatype *type)
{
    return structure(__func__, count, lengths, displacements, types, type);
}
PRI_ALIAS(Type_struct);

int MPI_Type_dup(MPI_Datatype old, MPI_Datatype *type)
{
    *type = MPI_DATATYPE_NULL;
    if (old == NULL) {
        return pri_fail(NULL, __func__, MPI_ERR_TYPE);
    }
    struct pri_type *copy = pri_type_new_dup(old);
    struct pri_attr *attributes = NULL;
    if (copy == NULL) {
        return pri_fail(NULL, __func__, MPI_ERR_NO_MEM);
    }
    int code =
        pri_attr_copy_all(pri_mpi_need(__func__), &attributes, old->attributes, PRI_ATTR_TYPE, old);
    copy->attributes = attributes;
    if (code != MPI_SUCCESS) {
        pri_type_release(copy);
        return pri_fail(NULL, __func__, code);
    }
    *type = copy;
    return MPI_SUCCESS;
}
PRI_ALIAS(Type_dup);

int MPI_Type_commit(MPI_Datatype *type)
{
    if (*type == NULL) {
        return pri_fail(NULL, __func__, MPI_ERR_TYPE);
    }
    if (!(*type)->committed) {
        (*type)->committed = true;
    }
    return MPI_SUCCESS;
}
PRI_ALIAS(Type_commit);

int MPI_Type_free(MPI_Datatype *type)
{
    if (*type == NULL || (*type)->predefined) {
        return pri_fail(NULL, __func__, MPI_ERR_TYPE);
    }
    struct pri_attr *attributes = (*type)->attributes;
    int code = pri_attr_delete_all(pri_mpi_need(__func__), &attributes, PRI_ATTR_TYPE, *type);
    (*type)->attributes = attributes;
    if (code != MPI_SUCCESS) {
        return pri_fail(NULL, __func__, code);
    }
    pri_type_release(*type);
    *type = MPI_DATATYPE_NULL;
    return MPI_SUCCESS;
}
PRI_ALIAS(Type_free);
#endif
