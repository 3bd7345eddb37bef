/* SPDX-License-Identifier: BSD-3-Clause */
/* What a datatype is: sizes, bounds; and packing. */
#include "mpi/state.h"
#include "type/named.h"

/* A query of a type, whose results go to these places: MPI_SUCCESS, or it has failed. */
static int query(const char *function, const struct pri_type *type, const void *result,
                 const void *other)
{
    int code =
        type == NULL ? pri_blame(MPI_ERR_TYPE, "it is MPI_DATATYPE_NULL") : pri_no_place(result);

    if (code == MPI_SUCCESS) {
        code = pri_no_place(other);
    }
    return code == MPI_SUCCESS ? code : pri_fail(NULL, function, code);
}

int MPI_Type_size(MPI_Datatype type, pri_count *size)
{
    int code = query(__func__, type, size, size);
    if (code == MPI_SUCCESS) {
        *size = pri_count_of(type->size);
    }
    return code;
}
PRI_ALIAS(Type_size);

int MPI_Type_get_extent(MPI_Datatype type, pri_distance *lb, pri_distance *extent)
{
    int code = query(__func__, type, lb, extent);
    if (code == MPI_SUCCESS) {
        *lb = type->lb;
        *extent = type->extent;
    }
    return code;
}
PRI_ALIAS(Type_get_extent);

int MPI_Type_get_true_extent(MPI_Datatype type, pri_distance *lb, pri_distance *extent)
{
    int code = query(__func__, type, lb, extent);
    if (code == MPI_SUCCESS) {
        *lb = type->true_lb;
        *extent = type->true_extent;
    }
    return code;
}
PRI_ALIAS(Type_get_true_extent);

/* MPI_SUCCESS, or what is wrong with arguments of packing. */
static int check(struct pri_comm *comm, pri_count count, const struct pri_type *type)
{
    if (comm == NULL) {
        return MPI_ERR_COMM;
    }
    if (count < 0) {
        return MPI_ERR_COUNT;
    }
    return type == NULL || !type->committed ? MPI_ERR_TYPE : MPI_SUCCESS;
}

/* The same of a place in a buffer of so many bytes: what is there from `position` on, is to be
 * *bytes. */
static int check_room(pri_count count, const struct pri_type *type, pri_count size,
                      pri_count position, size_t *bytes)
{
    if (position < 0) {
        return MPI_ERR_ARG;
    }
    return __builtin_mul_overflow((size_t)count, type->size, bytes) || position > size ||
                   *bytes > (size_t)(size - position)
               ? MPI_ERR_TRUNCATE
               : MPI_SUCCESS;
}

int MPI_Pack(const void *in, pri_count count, MPI_Datatype type, void *out, pri_count size,
             pri_count *position, MPI_Comm handle)
{
    struct pri_comm *comm = pri_comm_of(handle);
    size_t bytes = 0;
    int code = check(comm, count, type);
    if (code == MPI_SUCCESS) {
        code = check_room(count, type, size, *position, &bytes);
    }
    if (code != MPI_SUCCESS) {
        return pri_fail(comm, __func__, code);
    }
    pri_type_pack(type, (size_t)count, in, 0, (char *)out + *position, bytes);
    *position += (pri_count)bytes;
    return MPI_SUCCESS;
}
PRI_ALIAS(Pack);

int MPI_Unpack(const void *in, pri_count size, pri_count *position, void *out, pri_count count,
               MPI_Datatype type, MPI_Comm handle)
{
    struct pri_comm *comm = pri_comm_of(handle);
    size_t bytes = 0;
    int code = check(comm, count, type);
    if (code == MPI_SUCCESS) {
        code = check_room(count, type, size, *position, &bytes);
    }
    if (code != MPI_SUCCESS) {
        return pri_fail(comm, __func__, code);
    }
    pri_type_unpack(type, (size_t)count, out, 0, (const char *)in + *position, bytes);
    *position += (pri_count)bytes;
    return MPI_SUCCESS;
}
PRI_ALIAS(Unpack);

