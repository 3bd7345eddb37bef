# SPDX-License-Identifier: BSD-3-Clause
# Tests of mtl_match: without MPI. The script needs mpirun, and the program of btl.mk.

if HAVE_OMPI
unit_tests += \
    tests/unit/test_mtl_bits \
    tests/unit/test_mtl_end \
    tests/unit/test_mtl_help \
    tests/unit/test_mtl_window
unit_scripts += tests/unit/mtl_asked.sh
endif

EXTRA_DIST += tests/unit/mtl_asked.sh

tests_unit_test_mtl_bits_SOURCES = tests/unit/test_mtl_bits.c
tests_unit_test_mtl_bits_CPPFLAGS = $(BTL_UNIT_CPPFLAGS)
tests_unit_test_mtl_bits_LDADD = mtl_match/libmtl_match.la $(UNIT_LIBS) $(OMPI_LIBS)

tests_unit_test_mtl_end_SOURCES = tests/unit/test_mtl_end.c
tests_unit_test_mtl_end_CPPFLAGS = $(BTL_UNIT_CPPFLAGS)
tests_unit_test_mtl_end_LDADD = mtl_match/libmtl_match.la $(UNIT_LIBS) $(OMPI_LIBS) $(MPI_LIBS)

tests_unit_test_mtl_help_SOURCES = tests/unit/test_mtl_help.c tests/unit/match_help.h tests/unit/said.h
tests_unit_test_mtl_help_CPPFLAGS = $(BTL_UNIT_CPPFLAGS)
tests_unit_test_mtl_help_LDADD = mtl_match/libmtl_match.la $(UNIT_LIBS) $(OMPI_LIBS) $(MPI_LIBS)

tests_unit_test_mtl_window_SOURCES = tests/unit/test_mtl_window.c
tests_unit_test_mtl_window_CPPFLAGS = $(BTL_UNIT_CPPFLAGS)
tests_unit_test_mtl_window_LDADD = mtl_match/libmtl_match.la $(UNIT_LIBS) $(OMPI_LIBS) $(MPI_LIBS)
