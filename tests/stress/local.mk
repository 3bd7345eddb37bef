# SPDX-License-Identifier: BSD-3-Clause
# Threads against each other; meant for --enable-sanitizer=thread, run in every build.

STRESS_CPPFLAGS = $(AM_CPPFLAGS) $(NI_CORE_CPPFLAGS) -I$(top_srcdir)/tests/unit
STRESS_LIBS = ni/libapeni_core.la -lpthread

stress_tests = \
    tests/stress/counter_threads \
    tests/stress/engine_threads \
    tests/stress/flush_threads \
    tests/stress/inproc_threads \
    tests/stress/lane_threads \
    tests/stress/many_processes \
    tests/stress/portals_threads \
    tests/stress/qp_threads \
    tests/stress/queues_threads

tests_stress_counter_threads_SOURCES = tests/stress/counter_threads.c
tests_stress_counter_threads_CPPFLAGS = $(STRESS_CPPFLAGS)
tests_stress_counter_threads_LDADD = $(STRESS_LIBS)

tests_stress_engine_threads_SOURCES = tests/stress/engine_threads.c
tests_stress_engine_threads_CPPFLAGS = $(STRESS_CPPFLAGS)
tests_stress_engine_threads_LDADD = $(STRESS_LIBS)

tests_stress_flush_threads_SOURCES = tests/stress/flush_threads.c
tests_stress_flush_threads_CPPFLAGS = $(STRESS_CPPFLAGS)
tests_stress_flush_threads_LDADD = $(STRESS_LIBS)

tests_stress_inproc_threads_SOURCES = tests/stress/inproc_threads.c tests/links/inproc_mock.c
tests_stress_inproc_threads_CPPFLAGS = $(STRESS_CPPFLAGS) -I$(top_srcdir)/tests/links
tests_stress_inproc_threads_LDADD = $(STRESS_LIBS)

tests_stress_lane_threads_SOURCES = tests/stress/lane_threads.c
tests_stress_lane_threads_CPPFLAGS = $(STRESS_CPPFLAGS)
tests_stress_lane_threads_LDADD = $(STRESS_LIBS)

tests_stress_many_processes_SOURCES = tests/stress/many_processes.c
tests_stress_many_processes_CPPFLAGS = $(STRESS_CPPFLAGS)
tests_stress_many_processes_LDADD = $(STRESS_LIBS)

tests_stress_portals_threads_SOURCES = tests/stress/portals_threads.c
tests_stress_portals_threads_CPPFLAGS = $(STRESS_CPPFLAGS)
tests_stress_portals_threads_LDADD = $(STRESS_LIBS)

tests_stress_qp_threads_SOURCES = tests/stress/qp_threads.c
tests_stress_qp_threads_CPPFLAGS = $(STRESS_CPPFLAGS)
tests_stress_qp_threads_LDADD = $(STRESS_LIBS)

tests_stress_queues_threads_SOURCES = tests/stress/queues_threads.c
tests_stress_queues_threads_CPPFLAGS = $(STRESS_CPPFLAGS)
tests_stress_queues_threads_LDADD = $(STRESS_LIBS)

include tests/stress/shm.mk

check_PROGRAMS += $(stress_tests)
TESTS += $(stress_tests)
