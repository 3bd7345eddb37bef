/* SPDX-License-Identifier: BSD-3-Clause */
/* Attributes of communicators, with the names that they had first. */
#include "mpi/state.h"

#define FN(pointer) ((void (*)(void))(pointer))

int MPI_Comm_create_keyval(MPI_Comm_copy_attr_function *copy,
                           MPI_Comm_delete_attr_function *release, int *keyval, void *extra)
{
    struct pri_mpi *mpi = pri_mpi_need(__func__);
    int code = pri_keyval_new(mpi, PRI_ATTR_COMM, FN(copy), FN(release), extra, keyval);
    return code == MPI_SUCCESS ? code : pri_fail(NULL, __func__, code);
}
PRI_ALIAS(Comm_create_keyval);

int MPI_Comm_free_keyval(int *keyval)
{
    int code = pri_keyval_free(pri_mpi_need(__func__), PRI_ATTR_COMM, keyval);
    return code == MPI_SUCCESS ? code : pri_fail(NULL, __func__, code);
}
PRI_ALIAS(Comm_free_keyval);

int MPI_Comm_set_attr(MPI_Comm handle, int keyval, void *value)
{
    struct pri_comm *comm = pri_comm_of(handle);
    if (comm == NULL) {
        return pri_fail(NULL, __func__, MPI_ERR_COMM);
    }
    int code = pri_attr_set(comm->mpi, &comm->attributes, PRI_ATTR_COMM, handle, keyval, value);
    return code == MPI_SUCCESS ? code : pri_fail(comm, __func__, code);
}
PRI_ALIAS(Comm_set_attr);

int MPI_Comm_get_attr(MPI_Comm handle, int keyval, void *value, int *flag)
{
    struct pri_comm *comm = pri_comm_of(handle);
    if (comm == NULL) {
        return pri_fail(NULL, __func__, MPI_ERR_COMM);
    }
    if (keyval >= 0 && keyval <= MPI_UNIVERSE_SIZE) {
        *flag = 1;
        *(int **)value = &comm->mpi->attribute[keyval];
        return MPI_SUCCESS;
    }
    int code = pri_attr_get(comm->mpi, comm->attributes, PRI_ATTR_COMM, keyval, value, flag);
    return code == MPI_SUCCESS ? code : pri_fail(comm, __func__, code);
}
PRI_ALIAS(Comm_get_attr);

int MPI_Comm_delete_attr(MPI_Comm handle, int keyval)
{
    struct pri_comm *comm = pri_comm_of(handle);
    if (comm == NULL) {
        return pri_fail(NULL, __func__, MPI_ERR_COMM);
    }
    int code = pri_attr_delete(comm->mpi, &comm->attributes, PRI_ATTR_COMM, handle, keyval);
    return code == MPI_SUCCESS ? code : pri_fail(comm, __func__, code);
}
PRI_ALIAS(Comm_delete_attr);

int MPI_COMM_DUP_FN(MPI_Comm comm, int keyval, void *extra, void *in, void *out, int *flag)
{
    (void)comm;
    (void)keyval;
    (void)extra;
    *(void **)out = in;
    *flag = 1;
    return MPI_SUCCESS;
}
PRI_ALIAS(COMM_DUP_FN);

int MPI_Keyval_create(MPI_Copy_function *copy, MPI_Delete_function *release, int *keyval,
                      void *extra)
{
    return MPI_Comm_create_keyval(copy, release, keyval, extra);
}
PRI_ALIAS(Keyval_create);

int MPI_Keyval_free(int *keyval)
{
    return MPI_Comm_free_keyval(keyval);
}
PRI_ALIAS(Keyval_free);

int MPI_Attr_put(MPI_Comm comm, int keyval, void *value)
{
    return MPI_Comm_set_attr(comm, keyval, value);
}
PRI_ALIAS(Attr_put);

int MPI_Attr_get(MPI_Comm comm, int keyval, void *value, int *flag)
{
    return MPI_Comm_get_attr(comm, keyval, value, flag);
}
PRI_ALIAS(Attr_get);

int MPI_Attr_delete(MPI_Comm comm, int keyval)
{
    return MPI_Comm_delete_attr(comm, keyval);
}
PRI_ALIAS(Attr_delete);
