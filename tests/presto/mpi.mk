# SPDX-License-Identifier: BSD-3-Clause
# MPI on Presto: datatypes against a model; programs compiled with prestocc, started in all ways; the wrapper itself.

presto_tests += tests/presto/mpi_types

tests_presto_mpi_types_SOURCES = tests/presto/mpi_types.c
tests_presto_mpi_types_CPPFLAGS = $(PRESTO_TEST_CPPFLAGS)
tests_presto_mpi_types_LDADD = $(PRESTO_TEST_LIBS)

presto_scripts += tests/presto/mpi.sh tests/presto/mpi_prestocc.sh
EXTRA_DIST += tests/presto/mpi_calls.c tests/presto/mpi_common.sh tests/presto/mpi_lacks tests/presto/mpi_list
