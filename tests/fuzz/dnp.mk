# SPDX-License-Identifier: BSD-3-Clause
# Fuzzers of dnp.

fuzzers += tests/fuzz/fuzz_dnp_board tests/fuzz/fuzz_dnp_cable tests/fuzz/fuzz_dnp_card tests/fuzz/fuzz_dnp_device tests/fuzz/fuzz_dnp_link

tests_fuzz_fuzz_dnp_board_SOURCES = tests/fuzz/fuzz_dnp_board.c tests/fuzz/fuzz_input.h
tests_fuzz_fuzz_dnp_board_CPPFLAGS = $(FUZZ_CPPFLAGS) -I$(top_srcdir)
tests_fuzz_fuzz_dnp_board_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
tests_fuzz_fuzz_dnp_board_LDADD = dnp/libboard.la $(FUZZ_LIBS)

tests_fuzz_fuzz_dnp_cable_SOURCES = tests/fuzz/fuzz_dnp_cable.c tests/fuzz/fuzz_input.h
tests_fuzz_fuzz_dnp_cable_CPPFLAGS = $(FUZZ_CPPFLAGS) -I$(top_srcdir)
tests_fuzz_fuzz_dnp_cable_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
tests_fuzz_fuzz_dnp_cable_LDADD = dnp/libboard.la $(FUZZ_LIBS)

tests_fuzz_fuzz_dnp_card_SOURCES = tests/fuzz/fuzz_dnp_card.c tests/fuzz/fuzz_input.h
tests_fuzz_fuzz_dnp_card_CPPFLAGS = $(FUZZ_CPPFLAGS) -I$(top_srcdir)
tests_fuzz_fuzz_dnp_card_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
tests_fuzz_fuzz_dnp_card_LDADD = dnp/libdnp.la $(FUZZ_LIBS)

tests_fuzz_fuzz_dnp_device_SOURCES = tests/fuzz/fuzz_dnp_device.c tests/fuzz/fuzz_input.h
tests_fuzz_fuzz_dnp_device_CPPFLAGS = $(FUZZ_CPPFLAGS) -I$(top_srcdir)
tests_fuzz_fuzz_dnp_device_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
tests_fuzz_fuzz_dnp_device_LDADD = dnp/libboard.la $(FUZZ_LIBS)

tests_fuzz_fuzz_dnp_link_SOURCES = tests/fuzz/fuzz_dnp_link.c tests/fuzz/fuzz_input.h
tests_fuzz_fuzz_dnp_link_CPPFLAGS = $(FUZZ_CPPFLAGS) -I$(top_srcdir)
tests_fuzz_fuzz_dnp_link_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
tests_fuzz_fuzz_dnp_link_LDADD = dnp/libdnp.la $(FUZZ_LIBS)

EXTRA_DIST += tests/fuzz/corpus/dnp_board.tar.gz tests/fuzz/corpus/dnp_cable.tar.gz tests/fuzz/corpus/dnp_card.tar.gz tests/fuzz/corpus/dnp_device.tar.gz tests/fuzz/corpus/dnp_link.tar.gz
