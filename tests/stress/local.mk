# SPDX-License-Identifier: BSD-3-Clause
# Threads against each other; meant for --enable-sanitizer=thread, run in every build.

STRESS_CPPFLAGS = $(AM_CPPFLAGS) $(NI_CORE_CPPFLAGS) -I$(top_srcdir)/tests/unit
STRESS_LIBS = ni/libapeni_core.la -lpthread

stress_tests = tests/stress/lane_threads

tests_stress_lane_threads_SOURCES = tests/stress/lane_threads.c
tests_stress_lane_threads_CPPFLAGS = $(STRESS_CPPFLAGS)
tests_stress_lane_threads_LDADD = $(STRESS_LIBS)

include tests/stress/shm.mk

check_PROGRAMS += $(stress_tests)
TESTS += $(stress_tests)
