# SPDX-License-Identifier: BSD-3-Clause
# Tests of the record, and of what pml_hooks counts by Open MPI's tags.

unit_tests += tests/unit/test_record tests/unit/test_record_asked
if HAVE_OMPI
unit_tests += tests/unit/test_hooks_class
endif

tests_unit_test_record_SOURCES = tests/unit/test_record.c
tests_unit_test_record_CPPFLAGS = $(UNIT_CPPFLAGS) -I$(top_srcdir)
tests_unit_test_record_LDADD = record/librecord.la $(UNIT_LIBS)

tests_unit_test_record_asked_SOURCES = tests/unit/test_record_asked.c
tests_unit_test_record_asked_CPPFLAGS = $(UNIT_CPPFLAGS) -I$(top_srcdir)
tests_unit_test_record_asked_LDADD = record/librecord.la $(UNIT_LIBS)

tests_unit_test_hooks_class_SOURCES = tests/unit/test_hooks_class.c
tests_unit_test_hooks_class_CPPFLAGS = $(BTL_UNIT_CPPFLAGS)
tests_unit_test_hooks_class_LDADD = pml_hooks/libpml_hooks.la $(UNIT_LIBS) $(OMPI_LIBS)
