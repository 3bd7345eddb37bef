# SPDX-License-Identifier: BSD-3-Clause
# Fuzzers: programs fuzz_NAME with a corpus in corpus/NAME.tar.gz. With --enable-fuzz libFuzzer drives them (tools/stages/fuzz);
# in other builds replay.c runs each over its corpus and some random inputs, as a test.

FUZZ_CPPFLAGS = $(AM_CPPFLAGS) $(NI_CORE_CPPFLAGS) -I$(top_srcdir)/tests/unit
FUZZ_LIBS = $(fuzz_driver) ni/libapeni_core.la -lpthread

fuzzers = tests/fuzz/fuzz_address tests/fuzz/fuzz_commands tests/fuzz/fuzz_engine tests/fuzz/fuzz_packet tests/fuzz/fuzz_portals \
    tests/fuzz/fuzz_qp tests/fuzz/fuzz_queues

tests_fuzz_fuzz_address_SOURCES = tests/fuzz/fuzz_address.c tests/fuzz/fuzz_input.h
tests_fuzz_fuzz_address_CPPFLAGS = $(FUZZ_CPPFLAGS)
tests_fuzz_fuzz_address_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
tests_fuzz_fuzz_address_LDADD = $(FUZZ_LIBS)

tests_fuzz_fuzz_commands_SOURCES = tests/fuzz/fuzz_commands.c tests/fuzz/fuzz_input.h
tests_fuzz_fuzz_commands_CPPFLAGS = $(FUZZ_CPPFLAGS)
tests_fuzz_fuzz_commands_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
tests_fuzz_fuzz_commands_LDADD = $(FUZZ_LIBS)

tests_fuzz_fuzz_engine_SOURCES = tests/fuzz/fuzz_engine.c tests/fuzz/fuzz_input.h tests/fuzz/fuzz_victim.h
tests_fuzz_fuzz_engine_CPPFLAGS = $(FUZZ_CPPFLAGS)
tests_fuzz_fuzz_engine_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
tests_fuzz_fuzz_engine_LDADD = $(FUZZ_LIBS)

tests_fuzz_fuzz_packet_SOURCES = tests/fuzz/fuzz_packet.c
tests_fuzz_fuzz_packet_CPPFLAGS = $(FUZZ_CPPFLAGS)
tests_fuzz_fuzz_packet_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
tests_fuzz_fuzz_packet_LDADD = $(FUZZ_LIBS)

tests_fuzz_fuzz_portals_SOURCES = tests/fuzz/fuzz_portals.c tests/fuzz/fuzz_input.h
tests_fuzz_fuzz_portals_CPPFLAGS = $(FUZZ_CPPFLAGS)
tests_fuzz_fuzz_portals_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
tests_fuzz_fuzz_portals_LDADD = $(FUZZ_LIBS)

tests_fuzz_fuzz_qp_SOURCES = tests/fuzz/fuzz_qp.c
tests_fuzz_fuzz_qp_CPPFLAGS = $(FUZZ_CPPFLAGS)
tests_fuzz_fuzz_qp_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
tests_fuzz_fuzz_qp_LDADD = $(FUZZ_LIBS)

tests_fuzz_fuzz_queues_SOURCES = tests/fuzz/fuzz_queues.c tests/fuzz/fuzz_input.h
tests_fuzz_fuzz_queues_CPPFLAGS = $(FUZZ_CPPFLAGS)
tests_fuzz_fuzz_queues_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
tests_fuzz_fuzz_queues_LDADD = $(FUZZ_LIBS)

EXTRA_DIST += tests/fuzz/corpus/address.tar.gz tests/fuzz/corpus/commands.tar.gz tests/fuzz/corpus/engine.tar.gz tests/fuzz/corpus/packet.tar.gz tests/fuzz/corpus/portals.tar.gz \
    tests/fuzz/corpus/qp.tar.gz tests/fuzz/corpus/queues.tar.gz

include tests/fuzz/dnp.mk
include tests/fuzz/hfm.mk
include tests/fuzz/shm.mk
include tests/fuzz/presto.mk
include tests/fuzz/ucx.mk

if HAVE_LIBFUZZER
fuzz_driver =
else
fuzz_driver = tests/fuzz/libreplay.la
tests_fuzz_libreplay_la_SOURCES = tests/fuzz/replay.c
tests_fuzz_libreplay_la_CPPFLAGS = $(FUZZ_CPPFLAGS)
check_LTLIBRARIES += tests/fuzz/libreplay.la
TESTS += $(fuzzers)
endif

check_PROGRAMS += $(fuzzers)

# What tools/stages/fuzz builds.
.PHONY: fuzzers
fuzzers: $(fuzzers)
