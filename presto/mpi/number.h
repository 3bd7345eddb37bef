/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PRI_MPI_NUMBER_H
#define PRI_MPI_NUMBER_H

/* What the bindings of Fortran need of MPI's objects beyond mpi.h: the numbers of predefined
 * handles without a call, and marks on objects whose functions or values are Fortran's. */

#include <stdbool.h>

#include "include/mpi.h"

enum presto_kind {
    PRESTO_KIND_none,
    PRESTO_KIND_comm,
    PRESTO_KIND_group,
    PRESTO_KIND_errhandler,
    PRESTO_KIND_info,
    PRESTO_KIND_message,
    PRESTO_KIND_op,
    PRESTO_KIND_type,
    PRESTO_KIND_request,
    PRESTO_KIND_win,
    PRESTO_KIND_file
};

struct presto_number {
    const void *handle;
    enum presto_kind kind;
};

#pragma GCC visibility push(default)

/* By their numbers, which begin with 1 and are those of all ranks. */
extern const struct presto_number presto_predefined[];

/* How functions of attributes are called: as C's, as Fortran's with integers that hold addresses,
 * or as those of MPI 1 with plain integers. */
enum presto_language { PRESTO_C, PRESTO_FORTRAN, PRESTO_FORTRAN_OLD };

/* The functions of a new key, or of a new handler or operation, are Fortran's. */
void presto_fortran_keyval(int keyval, enum presto_language language, MPI_Aint extra);
void presto_fortran_errhandler(MPI_Errhandler errhandler);
void presto_fortran_op(MPI_Op op);

/* Sets and gets an attribute whose value is a number: Fortran's own, or the address that C has set.
 * What C gets of Fortran's is the address of the number. The function of MPI that does it may be
 * the application's own, or that of the profiling interface. MPI's codes. */
int presto_fortran_comm_set(int (*set)(MPI_Comm, int, void *), MPI_Comm comm, int keyval,
                            MPI_Aint number);
int presto_fortran_comm_get(int (*get)(MPI_Comm, int, void *, int *), MPI_Comm comm, int keyval,
                            MPI_Aint *number, int *flag);
int presto_fortran_type_set(int (*set)(MPI_Datatype, int, void *), MPI_Datatype type, int keyval,
                            MPI_Aint number);
int presto_fortran_type_get(int (*get)(MPI_Datatype, int, void *, int *), MPI_Datatype type,
                            int keyval, MPI_Aint *number, int *flag);
int presto_fortran_win_set(int (*set)(MPI_Win, int, void *), MPI_Win win, int keyval,
                           MPI_Aint number);
int presto_fortran_win_get(int (*get)(MPI_Win, int, void *, int *), MPI_Win win, int keyval,
                           MPI_Aint *number, int *flag);

#pragma GCC visibility pop

#endif
