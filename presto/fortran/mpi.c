/* SPDX-License-Identifier: BSD-3-Clause */
/* The subroutines as prestofc's objects know them. */
#include "fortran/convert.h"

#define NAME(lower)   presto_mpi_##lower##_
#define NAME_D(lower) presto_mpi_##lower##_d
#define CALL(name)    MPI_##name

#include "fortran/calls.h"
#include "fortran/hand.h"
