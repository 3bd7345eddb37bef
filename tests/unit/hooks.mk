# SPDX-License-Identifier: BSD-3-Clause
# Tests of pml_hooks: without MPI.

if HAVE_OMPI
unit_tests += tests/unit/test_hooks_record
endif

tests_unit_test_hooks_record_SOURCES = tests/unit/test_hooks_record.c
tests_unit_test_hooks_record_CPPFLAGS = $(BTL_UNIT_CPPFLAGS)
tests_unit_test_hooks_record_LDADD = pml_hooks/libpml_hooks.la $(UNIT_LIBS) $(OMPI_LIBS)
