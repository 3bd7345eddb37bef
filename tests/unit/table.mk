# SPDX-License-Identifier: BSD-3-Clause
# Unit tests of ni/table.

unit_tests += \
    tests/unit/test_table_check \
    tests/unit/test_table_export \
    tests/unit/test_table_fault \
    tests/unit/test_table_handle \
    tests/unit/test_table_rcache \
    tests/unit/test_table_rcache_limits \
    tests/unit/test_table_rcache_region \
    tests/unit/test_table_search \
    tests/unit/test_table_threads \
    tests/unit/test_table_tree

unit_scripts += tests/unit/test_table_bench.sh

noinst_HEADERS += \
    tests/unit/rcache_fixture.h \
    tests/unit/table_fixture.h

tests_unit_test_table_check_SOURCES = tests/unit/test_table_check.c
tests_unit_test_table_check_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_table_check_LDADD = $(UNIT_LIBS)

tests_unit_test_table_export_SOURCES = tests/unit/test_table_export.c
tests_unit_test_table_export_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_table_export_LDADD = $(UNIT_LIBS)

tests_unit_test_table_fault_SOURCES = tests/unit/test_table_fault.c
tests_unit_test_table_fault_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_table_fault_LDADD = $(UNIT_LIBS)

tests_unit_test_table_handle_SOURCES = tests/unit/test_table_handle.c
tests_unit_test_table_handle_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_table_handle_LDADD = $(UNIT_LIBS)

tests_unit_test_table_rcache_SOURCES = tests/unit/test_table_rcache.c
tests_unit_test_table_rcache_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_table_rcache_LDADD = $(UNIT_LIBS)

tests_unit_test_table_rcache_limits_SOURCES = tests/unit/test_table_rcache_limits.c
tests_unit_test_table_rcache_limits_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_table_rcache_limits_LDADD = $(UNIT_LIBS)

tests_unit_test_table_rcache_region_SOURCES = tests/unit/test_table_rcache_region.c
tests_unit_test_table_rcache_region_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_table_rcache_region_LDADD = $(UNIT_LIBS)

tests_unit_test_table_search_SOURCES = tests/unit/test_table_search.c
tests_unit_test_table_search_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_table_search_LDADD = $(UNIT_LIBS)

tests_unit_test_table_threads_SOURCES = tests/unit/test_table_threads.c
tests_unit_test_table_threads_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_table_threads_LDADD = $(UNIT_LIBS)

tests_unit_test_table_tree_SOURCES = tests/unit/test_table_tree.c
tests_unit_test_table_tree_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_table_tree_LDADD = $(UNIT_LIBS)
