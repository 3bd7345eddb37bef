# SPDX-License-Identifier: BSD-3-Clause
# Unit tests of ni/link: what all links share.

unit_tests += \
    tests/unit/test_lane_credits \
    tests/unit/test_lane_packets \
    tests/unit/test_lane_riders

noinst_HEADERS += tests/unit/lane_pair.h

tests_unit_test_lane_credits_SOURCES = tests/unit/test_lane_credits.c
tests_unit_test_lane_credits_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_lane_credits_LDADD = $(UNIT_LIBS)

tests_unit_test_lane_packets_SOURCES = tests/unit/test_lane_packets.c
tests_unit_test_lane_packets_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_lane_packets_LDADD = $(UNIT_LIBS)

tests_unit_test_lane_riders_SOURCES = tests/unit/test_lane_riders.c
tests_unit_test_lane_riders_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_lane_riders_LDADD = $(UNIT_LIBS)
