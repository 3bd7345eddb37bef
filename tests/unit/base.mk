# SPDX-License-Identifier: BSD-3-Clause
# Unit tests of ni/base.

unit_tests += \
    tests/unit/test_base_config \
    tests/unit/test_base_fault \
    tests/unit/test_base_fault_page \
    tests/unit/test_base_log \
    tests/unit/test_base_memory_node \
    tests/unit/test_base_number \
    tests/unit/test_base_param \
    tests/unit/test_base_pool \
    tests/unit/test_base_stats \
    tests/unit/test_base_status \
    tests/unit/test_base_util

unit_scripts += tests/unit/apeni_info.sh

noinst_HEADERS += tests/unit/rounds.h tests/unit/unit.h

tests_unit_test_base_config_SOURCES = tests/unit/test_base_config.c
tests_unit_test_base_config_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_base_config_LDADD = $(UNIT_LIBS)

tests_unit_test_base_fault_SOURCES = tests/unit/test_base_fault.c
tests_unit_test_base_fault_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_base_fault_LDADD = $(UNIT_LIBS)

tests_unit_test_base_fault_page_SOURCES = tests/unit/test_base_fault_page.c
tests_unit_test_base_fault_page_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_base_fault_page_LDADD = $(UNIT_LIBS)

tests_unit_test_base_log_SOURCES = tests/unit/test_base_log.c
tests_unit_test_base_log_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_base_log_LDADD = $(UNIT_LIBS)

tests_unit_test_base_number_SOURCES = tests/unit/test_base_number.c
tests_unit_test_base_number_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_base_number_LDADD = $(UNIT_LIBS)

tests_unit_test_base_param_SOURCES = tests/unit/test_base_param.c
tests_unit_test_base_param_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_base_param_LDADD = $(UNIT_LIBS)

tests_unit_test_base_pool_SOURCES = tests/unit/test_base_pool.c
tests_unit_test_base_pool_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_base_pool_LDADD = $(UNIT_LIBS)

tests_unit_test_base_stats_SOURCES = tests/unit/test_base_stats.c
tests_unit_test_base_stats_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_base_stats_LDADD = $(UNIT_LIBS)

tests_unit_test_base_status_SOURCES = tests/unit/test_base_status.c
tests_unit_test_base_status_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_base_status_LDADD = $(UNIT_LIBS)

tests_unit_test_base_util_SOURCES = tests/unit/test_base_util.c
tests_unit_test_base_util_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_base_util_LDADD = $(UNIT_LIBS)

tests_unit_test_base_memory_node_SOURCES = tests/unit/test_base_memory_node.c
tests_unit_test_base_memory_node_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_base_memory_node_LDADD = $(UNIT_LIBS)
