# SPDX-License-Identifier: BSD-3-Clause
# The suite that runs over every link: see suite.h. Each program is one topic.

suite_sources = tests/links/suite.c tests/links/suite.h tests/links/suite_help.c tests/links/suite_links.c

suite_tests = \
    tests/links/suite_messages

tests_links_suite_messages_SOURCES = tests/links/suite_messages.c $(suite_sources)
tests_links_suite_messages_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_suite_messages_LDADD = $(LINKS_LIBS)

check_PROGRAMS += $(suite_tests)
TESTS += $(suite_tests)
