/* SPDX-License-Identifier: BSD-3-Clause */
/* The same by the names of the profiling interface. */
#include "fortran/convert.h"

#define PRF_PLAIN
#define NAME(lower)     pmpi_##lower##_
#define NAME_D(lower)   prf_pmpi_##lower##_d
#define NAME_S(lower)   prf_pmpi_##lower##_s
#define CALL(name)      PMPI_##name
#define PRF_NULL(lower) mpi_##lower##_

#include "fortran/calls.h"
#include "fortran/hand.h"
