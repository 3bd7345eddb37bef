# SPDX-License-Identifier: BSD-3-Clause
# Random traces against naive models. Each program takes a seed, to repeat what failed. Fragments append to model_tests.

MODEL_CPPFLAGS = $(AM_CPPFLAGS) $(NI_CORE_CPPFLAGS) -I$(top_srcdir)/tests/unit
MODEL_LIBS = ni/libapeni_core.la

model_tests = tests/model/model_lane

tests_model_model_lane_SOURCES = tests/model/model_lane.c
tests_model_model_lane_CPPFLAGS = $(MODEL_CPPFLAGS)
tests_model_model_lane_LDADD = $(MODEL_LIBS)

include tests/model/dnp.mk
include tests/model/driver.mk
include tests/model/match.mk
include tests/model/table.mk

check_PROGRAMS += $(model_tests)
TESTS += $(model_tests)
