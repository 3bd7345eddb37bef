# SPDX-License-Identifier: BSD-3-Clause
# Commands. prestorun links nothing: it is there at once.

bin_PROGRAMS += presto/tools/prestorun
dist_man1_MANS += docs/man/prestorun.1

presto_tools_prestorun_SOURCES = \
    presto/core/wire_up.h \
    presto/tools/prestorun.c \
    presto/tools/run.h \
    presto/tools/run_agent.c \
    presto/tools/run_bind.c \
    presto/tools/run_bind.h \
    presto/tools/run_child.c \
    presto/tools/run_down.c \
    presto/tools/run_end.c \
    presto/tools/run_foreign.c \
    presto/tools/run_frame.c \
    presto/tools/run_frame.h \
    presto/tools/run_guard.c \
    presto/tools/run_guarding.c \
    presto/tools/run_help.c \
    presto/tools/run_input.c \
    presto/tools/run_launch.c \
    presto/tools/run_loop.c \
    presto/tools/run_net.h \
    presto/tools/run_names.c \
    presto/tools/run_numbers.c \
    presto/tools/run_note.c \
    presto/tools/run_note.h \
    presto/tools/run_options.c \
    presto/tools/run_output.c \
    presto/tools/run_place.c \
    presto/tools/run_poll.c \
    presto/tools/run_ranks.c \
    presto/tools/run_record.c \
    presto/tools/run_remote.c \
    presto/tools/run_report.c \
    presto/tools/run_serve.c \
    presto/tools/run_signals.c \
    presto/tools/run_spawn.c \
    presto/tools/run_spec.c \
    presto/tools/run_tree.c \
    presto/tools/run_up.c \
    presto/tools/run_values.c \
    presto/tools/run_wire.c \
    presto/tools/run_world.c \
    presto/tools/run_world.h
presto_tools_prestorun_CPPFLAGS = $(AM_CPPFLAGS) $(NI_CORE_CPPFLAGS) -I$(top_srcdir)/presto \
    -DPRI_REPORT='"$(bindir)/apelink-report"'

include presto/tools/cc.mk
