/* SPDX-License-Identifier: BSD-3-Clause */
/* What becomes of calls of functions that Presto does not have, in programs that were compiled with
 * prestocc --defer-missing. */
#include "mpi/state.h"

int presto_missing(const char *name, const char *hint)
{
    pri_blame(MPI_ERR_UNSUPPORTED_OPERATION, hint);
    return pri_fail(NULL, name, MPI_ERR_UNSUPPORTED_OPERATION);
}
