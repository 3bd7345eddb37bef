/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions that stand for no conversion, for objects that prestofc has not compiled. Apart
 * from MPI's other names: Open MPI's own library for Fortran asks for them, and lacks them. */
#include "fortran/convert.h"

PRF_NULL_CONVERSION(mpi_conversion_fn_null_)
PRF_NULL_CONVERSION(mpi_conversion_fn_null_c_)
