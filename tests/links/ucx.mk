# SPDX-License-Identifier: BSD-3-Clause
# The link between hosts by itself.

if HAVE_UCX
tests_links_test_ucx_strangers_SOURCES = tests/links/test_ucx_strangers.c
tests_links_test_ucx_strangers_CPPFLAGS = $(LINKS_CPPFLAGS) $(UCX_CFLAGS)
tests_links_test_ucx_strangers_LDADD = $(LINKS_LIBS)

tests_links_test_ucx_raw_SOURCES = tests/links/test_ucx_raw.c
tests_links_test_ucx_raw_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_test_ucx_raw_LDADD = $(LINKS_LIBS)

tests_links_test_ucx_under_way_SOURCES = tests/links/test_ucx_under_way.c
tests_links_test_ucx_under_way_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_test_ucx_under_way_LDADD = $(LINKS_LIBS)

check_PROGRAMS += tests/links/test_ucx_raw tests/links/test_ucx_strangers tests/links/test_ucx_under_way
TESTS += tests/links/test_ucx_raw tests/links/test_ucx_strangers tests/links/test_ucx_under_way
endif
