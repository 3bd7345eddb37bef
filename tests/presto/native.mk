# SPDX-License-Identifier: BSD-3-Clause
# The native interface, linked as a user would.

PRESTO_NATIVE_CPPFLAGS = $(AM_CPPFLAGS) $(PRESTO_CPPFLAGS)

presto_programs = \
    tests/presto/native_p2p

tests_presto_native_p2p_SOURCES = tests/presto/native_p2p.c tests/presto/job.h
tests_presto_native_p2p_CPPFLAGS = $(PRESTO_NATIVE_CPPFLAGS)
tests_presto_native_p2p_LDADD = presto/libpresto.la -lpthread

check_PROGRAMS += $(presto_programs)

presto_scripts += tests/presto/native.sh tests/presto/prestorun.sh
