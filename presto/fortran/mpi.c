/* SPDX-License-Identifier: BSD-3-Clause */
/* The subroutines as prestofc's objects know them. */
#include "fortran/convert.h"

#define NAME(lower)     presto_mpi_##lower##_
#define NAME_D(lower)   presto_mpi_##lower##_d
#define NAME_S(lower)   presto_mpi_##lower##_s
#define CALL(name)      MPI_##name
#define PRF_NULL(lower) presto_mpi_##lower##_
#define PRF_HAS_NULLS

#include "fortran/calls.h"
#include "fortran/hand.h"

/* Module mpi_f08 has names of its own, so that a program may have both modules. */
#define OTHER_NAME(lower)                                    \
    extern __typeof__(NAME(lower)) presto_mpi_##lower##_f08  \
        __attribute__((alias("presto_mpi_" #lower "_")));    \
    extern __typeof__(NAME(lower)) presto_mpi_##lower##_f08_ \
        __attribute__((alias("presto_mpi_" #lower "_")));
#define OTHER_NAME_D(lower)                                     \
    extern __typeof__(NAME_D(lower)) presto_mpi_##lower##_f08_d \
        __attribute__((alias("presto_mpi_" #lower "_d")));
OTHER_NAME_D(sizeof)
#include "fortran/calls.h"
