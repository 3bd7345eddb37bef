/* SPDX-License-Identifier: BSD-3-Clause */
/* Operations of the application's own, and reductions without messages. */
#include "mpi/state.h"

int MPI_Op_create(MPI_User_function *function, int commutes, MPI_Op *op)
{
    if (function == NULL)
        return pri_fail(NULL, __func__, MPI_ERR_ARG);
    *op = pri_op_new(function, commutes != 0);
    return *op != NULL ? MPI_SUCCESS : pri_fail(NULL, __func__, MPI_ERR_NO_MEM);
}
PRI_ALIAS(Op_create);

int MPI_Op_free(MPI_Op *op)
{
    if (*op == NULL || (*op)->id != PRI_OP_USER)
        return pri_fail(NULL, __func__, MPI_ERR_OP);
    pri_op_release(*op);
    *op = MPI_OP_NULL;
    return MPI_SUCCESS;
}
PRI_ALIAS(Op_free);

int MPI_Op_commutative(MPI_Op op, int *commutes)
{
    if (op == NULL)
        return pri_fail(NULL, __func__, MPI_ERR_OP);
    *commutes = op->commutative;
    return MPI_SUCCESS;
}
PRI_ALIAS(Op_commutative);

int MPI_Reduce_local(const void *in, void *inout, int count, MPI_Datatype type, MPI_Op op)
{
    if (count < 0)
        return pri_fail(NULL, __func__, MPI_ERR_COUNT);
    if (type == NULL || !type->committed)
        return pri_fail(NULL, __func__, MPI_ERR_TYPE);
    if (op == NULL || !pri_op_accepts(op, type))
        return pri_fail(NULL, __func__, MPI_ERR_OP);
    if (count > 0)
        pri_op_apply(op, in, inout, (size_t)count, type);
    return MPI_SUCCESS;
}
PRI_ALIAS(Reduce_local);
