# SPDX-License-Identifier: BSD-3-Clause
# Tests of pml_match: without MPI. The script needs mpirun, and the program of btl.mk.

if HAVE_OMPI
unit_tests += \
    tests/unit/test_pml_end \
    tests/unit/test_pml_help
unit_scripts += tests/unit/pml_asked.sh
endif

EXTRA_DIST += tests/unit/pml_asked.sh

tests_unit_test_pml_end_SOURCES = tests/unit/test_pml_end.c
tests_unit_test_pml_end_CPPFLAGS = $(BTL_UNIT_CPPFLAGS)
tests_unit_test_pml_end_LDADD = pml_match/libpml_match.la $(UNIT_LIBS) $(OMPI_LIBS) $(MPI_LIBS)

tests_unit_test_pml_help_SOURCES = tests/unit/test_pml_help.c tests/unit/match_help.h tests/unit/said.h
tests_unit_test_pml_help_CPPFLAGS = $(BTL_UNIT_CPPFLAGS)
tests_unit_test_pml_help_LDADD = pml_match/libpml_match.la $(UNIT_LIBS) $(OMPI_LIBS) $(MPI_LIBS)
