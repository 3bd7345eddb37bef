# SPDX-License-Identifier: BSD-3-Clause
# Unit tests of presto/tools.

unit_tests += tests/unit/test_run_bind

tests_unit_test_run_bind_SOURCES = tests/unit/test_run_bind.c presto/tools/run_bind.c
tests_unit_test_run_bind_CPPFLAGS = $(UNIT_CPPFLAGS) -I$(top_srcdir)/presto
tests_unit_test_run_bind_LDADD = $(UNIT_LIBS)
