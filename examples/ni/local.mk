# SPDX-License-Identifier: BSD-3-Clause
# Small programs on the network interface alone, each also a test: it ends with 0 if its result is right.

ni_examples = \
    examples/ni/commands \
    examples/ni/halo \
    examples/ni/multipath \
    examples/ni/notify \
    examples/ni/placement \
    examples/ni/queue_pair \
    examples/ni/session \
    examples/ni/tasks

examples_ni_commands_SOURCES = examples/ni/commands.c
examples_ni_commands_CPPFLAGS = $(AM_CPPFLAGS) $(NI_CPPFLAGS)
examples_ni_commands_LDADD = ni/libapeni.la

examples_ni_halo_SOURCES = examples/ni/halo.c
examples_ni_halo_CPPFLAGS = $(AM_CPPFLAGS) $(NI_CPPFLAGS)
examples_ni_halo_LDADD = ni/libapeni.la

examples_ni_multipath_SOURCES = examples/ni/multipath.c
examples_ni_multipath_CPPFLAGS = $(AM_CPPFLAGS) $(NI_CPPFLAGS)
examples_ni_multipath_LDADD = ni/libapeni.la

examples_ni_notify_SOURCES = examples/ni/notify.c
examples_ni_notify_CPPFLAGS = $(AM_CPPFLAGS) $(NI_CPPFLAGS)
examples_ni_notify_LDADD = ni/libapeni.la

examples_ni_placement_SOURCES = examples/ni/placement.c
examples_ni_placement_CPPFLAGS = $(AM_CPPFLAGS) $(NI_CPPFLAGS)
examples_ni_placement_LDADD = ni/libapeni.la

examples_ni_queue_pair_SOURCES = examples/ni/queue_pair.c
examples_ni_queue_pair_CPPFLAGS = $(AM_CPPFLAGS) $(NI_CPPFLAGS)
examples_ni_queue_pair_LDADD = ni/libapeni.la

examples_ni_tasks_SOURCES = examples/ni/tasks.c
examples_ni_tasks_CPPFLAGS = $(AM_CPPFLAGS) $(NI_CPPFLAGS)
examples_ni_tasks_LDADD = ni/libapeni.la

examples_ni_session_SOURCES = examples/ni/session.c
examples_ni_session_CPPFLAGS = $(AM_CPPFLAGS) $(NI_CPPFLAGS)
examples_ni_session_LDADD = ni/libapeni.la

check_PROGRAMS += $(ni_examples)
TESTS += $(ni_examples) examples/ni/links.sh

EXTRA_DIST += examples/ni/README.md examples/ni/links.sh
