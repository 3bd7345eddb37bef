/* SPDX-License-Identifier: BSD-3-Clause */
/* The predefined pairs of a value and an index: X(symbol after presto_type_, name, value's C type,
 * index's, kind). Included where a list is wanted, with X defined; no include guard on purpose. */
X(float_int, "MPI_FLOAT_INT", float, int, PRI_KIND_FLOAT_INT)
X(double_int, "MPI_DOUBLE_INT", double, int, PRI_KIND_DOUBLE_INT)
X(long_int, "MPI_LONG_INT", long, int, PRI_KIND_LONG_INT)
X(2int, "MPI_2INT", int, int, PRI_KIND_2INT)
X(short_int, "MPI_SHORT_INT", short, int, PRI_KIND_SHORT_INT)
X(long_double_int, "MPI_LONG_DOUBLE_INT", long double, int, PRI_KIND_LDOUBLE_INT)
X(2real, "MPI_2REAL", float, float, PRI_KIND_2FLOAT)
X(2double_precision, "MPI_2DOUBLE_PRECISION", double, double, PRI_KIND_2DOUBLE)
X(2integer, "MPI_2INTEGER", int, int, PRI_KIND_2INT)
