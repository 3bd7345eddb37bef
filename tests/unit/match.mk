# SPDX-License-Identifier: BSD-3-Clause
# Unit tests of ni/match.

unit_tests += \
    tests/unit/test_match_headers \
    tests/unit/test_match_list \
    tests/unit/test_match_ahead

unit_scripts += tests/unit/test_match_bench.sh

noinst_HEADERS += tests/unit/match_fixture.h

tests_unit_test_match_headers_SOURCES = tests/unit/test_match_headers.c
tests_unit_test_match_headers_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_match_headers_LDADD = $(UNIT_LIBS)

tests_unit_test_match_list_SOURCES = tests/unit/test_match_list.c
tests_unit_test_match_list_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_match_list_LDADD = $(UNIT_LIBS)

tests_unit_test_match_ahead_SOURCES = tests/unit/test_match_ahead.c
tests_unit_test_match_ahead_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_match_ahead_LDADD = $(UNIT_LIBS)
