/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PRESTO_MPI_H
#define PRESTO_MPI_H

/* MPI's interface on top of Presto, for programs that exist: compile them with prestocc, unchanged.
 *
 * Each function has another symbol than its name (MPI_Send is presto_MPI_Send), so that one program
 * may hold a part that was compiled against this header and a part that was compiled against
 * another MPI's. Functions that Presto does not have are named in mpi/missing.h, and a program that
 * calls one does not compile; `prestocc --check FILE.c` lists what a source uses. Semantics are
 * those of MPI 3.1. */

#include <stddef.h>

#define PRESTO_MPI 1

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

#include "mpi/names.h"
#include "mpi/handles.h"
#include "mpi/constants.h"
#include "mpi/types.h"
#include "mpi/environment.h"
#include "mpi/point.h"
#include "mpi/collective.h"
#include "mpi/datatype.h"
#include "mpi/communicator.h"
#include "mpi/onesided.h"
#include "mpi/files.h"
#include "mpi/tool.h"
#include "mpi/fortran.h"
#include "mpi/large.h"
#include "mpi/lacking.h"
#include "mpi/missing.h"
#include "mpi/missing_profiling.h"

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
