# SPDX-License-Identifier: BSD-3-Clause
# Links: each by itself, with a mock of the engine, then one suite over all of them. Append to link_tests.

LINKS_CPPFLAGS = $(AM_CPPFLAGS) $(NI_CORE_CPPFLAGS) -I$(top_srcdir)/tests/unit -I$(top_srcdir)/tests/links
LINKS_LIBS = ni/libapeni_core.la -lpthread

link_tests = \
    tests/links/test_inproc_engine \
    tests/links/test_inproc_life \
    tests/links/test_inproc_wire

inproc_mock = tests/links/inproc_mock.c tests/links/inproc_mock.h

tests_links_test_inproc_engine_SOURCES = tests/links/test_inproc_engine.c
tests_links_test_inproc_engine_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_test_inproc_engine_LDADD = $(LINKS_LIBS)

tests_links_test_inproc_life_SOURCES = tests/links/test_inproc_life.c $(inproc_mock)
tests_links_test_inproc_life_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_test_inproc_life_LDADD = $(LINKS_LIBS)

tests_links_test_inproc_wire_SOURCES = tests/links/test_inproc_wire.c $(inproc_mock)
tests_links_test_inproc_wire_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_test_inproc_wire_LDADD = $(LINKS_LIBS)

check_PROGRAMS += $(link_tests)
TESTS += $(link_tests)

include tests/links/shm.mk
include tests/links/ucx.mk
include tests/links/suite.mk

TESTS += tests/links/dev.sh tests/links/dev_ends.sh tests/links/dev_parted.sh
EXTRA_DIST += tests/links/boards.sh tests/links/dev.sh tests/links/dev_ends.sh tests/links/dev_parted.sh
