# SPDX-License-Identifier: BSD-3-Clause
# Presto. PRESTO_TEST_CPPFLAGS and PRESTO_TEST_LIBS see inside of it.

PRESTO_TEST_CPPFLAGS = $(AM_CPPFLAGS) $(PRESTO_CORE_CPPFLAGS)
PRESTO_TEST_LIBS = presto/libpresto_core.la -lm -lpthread

presto_tests =
presto_scripts =
include tests/presto/native.mk
include tests/presto/coll.mk
include tests/presto/mpi.mk

check_PROGRAMS += $(presto_tests)
TESTS += $(presto_tests) $(presto_scripts)
EXTRA_DIST += $(presto_scripts)
