# SPDX-License-Identifier: BSD-3-Clause
# pml_hooks in MPI programs that do what is to be recorded.

EXTRA_DIST += tests/hooks/hooks.sh tests/hooks/hookscheck.py
TESTS += tests/hooks/hooks.sh

if HAVE_MPI
check_PROGRAMS += tests/hooks/hooks_count tests/hooks/hooks_pvars tests/hooks/hooks_stall
endif

tests_hooks_hooks_count_SOURCES = tests/hooks/hooks_count.c
tests_hooks_hooks_count_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CPPFLAGS)
tests_hooks_hooks_count_LDADD = $(MPI_LIBS)

tests_hooks_hooks_pvars_SOURCES = tests/hooks/hooks_pvars.c
tests_hooks_hooks_pvars_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CPPFLAGS)
tests_hooks_hooks_pvars_LDADD = $(MPI_LIBS)

tests_hooks_hooks_stall_SOURCES = tests/hooks/hooks_stall.c
tests_hooks_hooks_stall_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CPPFLAGS)
tests_hooks_hooks_stall_LDADD = $(MPI_LIBS)
