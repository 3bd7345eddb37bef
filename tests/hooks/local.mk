# SPDX-License-Identifier: BSD-3-Clause
# pml_hooks in MPI programs that do what is to be recorded.

EXTRA_DIST += tests/hooks/faults.sh tests/hooks/faultscheck.py tests/hooks/hooks.sh tests/hooks/hookscheck.py \
    tests/hooks/checking.py tests/hooks/clockscheck.py tests/hooks/common.sh tests/hooks/costs.sh tests/hooks/costscheck.py tests/hooks/page.sh tests/hooks/pagecheck.py tests/hooks/pictures.py tests/hooks/browser.py \
    tests/hooks/make_record.py tests/hooks/records.sh tests/hooks/recordscheck.py tests/hooks/running.py tests/hooks/schemacheck.py tests/hooks/slowcheck.py tests/hooks/variablescheck.py tests/hooks/windowscheck.py \
    tests/hooks/records/version1.json tests/hooks/records/version1.raw.gz
TESTS += tests/hooks/costs.sh tests/hooks/faults.sh tests/hooks/hooks.sh tests/hooks/page.sh tests/hooks/records.sh

if HAVE_MPI
check_PROGRAMS += tests/hooks/hooks_costs tests/hooks/hooks_count tests/hooks/hooks_faults tests/hooks/hooks_pvars tests/hooks/hooks_slow tests/hooks/hooks_stall \
    tests/hooks/hooks_switch tests/hooks/hooks_queues tests/hooks/hooks_inter \
    tests/hooks/hooks_device tests/hooks/hooks_staged tests/hooks/hooks_survive tests/hooks/hooks_windows
check_LTLIBRARIES += tests/hooks/cuda_like.la
endif

tests_hooks_hooks_count_SOURCES = tests/hooks/hooks_count.c
tests_hooks_hooks_count_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CPPFLAGS)
tests_hooks_hooks_count_LDADD = $(MPI_LIBS)

tests_hooks_hooks_faults_SOURCES = tests/hooks/hooks_faults.c
tests_hooks_hooks_faults_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CPPFLAGS)
tests_hooks_hooks_faults_LDADD = $(MPI_LIBS)

tests_hooks_hooks_survive_SOURCES = tests/hooks/hooks_survive.c
tests_hooks_hooks_survive_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CPPFLAGS)
tests_hooks_hooks_survive_LDADD = $(MPI_LIBS)

tests_hooks_hooks_windows_SOURCES = tests/hooks/hooks_windows.c tests/hooks/way.h
tests_hooks_hooks_windows_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CPPFLAGS)
tests_hooks_hooks_windows_LDADD = $(MPI_LIBS)

tests_hooks_hooks_pvars_SOURCES = tests/hooks/hooks_pvars.c
tests_hooks_hooks_pvars_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CPPFLAGS)
tests_hooks_hooks_pvars_LDADD = $(MPI_LIBS)

tests_hooks_hooks_slow_SOURCES = tests/hooks/hooks_slow.c tests/hooks/way.h
tests_hooks_hooks_slow_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CPPFLAGS)
tests_hooks_hooks_slow_LDADD = $(MPI_LIBS)

tests_hooks_hooks_stall_SOURCES = tests/hooks/hooks_stall.c tests/hooks/way.h
tests_hooks_hooks_stall_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CPPFLAGS)
tests_hooks_hooks_stall_LDADD = $(MPI_LIBS)

tests_hooks_hooks_queues_SOURCES = tests/hooks/hooks_queues.c
tests_hooks_hooks_queues_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CPPFLAGS)
tests_hooks_hooks_queues_LDADD = $(MPI_LIBS)

tests_hooks_hooks_device_SOURCES = tests/hooks/hooks_device.c
tests_hooks_hooks_device_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CPPFLAGS)
tests_hooks_hooks_device_LDADD = $(MPI_LIBS)

tests_hooks_hooks_staged_SOURCES = tests/hooks/hooks_staged.c
tests_hooks_hooks_staged_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CPPFLAGS)
tests_hooks_hooks_staged_LDADD = $(MPI_LIBS)

# Opened by its path.
tests_hooks_cuda_like_la_SOURCES = tests/hooks/cuda_like.c
tests_hooks_cuda_like_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared -rpath /nowhere

tests_hooks_hooks_inter_SOURCES = tests/hooks/hooks_inter.c
tests_hooks_hooks_inter_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CPPFLAGS)
tests_hooks_hooks_inter_LDADD = $(MPI_LIBS)

tests_hooks_hooks_switch_SOURCES = tests/hooks/hooks_switch.c
tests_hooks_hooks_switch_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CPPFLAGS)
tests_hooks_hooks_switch_LDADD = $(MPI_LIBS)

if HAVE_OMPI
check_PROGRAMS += tests/hooks/test_rules tests/hooks/test_under
TESTS += tests/hooks/test_rules tests/hooks/test_under
endif

tests_hooks_test_rules_SOURCES = tests/hooks/test_rules.c pml_hooks/pml_hooks_rules.c
tests_hooks_test_rules_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir) $(MPI_CPPFLAGS)

tests_hooks_test_under_SOURCES = tests/hooks/test_under.c pml_hooks/pml_hooks_under.c
tests_hooks_test_under_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir) $(OMPI_CPPFLAGS)
tests_hooks_test_under_LDADD = $(OMPI_LIBS)

tests_hooks_hooks_costs_SOURCES = tests/hooks/hooks_costs.c
tests_hooks_hooks_costs_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CPPFLAGS)
tests_hooks_hooks_costs_LDADD = $(MPI_LIBS)
