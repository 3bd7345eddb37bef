/* SPDX-License-Identifier: BSD-3-Clause */
/* Attributes of datatypes. */
#include "mpi/state.h"

#define FN(pointer) ((void (*)(void))(pointer))

int MPI_Type_create_keyval(MPI_Type_copy_attr_function *copy,
                           MPI_Type_delete_attr_function *release, int *keyval, void *extra)
{
    struct pri_mpi *mpi = pri_mpi_need(__func__);
    int code = pri_keyval_new(mpi, PRI_ATTR_TYPE, FN(copy), FN(release), extra, keyval);
    return code == MPI_SUCCESS ? code : pri_fail(NULL, __func__, code);
}
PRI_ALIAS(Type_create_keyval);

int MPI_Type_free_keyval(int *keyval)
{
    int code = pri_keyval_free(pri_mpi_need(__func__), PRI_ATTR_TYPE, keyval);
    return code == MPI_SUCCESS ? code : pri_fail(NULL, __func__, code);
}
PRI_ALIAS(Type_free_keyval);

int MPI_Type_set_attr(MPI_Datatype type, int keyval, void *value)
{
    if (type == NULL) {
        return pri_fail(NULL, __func__, MPI_ERR_TYPE);
    }
    struct pri_attr *list = type->attributes;
    int code = pri_attr_set(pri_mpi_need(__func__), &list, PRI_ATTR_TYPE, type, keyval, value);
    type->attributes = list;
    return code == MPI_SUCCESS ? code : pri_fail(NULL, __func__, code);
}
PRI_ALIAS(Type_set_attr);

int MPI_Type_get_attr(MPI_Datatype type, int keyval, void *value, int *flag)
{
    if (type == NULL) {
        return pri_fail(NULL, __func__, MPI_ERR_TYPE);
    }
    int code =
        pri_attr_get(pri_mpi_need(__func__), type->attributes, PRI_ATTR_TYPE, keyval, value, flag);
    return code == MPI_SUCCESS ? code : pri_fail(NULL, __func__, code);
}
PRI_ALIAS(Type_get_attr);

int MPI_Type_delete_attr(MPI_Datatype type, int keyval)
{
    if (type == NULL) {
        return pri_fail(NULL, __func__, MPI_ERR_TYPE);
    }
    struct pri_attr *list = type->attributes;
    int code = pri_attr_delete(pri_mpi_need(__func__), &list, PRI_ATTR_TYPE, type, keyval);
    type->attributes = list;
    return code == MPI_SUCCESS ? code : pri_fail(NULL, __func__, code);
}
PRI_ALIAS(Type_delete_attr);

int MPI_TYPE_DUP_FN(MPI_Datatype type, int keyval, void *extra, void *in, void *out, int *flag)
{
    (void)type;
    (void)keyval;
    (void)extra;
    *(void **)out = in;
    *flag = 1;
    return MPI_SUCCESS;
}
PRI_ALIAS(TYPE_DUP_FN);
