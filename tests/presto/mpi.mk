# SPDX-License-Identifier: BSD-3-Clause
# MPI on Presto: datatypes against a model; programs compiled with prestocc, started in all ways; the wrapper itself.

presto_tests += tests/presto/mpi_types tests/presto/op_loops

tests_presto_mpi_types_SOURCES = tests/presto/mpi_types.c
tests_presto_mpi_types_CPPFLAGS = $(PRESTO_TEST_CPPFLAGS)
tests_presto_mpi_types_LDADD = $(PRESTO_TEST_LIBS)

tests_presto_op_loops_SOURCES = tests/presto/op_loops.c
tests_presto_op_loops_CPPFLAGS = $(PRESTO_TEST_CPPFLAGS)
tests_presto_op_loops_LDADD = $(PRESTO_TEST_LIBS)

presto_scripts += tests/presto/build_systems.sh tests/presto/failure.sh tests/presto/failure_mitigation.sh tests/presto/fortran.sh tests/presto/hang.sh tests/presto/later.sh tests/presto/legacy.sh tests/presto/mpi.sh tests/presto/mpi_prestocc.sh tests/presto/report.sh tests/presto/rma_words.sh tests/presto/srun.sh
EXTRA_DIST += tests/presto/mpi_apps.c tests/presto/mpi_barrier.c tests/presto/mpi_between.c tests/presto/mpi_both.c tests/presto/mpi_calls.c tests/presto/mpi_contents.c tests/presto/mpi_contexts.c tests/presto/mpi_extra.c tests/presto/mpi_fail.c tests/presto/mpi_failure.c tests/presto/mpi_files.c tests/presto/mpi_handles.c tests/presto/mpi_hang.c tests/presto/mpi_inter.c tests/presto/mpi_large.c tests/presto/mpi_large.h tests/presto/mpi_large_few.c tests/presto/mpi_large_many.c tests/presto/mpi_later.c tests/presto/mpi_later.h tests/presto/mpi_later_wrong.c tests/presto/mpi_nothing.c tests/presto/mpi_objects.c tests/presto/mpi_pending.c tests/presto/mpi_persistent.c tests/presto/mpi_wrong.c tests/presto/mpi_common.sh tests/presto/mpi_lacks tests/presto/mpi_list tests/presto/mpi_standard
EXTRA_DIST += tests/presto/mpi_starts.c tests/presto/mpi_tools.c
EXTRA_DIST += tests/presto/fortran/both.f90 tests/presto/fortran/both_theirs.f90 tests/presto/fortran/calls.F90 tests/presto/fortran/missing.f90 tests/presto/fortran/mixed.f90 tests/presto/fortran/mixed_half.c \
    tests/presto/fortran/datarep.F90 tests/presto/fortran/large.f90 tests/presto/fortran/later.F90 tests/presto/fortran/new.f90 tests/presto/fortran/old.f tests/presto/fortran/project/CMakeLists.txt tests/presto/fortran/project/Makefile.in \
    tests/presto/fortran/project/configure.ac
EXTRA_DIST += tests/presto/clean_roots.sh tests/presto/roots/CMakeLists.txt tests/presto/roots/Makefile.in tests/presto/roots/configure.ac \
    tests/presto/roots/rank.c tests/presto/roots/rank.cc tests/presto/roots/rank.f90
EXTRA_DIST += tests/presto/project/CMakeLists.txt tests/presto/project/Makefile.in tests/presto/project/configure.ac \
    tests/presto/project/ring.c tests/presto/project/sum.c
EXTRA_DIST += tests/presto/rma_calls.c tests/presto/rma_calls.h tests/presto/rma_calls_contention.c \
    tests/presto/rma_calls_errors.c tests/presto/rma_calls_large.c tests/presto/rma_calls_long.c tests/presto/rma_calls_memory.c \
    tests/presto/rma_calls_pieces.c tests/presto/rma_calls_runs.c tests/presto/rma_calls_types.c tests/presto/rma_death.c \
    tests/presto/rma_limits.c tests/presto/rma_words.c
