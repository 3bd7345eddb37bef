/* SPDX-License-Identifier: BSD-3-Clause */
/* Constructors of datatypes: they check arguments. */
#include "mpi/state.h"

#include <limits.h>

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
    *out = type;
    return MPI_SUCCESS;
}

/* MPI_SUCCESS, or what is wrong with counts. */
static int check(int count, const int *lengths, const struct pri_type *old)
{
    if (count < 0) {
        return pri_blame_value(MPI_ERR_COUNT, "the count", count, 0, INT_MAX);
    }
    for (int i = 0; lengths != NULL && i < count; i++) {
        if (lengths[i] < 0) {
            return pri_blame_value(MPI_ERR_ARG, "one of the lengths", lengths[i], 0, INT_MAX);
        }
    }
    return old == NULL ? pri_blame(MPI_ERR_TYPE, "it is MPI_DATATYPE_NULL") : MPI_SUCCESS;
}

int MPI_Type_contiguous(int count, MPI_Datatype old, MPI_Datatype *type)
{
    int code = check(count, NULL, old);
    if (code != MPI_SUCCESS) {
        return pri_fail(NULL, __func__, code);
    }
    return made(__func__, pri_type_new_contiguous(count, old), type);
}
PRI_ALIAS(Type_contiguous);

int MPI_Type_vector(int count, int length, int stride, MPI_Datatype old, MPI_Datatype *type)
{
    int code = length < 0 ? MPI_ERR_ARG : check(count, NULL, old);
    if (code != MPI_SUCCESS) {
        return pri_fail(NULL, __func__, code);
    }
    return made(__func__, pri_type_new_vector(count, length, stride, old), type);
}
PRI_ALIAS(Type_vector);

static int hvector(const char *function, int count, int length, MPI_Aint stride, MPI_Datatype old,
                   MPI_Datatype *type)
{
    int code = length < 0 ? MPI_ERR_ARG : check(count, NULL, old);
    if (code != MPI_SUCCESS) {
        return pri_fail(NULL, function, code);
    }
    return made(function, pri_type_new_hvector(count, length, stride, old), type);
}

int MPI_Type_create_hvector(int count, int length, MPI_Aint stride, MPI_Datatype old,
                            MPI_Datatype *type)
{
    return hvector(__func__, count, length, stride, old, type);
}
PRI_ALIAS(Type_create_hvector);

int MPI_Type_hvector(int count, int length, MPI_Aint stride, MPI_Datatype old, MPI_Datatype *type)
{
    return hvector(__func__, count, length, stride, old, type);
}
PRI_ALIAS(Type_hvector);

int MPI_Type_indexed(int count, const int lengths[], const int displacements[], MPI_Datatype old,
                     MPI_Datatype *type)
{
    int code = check(count, lengths, old);
    if (code != MPI_SUCCESS) {
        return pri_fail(NULL, __func__, code);
    }
    return made(__func__, pri_type_new_indexed(count, lengths, displacements, old), type);
}
PRI_ALIAS(Type_indexed);

static int hindexed(const char *function, int count, const int *lengths,
                    const MPI_Aint *displacements, MPI_Datatype old, MPI_Datatype *type)
{
    int code = check(count, lengths, old);
    if (code != MPI_SUCCESS) {
        return pri_fail(NULL, function, code);
    }
    return made(function, pri_type_new_hindexed(count, lengths, displacements, old), type);
}

int MPI_Type_create_hindexed(int count, const int lengths[], const MPI_Aint displacements[],
                             MPI_Datatype old, MPI_Datatype *type)
{
    return hindexed(__func__, count, lengths, displacements, old, type);
}
PRI_ALIAS(Type_create_hindexed);

int MPI_Type_hindexed(int count, int lengths[], MPI_Aint displacements[], MPI_Datatype old,
                      MPI_Datatype *type)
{
    return hindexed(__func__, count, lengths, displacements, old, type);
}
PRI_ALIAS(Type_hindexed);

int MPI_Type_create_indexed_block(int count, int length, const int displacements[],
                                  MPI_Datatype old, MPI_Datatype *type)
{
    int code = length < 0 ? MPI_ERR_ARG : check(count, NULL, old);
    if (code != MPI_SUCCESS) {
        return pri_fail(NULL, __func__, code);
    }
    return made(__func__, pri_type_new_indexed_block(count, length, displacements, old), type);
}
PRI_ALIAS(Type_create_indexed_block);

int MPI_Type_create_hindexed_block(int count, int length, const MPI_Aint displacements[],
                                   MPI_Datatype old, MPI_Datatype *type)
{
    int code = length < 0 ? MPI_ERR_ARG : check(count, NULL, old);
    if (code != MPI_SUCCESS) {
        return pri_fail(NULL, __func__, code);
    }
    return made(__func__, pri_type_new_hindexed_block(count, length, displacements, old), type);
}
PRI_ALIAS(Type_create_hindexed_block);