int MPI_Pack_size(pri_count count, MPI_Datatype type, MPI_Comm handle, pri_count *size)
{
    struct pri_comm *comm = pri_comm_of(handle);
    int code = check(comm, count, type);
    if (code != MPI_SUCCESS) {
        return pri_fail(comm, __func__, code);
    }
    size_t bytes;
    *size = __builtin_mul_overflow((size_t)count, type->size, &bytes) ? MPI_UNDEFINED
                                                                      : pri_count_of(bytes);
    return MPI_SUCCESS;
}
PRI_ALIAS(Pack_size);

#ifndef PRI_LARGE
/* ---- by other names ---- */

int MPI_Type_size_x(MPI_Datatype type, MPI_Count *size)
{
    int code = query(__func__, type, size, size);
    if (code == MPI_SUCCESS) {
        *size = (MPI_Count)type->size;
    }
    return code;
}
PRI_ALIAS(Type_size_x);

int MPI_Type_get_extent_x(MPI_Datatype type, MPI_Count *lb, MPI_Count *extent)
{
    int code = query(__func__, type, lb, extent);
    if (code == MPI_SUCCESS) {
        *lb = type->lb;
        *extent = type->extent;
    }
    return code;
}
PRI_ALIAS(Type_get_extent_x);

int MPI_Type_get_true_extent_x(MPI_Datatype type, MPI_Count *lb, MPI_Count *extent)
{
    int code = query(__func__, type, lb, extent);
    if (code == MPI_SUCCESS) {
        *lb = type->true_lb;
        *extent = type->true_extent;
    }
    return code;
}
PRI_ALIAS(Type_get_true_extent_x);

int MPI_Type_extent(MPI_Datatype type, MPI_Aint *extent)
{
    int code = query(__func__, type, extent, extent);
    if (code == MPI_SUCCESS) {
        *extent = type->extent;
    }
    return code;
}
PRI_ALIAS(Type_extent);

int MPI_Type_lb(MPI_Datatype type, MPI_Aint *lb)
{
    int code = query(__func__, type, lb, lb);
    if (code == MPI_SUCCESS) {
        *lb = type->lb;
    }
    return code;
}
PRI_ALIAS(Type_lb);

int MPI_Type_ub(MPI_Datatype type, MPI_Aint *ub)
{
    int code = query(__func__, type, ub, ub);
    if (code == MPI_SUCCESS) {
        *ub = type->lb + type->extent;
    }
    return code;
}
PRI_ALIAS(Type_ub);

int MPI_Type_match_size(int typeclass, int size, MPI_Datatype *type)
{
    static const enum pri_kind first[] = {[MPI_TYPECLASS_INTEGER] = PRI_KIND_INT8,
                                          [MPI_TYPECLASS_REAL] = PRI_KIND_FLOAT,
                                          [MPI_TYPECLASS_COMPLEX] = PRI_KIND_CFLOAT};
    static const enum pri_kind last[] = {[MPI_TYPECLASS_INTEGER] = PRI_KIND_UINT64,
                                         [MPI_TYPECLASS_REAL] = PRI_KIND_LDOUBLE,
                                         [MPI_TYPECLASS_COMPLEX] = PRI_KIND_CLDOUBLE};
    if (typeclass < MPI_TYPECLASS_INTEGER || typeclass > MPI_TYPECLASS_COMPLEX) {
        return pri_fail(NULL, __func__, MPI_ERR_ARG);
    }
    struct pri_type *t;
    for (size_t i = 0; (t = pri_type_named(i)) != NULL; i++) {
        if (t->kind >= first[typeclass] && t->kind <= last[typeclass] && (int)t->size == size) {
            *type = t;
            return MPI_SUCCESS;
        }
    }
    return pri_fail(NULL, __func__, MPI_ERR_ARG);
}
PRI_ALIAS(Type_match_size);
#endif
