# SPDX-License-Identifier: BSD-3-Clause
# The link between hosts by itself.

if HAVE_UCX
ucx_caller = tests/links/ucx_caller.c tests/links/ucx_caller.h

tests_links_test_ucx_strangers_SOURCES = tests/links/test_ucx_strangers.c $(ucx_caller)
tests_links_test_ucx_strangers_CPPFLAGS = $(LINKS_CPPFLAGS) $(UCX_CFLAGS)
tests_links_test_ucx_strangers_LDADD = $(LINKS_LIBS)

tests_links_test_ucx_clock_SOURCES = tests/links/test_ucx_clock.c
tests_links_test_ucx_clock_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_test_ucx_clock_LDADD = $(LINKS_LIBS)

tests_links_test_ucx_crossing_SOURCES = tests/links/test_ucx_crossing.c
tests_links_test_ucx_crossing_CPPFLAGS = $(LINKS_CPPFLAGS) $(UCX_CFLAGS)
tests_links_test_ucx_crossing_LDADD = $(LINKS_LIBS)

tests_links_test_ucx_gap_SOURCES = tests/links/test_ucx_gap.c
tests_links_test_ucx_gap_CPPFLAGS = $(LINKS_CPPFLAGS) $(UCX_CFLAGS)
tests_links_test_ucx_gap_LDADD = $(LINKS_LIBS)

tests_links_test_ucx_name_SOURCES = tests/links/test_ucx_name.c
tests_links_test_ucx_name_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_test_ucx_name_LDADD = $(LINKS_LIBS)

tests_links_test_ucx_page_SOURCES = tests/links/test_ucx_page.c
tests_links_test_ucx_page_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_test_ucx_page_LDADD = $(LINKS_LIBS)

tests_links_test_ucx_quiet_SOURCES = tests/links/test_ucx_quiet.c
tests_links_test_ucx_quiet_CPPFLAGS = $(LINKS_CPPFLAGS) $(UCX_CFLAGS)
tests_links_test_ucx_quiet_LDADD = $(LINKS_LIBS)

tests_links_test_ucx_raw_SOURCES = tests/links/test_ucx_raw.c
tests_links_test_ucx_raw_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_test_ucx_raw_LDADD = $(LINKS_LIBS)

tests_links_test_ucx_rendezvous_SOURCES = tests/links/test_ucx_rendezvous.c
tests_links_test_ucx_rendezvous_CPPFLAGS = $(LINKS_CPPFLAGS) $(UCX_CFLAGS)
tests_links_test_ucx_rendezvous_LDFLAGS = $(AM_LDFLAGS) -export-dynamic
tests_links_test_ucx_rendezvous_LDADD = $(LINKS_LIBS)

tests_links_test_ucx_segment_SOURCES = tests/links/test_ucx_segment.c
tests_links_test_ucx_segment_CPPFLAGS = $(LINKS_CPPFLAGS) $(UCX_CFLAGS)
tests_links_test_ucx_segment_LDFLAGS = $(AM_LDFLAGS) -export-dynamic
tests_links_test_ucx_segment_LDADD = $(LINKS_LIBS)

tests_links_test_ucx_died_waiting_SOURCES = tests/links/test_ucx_died_waiting.c
tests_links_test_ucx_died_waiting_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_test_ucx_died_waiting_LDADD = $(LINKS_LIBS)

tests_links_test_ucx_under_way_SOURCES = tests/links/test_ucx_under_way.c
tests_links_test_ucx_under_way_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_test_ucx_under_way_LDADD = $(LINKS_LIBS)

tests_links_test_ucx_vandals_SOURCES = tests/links/test_ucx_vandals.c $(ucx_caller)
tests_links_test_ucx_vandals_CPPFLAGS = $(LINKS_CPPFLAGS) $(UCX_CFLAGS)
tests_links_test_ucx_vandals_LDADD = $(LINKS_LIBS)

tests_links_test_ucx_wait_SOURCES = tests/links/test_ucx_wait.c
tests_links_test_ucx_wait_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_test_ucx_wait_LDADD = $(LINKS_LIBS)

ucx_tests = \
    tests/links/test_ucx_clock \
    tests/links/test_ucx_crossing \
    tests/links/test_ucx_died_waiting \
    tests/links/test_ucx_gap \
    tests/links/test_ucx_name \
    tests/links/test_ucx_page \
    tests/links/test_ucx_quiet \
    tests/links/test_ucx_raw \
    tests/links/test_ucx_rendezvous \
    tests/links/test_ucx_segment \
    tests/links/test_ucx_strangers \
    tests/links/test_ucx_under_way \
    tests/links/test_ucx_vandals \
    tests/links/test_ucx_wait

check_PROGRAMS += $(ucx_tests)
TESTS += $(ucx_tests)
endif
