# SPDX-License-Identifier: BSD-3-Clause
# Unit tests of ni/topology.

unit_tests += \
    tests/unit/test_torus \
    tests/unit/test_torus_map

tests_unit_test_torus_SOURCES = tests/unit/test_torus.c
tests_unit_test_torus_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_torus_LDADD = $(UNIT_LIBS)

tests_unit_test_torus_map_SOURCES = tests/unit/test_torus_map.c
tests_unit_test_torus_map_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_torus_map_LDADD = $(UNIT_LIBS)
