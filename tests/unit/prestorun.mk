# SPDX-License-Identifier: BSD-3-Clause
# Unit tests of presto/tools.

unit_tests += tests/unit/test_run_bind tests/unit/test_run_loop

tests_unit_test_run_bind_SOURCES = tests/unit/test_run_bind.c presto/tools/run_bind.c
tests_unit_test_run_bind_CPPFLAGS = $(UNIT_CPPFLAGS) -I$(top_srcdir)/presto
tests_unit_test_run_bind_LDADD = $(UNIT_LIBS)

# Its poll is the test's.
tests_unit_test_run_loop_SOURCES = tests/unit/test_run_loop.c \
    presto/tools/run_agent.c presto/tools/run_bind.c presto/tools/run_child.c presto/tools/run_down.c presto/tools/run_end.c \
    presto/tools/run_frame.c presto/tools/run_guard.c presto/tools/run_guarding.c presto/tools/run_input.c presto/tools/run_launch.c \
    presto/tools/run_loop.c presto/tools/run_names.c presto/tools/run_note.c presto/tools/run_numbers.c presto/tools/run_output.c presto/tools/run_poll.c presto/tools/run_ranks.c presto/tools/run_record.c presto/tools/run_serve.c presto/tools/run_signals.c presto/tools/run_spawn.c \
    presto/tools/run_spec.c presto/tools/run_tree.c presto/tools/run_up.c presto/tools/run_wire.c presto/tools/run_world.c
tests_unit_test_run_loop_CPPFLAGS = $(UNIT_CPPFLAGS) -I$(top_srcdir)/presto
tests_unit_test_run_loop_LDADD = $(UNIT_LIBS)
tests_unit_test_run_loop_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=poll
