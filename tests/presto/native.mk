# SPDX-License-Identifier: BSD-3-Clause
# The native interface, linked as a user would, and prestorun.

PRESTO_NATIVE_CPPFLAGS = $(AM_CPPFLAGS) $(PRESTO_CPPFLAGS)
PRESTO_NATIVE_LIBS = presto/libpresto.la -lpthread

check_PROGRAMS += \
    tests/presto/core_deaths \
    tests/presto/native_abort \
    tests/presto/native_absent \
    tests/presto/native_busy \
    tests/presto/native_child \
    tests/presto/native_coll \
    tests/presto/native_death \
    tests/presto/native_fail \
    tests/presto/native_memory \
    tests/presto/native_nomem \
    tests/presto/native_p2p \
    tests/presto/native_threads \
    tests/presto/native_watch

tests_presto_core_deaths_SOURCES = tests/presto/core_deaths.c tests/presto/job.h
tests_presto_core_deaths_CPPFLAGS = $(PRESTO_TEST_CPPFLAGS) $(PRESTO_CPPFLAGS)
tests_presto_core_deaths_LDADD = $(PRESTO_TEST_LIBS)
tests_presto_native_abort_SOURCES = tests/presto/native_abort.c tests/presto/job.h
tests_presto_native_abort_CPPFLAGS = $(PRESTO_NATIVE_CPPFLAGS)
tests_presto_native_abort_LDADD = $(PRESTO_NATIVE_LIBS)
tests_presto_native_absent_SOURCES = tests/presto/native_absent.c tests/presto/job.h
tests_presto_native_absent_CPPFLAGS = $(PRESTO_TEST_CPPFLAGS) $(PRESTO_CPPFLAGS)
tests_presto_native_absent_LDADD = $(PRESTO_TEST_LIBS)
tests_presto_native_busy_SOURCES = tests/presto/native_busy.c
tests_presto_native_busy_CPPFLAGS = $(PRESTO_NATIVE_CPPFLAGS)
tests_presto_native_busy_LDADD = $(PRESTO_NATIVE_LIBS)
tests_presto_native_child_SOURCES = tests/presto/native_child.c tests/presto/job.h
tests_presto_native_child_CPPFLAGS = $(PRESTO_NATIVE_CPPFLAGS)
tests_presto_native_child_LDADD = $(PRESTO_NATIVE_LIBS)
tests_presto_native_coll_SOURCES = tests/presto/native_coll.c tests/presto/job.h
tests_presto_native_coll_CPPFLAGS = $(PRESTO_NATIVE_CPPFLAGS)
tests_presto_native_coll_LDADD = $(PRESTO_NATIVE_LIBS)
tests_presto_native_death_SOURCES = tests/presto/native_death.c
tests_presto_native_death_CPPFLAGS = $(PRESTO_NATIVE_CPPFLAGS)
tests_presto_native_death_LDADD = $(PRESTO_NATIVE_LIBS)
tests_presto_native_fail_SOURCES = tests/presto/native_fail.c
tests_presto_native_fail_CPPFLAGS = $(PRESTO_NATIVE_CPPFLAGS)
tests_presto_native_fail_LDADD = $(PRESTO_NATIVE_LIBS)
tests_presto_native_memory_SOURCES = tests/presto/native_memory.c tests/presto/job.h
tests_presto_native_memory_CPPFLAGS = $(PRESTO_NATIVE_CPPFLAGS)
tests_presto_native_memory_LDADD = $(PRESTO_NATIVE_LIBS)
tests_presto_native_nomem_SOURCES = tests/presto/native_nomem.c tests/presto/job.h
tests_presto_native_nomem_CPPFLAGS = $(PRESTO_TEST_CPPFLAGS)
tests_presto_native_nomem_LDADD = $(PRESTO_TEST_LIBS)
tests_presto_native_p2p_SOURCES = tests/presto/native_p2p.c
tests_presto_native_p2p_CPPFLAGS = $(PRESTO_NATIVE_CPPFLAGS)
tests_presto_native_p2p_LDADD = $(PRESTO_NATIVE_LIBS)
tests_presto_native_threads_SOURCES = tests/presto/native_threads.c
tests_presto_native_threads_CPPFLAGS = $(PRESTO_NATIVE_CPPFLAGS)
tests_presto_native_threads_LDADD = $(PRESTO_NATIVE_LIBS)
tests_presto_native_watch_SOURCES = tests/presto/native_watch.c tests/presto/job.h
tests_presto_native_watch_CPPFLAGS = $(PRESTO_NATIVE_CPPFLAGS)
tests_presto_native_watch_LDADD = $(PRESTO_NATIVE_LIBS)

if HAVE_UCX
check_PROGRAMS += tests/presto/native_keys
endif
tests_presto_native_keys_SOURCES = tests/presto/native_keys.c tests/presto/job.h tests/unit/key_scan.h
tests_presto_native_keys_CPPFLAGS = $(PRESTO_TEST_CPPFLAGS) $(PRESTO_CPPFLAGS) -I$(top_srcdir)/tests/unit $(UCX_CFLAGS)
tests_presto_native_keys_LDADD = $(PRESTO_TEST_LIBS)

# Launchers, which know PMI-2 or PMIx and nothing of Presto.
check_PROGRAMS += tests/presto/pmi2_launcher
tests_presto_pmi2_launcher_SOURCES = tests/presto/pmi2_launcher.c
if HAVE_PMIX
check_PROGRAMS += tests/presto/pmix_launcher
endif
tests_presto_pmix_launcher_SOURCES = tests/presto/pmix_launcher.c
tests_presto_pmix_launcher_CPPFLAGS = $(AM_CPPFLAGS) $(PMIX_CFLAGS)
tests_presto_pmix_launcher_LDADD = $(PMIX_LIBS) -lpthread

presto_scripts += tests/presto/core_deaths.sh tests/presto/native.sh tests/presto/prestorun.sh tests/presto/prestorun_host.sh tests/presto/prestorun_killed.sh
