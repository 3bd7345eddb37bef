# SPDX-License-Identifier: BSD-3-Clause
# What prestorun is told by ranks.

fuzzers += tests/fuzz/fuzz_wire_up

tests_fuzz_fuzz_wire_up_SOURCES = tests/fuzz/fuzz_wire_up.c tests/fuzz/fuzz_input.h presto/tools/run_wire.c presto/tools/run.h \
    $(fuzz_driver)
tests_fuzz_fuzz_wire_up_CPPFLAGS = $(FUZZ_CPPFLAGS) -I$(top_srcdir)/presto
tests_fuzz_fuzz_wire_up_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
tests_fuzz_fuzz_wire_up_LDADD = $(FUZZ_LIBS)

EXTRA_DIST += tests/fuzz/corpus/wire_up.tar.gz
