/* SPDX-License-Identifier: BSD-3-Clause */
/* Operations of the application's own, and reductions without messages. */
#include "mpi/coll_check.h"
#include "mpi/number.h"

#ifndef PRI_LARGE
void presto_fortran_op(MPI_Op op)
{
    op->number = MPI_Type_c2f;
}

int MPI_Op_create(MPI_User_function *function, int commutes, MPI_Op *op)
{
    if (function == NULL) {
        return pri_fail(NULL, __func__, MPI_ERR_ARG);
    }
    *op = pri_op_new(function, NULL, commutes != 0);
    return *op != NULL ? MPI_SUCCESS : pri_fail(NULL, __func__, MPI_ERR_NO_MEM);
}
PRI_ALIAS(Op_create);

int MPI_Op_create_c(MPI_User_function_c *function, int commutes, MPI_Op *op)
{
    if (function == NULL) {
        return pri_fail(NULL, __func__, MPI_ERR_ARG);
    }
    *op = pri_op_new(NULL, function, commutes != 0);
    return *op != NULL ? MPI_SUCCESS : pri_fail(NULL, __func__, MPI_ERR_NO_MEM);
}
PRI_ALIAS(Op_create_c);

int MPI_Op_free(MPI_Op *op)
{
    if (*op == NULL || (*op)->id != PRI_OP_USER) {
        return pri_fail(NULL, __func__, MPI_ERR_OP);
    }
    pri_op_release(*op);
    *op = MPI_OP_NULL;
    return MPI_SUCCESS;
}
PRI_ALIAS(Op_free);

int MPI_Op_commutative(MPI_Op op, int *commutes)
{
    if (op == NULL) {
        return pri_fail(NULL, __func__, MPI_ERR_OP);
    }
    *commutes = op->commutative;
    return MPI_SUCCESS;
}
PRI_ALIAS(Op_commutative);
#endif

int MPI_Reduce_local(const void *in, void *inout, pri_count count, MPI_Datatype type, MPI_Op op)
{
    int code = pri_bad_reduction(false, in, inout, count, pri_some_type(count, type), op);
    if (code == MPI_SUCCESS && count > 0 && in == inout) {
        code = pri_blame(MPI_ERR_BUFFER, "both are the same");
    }
    if (code != MPI_SUCCESS) {
        return pri_fail(NULL, __func__, code);
    }
    if (count > 0) {
        pri_op_apply(op, in, inout, (size_t)count, type);
    }
    return MPI_SUCCESS;
}
PRI_ALIAS(Reduce_local);
