# SPDX-License-Identifier: BSD-3-Clause
# What prestorun is told by ranks, and by other hosts.

fuzzers += tests/fuzz/fuzz_hosts tests/fuzz/fuzz_wire_up

tests_fuzz_fuzz_hosts_SOURCES = tests/fuzz/fuzz_hosts.c tests/fuzz/fuzz_input.h presto/tools/run_down.c presto/tools/run_end.c \
    presto/tools/run_frame.c presto/tools/run_input.c presto/tools/run_launch.c presto/tools/run_output.c presto/tools/run_record.c presto/tools/run_ranks.c \
    presto/tools/run_names.c presto/tools/run_numbers.c presto/tools/run_serve.c presto/tools/run_spec.c presto/tools/run_up.c presto/tools/run_wire.c presto/tools/run_world.c
tests_fuzz_fuzz_hosts_CPPFLAGS = $(FUZZ_CPPFLAGS) -I$(top_srcdir)/presto
tests_fuzz_fuzz_hosts_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
tests_fuzz_fuzz_hosts_LDADD = $(FUZZ_LIBS)

tests_fuzz_fuzz_wire_up_SOURCES = tests/fuzz/fuzz_wire_up.c tests/fuzz/fuzz_input.h presto/tools/run_ranks.c presto/tools/run_names.c presto/tools/run_numbers.c presto/tools/run_serve.c presto/tools/run_wire.c \
    presto/tools/run_world.c presto/tools/run.h
tests_fuzz_fuzz_wire_up_CPPFLAGS = $(FUZZ_CPPFLAGS) -I$(top_srcdir)/presto
tests_fuzz_fuzz_wire_up_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
tests_fuzz_fuzz_wire_up_LDADD = $(FUZZ_LIBS)

EXTRA_DIST += tests/fuzz/corpus/hosts.tar.gz tests/fuzz/corpus/wire_up.tar.gz