static int structure(const char *function, int count, const int *lengths,
                     const MPI_Aint *displacements, const MPI_Datatype *types, MPI_Datatype *type)
{
    int code = check(count, lengths, MPI_BYTE);
    for (int i = 0; code == MPI_SUCCESS && i < count; i++) {
        code = types[i] == NULL ? MPI_ERR_TYPE : MPI_SUCCESS;
    }
    if (code != MPI_SUCCESS) {
        return pri_fail(NULL, function, code);
    }
    return made(function, pri_type_new_struct(count, lengths, displacements, types), type);
}

int MPI_Type_create_struct(int count, const int lengths[], const MPI_Aint displacements[],
                           const MPI_Datatype types[], MPI_Datatype *type)
{
    return structure(__func__, count, lengths, displacements, types, type);
}
PRI_ALIAS(Type_create_struct);

int MPI_Type_struct(int count, int lengths[], MPI_Aint displacements[], MPI_Datatype types[],
                    MPI_Datatype *type)
{
    return structure(__func__, count, lengths, displacements, types, type);
}
PRI_ALIAS(Type_struct);

int MPI_Type_create_subarray(int dims, const int sizes[], const int subsizes[], const int starts[],
                             int order, MPI_Datatype old, MPI_Datatype *type)
{
    int code = old == NULL ? MPI_ERR_TYPE : MPI_SUCCESS;
    if (dims < 1 || (order != MPI_ORDER_C && order != MPI_ORDER_FORTRAN)) {
        code = MPI_ERR_ARG;
    }
    for (int i = 0; code == MPI_SUCCESS && i < dims; i++) {
        if (subsizes[i] < 1 || sizes[i] < subsizes[i] || starts[i] < 0 ||
            starts[i] > sizes[i] - subsizes[i]) {
            code = MPI_ERR_ARG;
        }
    }
    if (code != MPI_SUCCESS) {
        return pri_fail(NULL, __func__, code);
    }
    bool fortran = order == MPI_ORDER_FORTRAN;
    return made(__func__, pri_type_new_subarray(dims, sizes, subsizes, starts, fortran, old), type);
}
PRI_ALIAS(Type_create_subarray);

/* One dimension of an array that is dealt out. An MPI code. */
static int bad_deal(int length, int kind, int argument, int processes)
{
    bool dflt = argument == MPI_DISTRIBUTE_DFLT_DARG;
    if (length < 1 || processes < 1 || (!dflt && argument < 1 && kind != MPI_DISTRIBUTE_NONE)) {
        return MPI_ERR_ARG;
    }
    if (kind == MPI_DISTRIBUTE_NONE) {
        return processes == 1 ? MPI_SUCCESS : MPI_ERR_ARG;
    }
    if (kind == MPI_DISTRIBUTE_BLOCK) {
        return dflt || (long long)argument * processes >= length ? MPI_SUCCESS : MPI_ERR_ARG;
    }
    return kind == MPI_DISTRIBUTE_CYCLIC ? MPI_SUCCESS : MPI_ERR_ARG;
}

int MPI_Type_create_darray(int size, int rank, int dims, const int lengths[], const int kinds[],
                           const int arguments[], const int processes[], int order,
                           MPI_Datatype old, MPI_Datatype *type)
{
    long long product = 1;
    int code = old == NULL ? MPI_ERR_TYPE : MPI_SUCCESS;
    if (dims < 1 || rank < 0 || rank >= size ||
        (order != MPI_ORDER_C && order != MPI_ORDER_FORTRAN)) {
        code = MPI_ERR_ARG;
    }
    for (int i = 0; code == MPI_SUCCESS && i < dims && product <= size; i++) {
        code = bad_deal(lengths[i], kinds[i], arguments[i], processes[i]);
        product *= processes[i];
    }
    if (code == MPI_SUCCESS && product != size) {
        code = MPI_ERR_ARG;
    }
    if (code != MPI_SUCCESS) {
        return pri_fail(NULL, __func__, code);
    }
    const struct pri_darray darray = {size,  rank,      dims,      lengths,
                                      kinds, arguments, processes, order == MPI_ORDER_FORTRAN};
    return made(__func__, pri_type_new_darray(&darray, old), type);
}
PRI_ALIAS(Type_create_darray);

int MPI_Type_create_resized(MPI_Datatype old, MPI_Aint lb, MPI_Aint extent, MPI_Datatype *type)
{
    if (old == NULL) {
        return pri_fail(NULL, __func__, MPI_ERR_TYPE);
    }
    return made(__func__, pri_type_new_resized(old, lb, extent), type);
}
PRI_ALIAS(Type_create_resized);

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
