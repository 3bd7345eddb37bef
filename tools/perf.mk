# SPDX-License-Identifier: BSD-3-Clause
# apeni-perf and its manual page.

bin_PROGRAMS += tools/apeni-perf

tools_apeni_perf_SOURCES = \
    tools/apeni-perf.c \
    tools/perf.h \
    tools/perf_board.c \
    tools/perf_cards.c \
    tools/perf_cards.h \
    tools/perf_check.c \
    tools/perf_cores.c \
    tools/perf_latency.c \
    tools/perf_line.c \
    tools/perf_measure.c \
    tools/perf_options.c \
    tools/perf_options.h \
    tools/perf_report.c \
    tools/perf_search.c \
    tools/perf_side.c \
    tools/perf_side.h \
    tools/perf_stamps.c \
    tools/perf_stats.c \
    tools/perf_stream.c \
    tools/perf_team.c \
    tools/perf_team.h \
    tools/perf_tune.c \
    tools/perf_tune.h \
    tools/perf_tune_eager.c \
    tools/perf_tune_judge.c \
    tools/perf_tune_print.c \
    tools/perf_tune_sweeps.c \
    tools/perf_values.c \
    tools/perf_worker.c
tools_apeni_perf_CPPFLAGS = $(AM_CPPFLAGS) $(NI_CORE_CPPFLAGS) -I$(top_srcdir)
tools_apeni_perf_LDADD = ni/libapeni_core.la -lm

dist_man1_MANS += docs/man/apeni-perf.1
TESTS += tests/unit/apeni_perf.sh
EXTRA_DIST += tests/unit/apeni_perf.sh
