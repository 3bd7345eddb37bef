/* SPDX-License-Identifier: BSD-3-Clause */
/* The subroutines by the names that gfortran gives them, for objects that prestofc has not
 * compiled. */
#include "fortran/convert.h"

#define PRF_PLAIN
#define NAME(lower)     mpi_##lower##_
#define NAME_D(lower)   prf_mpi_##lower##_d
#define NAME_S(lower)   prf_mpi_##lower##_s
#define CALL(name)      MPI_##name
#define PRF_NULL(lower) mpi_##lower##_

#include "fortran/calls.h"
#include "fortran/hand.h"
