/* SPDX-License-Identifier: BSD-3-Clause */
/* What a status says. */
#include "mpi/state.h"

int MPI_Get_count(const MPI_Status *status, MPI_Datatype type, pri_count *count)
{
    if (type == NULL || !type->committed) {
        return pri_fail(NULL, __func__, MPI_ERR_TYPE);
    }
    *count = pri_count_of(pri_type_whole(type, status->presto_bytes));
    return MPI_SUCCESS;
}
PRI_ALIAS(Get_count);

#ifndef PRI_LARGE
int MPI_Get_elements_x(const MPI_Status *status, MPI_Datatype type, MPI_Count *count)
{
    if (type == NULL || !type->committed) {
        return pri_fail(NULL, __func__, MPI_ERR_TYPE);
    }
    size_t n = pri_type_elements(type, status->presto_bytes);
    *count = n == SIZE_MAX ? MPI_UNDEFINED : (MPI_Count)n;
    return MPI_SUCCESS;
}
PRI_ALIAS(Get_elements_x);
#endif

int MPI_Get_elements(const MPI_Status *status, MPI_Datatype type, pri_count *count)
{
    MPI_Count n;
    int code = MPI_Get_elements_x(status, type, &n);
    if (code == MPI_SUCCESS) {
        *count = n == MPI_UNDEFINED ? MPI_UNDEFINED : pri_count_of((size_t)n);
    }
    return code;
}
PRI_ALIAS(Get_elements);

#ifndef PRI_LARGE
int MPI_Status_set_elements_x(MPI_Status *status, MPI_Datatype type, MPI_Count count)
{
    if (type == NULL) {
        return pri_fail(NULL, __func__, MPI_ERR_TYPE);
    }
    if (count < 0) {
        return pri_fail(NULL, __func__, MPI_ERR_COUNT);
    }
    status->presto_bytes = pri_type_bytes(type, (size_t)count);
    return MPI_SUCCESS;
}
PRI_ALIAS(Status_set_elements_x);
#endif

int MPI_Status_set_elements(MPI_Status *status, MPI_Datatype type, pri_count count)
{
    return MPI_Status_set_elements_x(status, type, count);
}
PRI_ALIAS(Status_set_elements);

#ifndef PRI_LARGE
int MPI_Status_set_cancelled(MPI_Status *status, int flag)
{
    status->presto_cancelled = flag != 0;
    return MPI_SUCCESS;
}
PRI_ALIAS(Status_set_cancelled);

int MPI_Test_cancelled(const MPI_Status *status, int *flag)
{
    *flag = status->presto_cancelled != 0;
    return MPI_SUCCESS;
}
PRI_ALIAS(Test_cancelled);
#endif
