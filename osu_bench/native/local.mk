# SPDX-License-Identifier: BSD-3-Clause
# The programs again, with Presto's native interface.

pr_programs = osu_bench/pr_latency osu_bench/pr_bw osu_bench/pr_mbw_mr
osu_PROGRAMS += $(pr_programs)
noinst_LTLIBRARIES += osu_bench/libpr.la

PR_BENCH_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/osu_bench $(PRESTO_CPPFLAGS)
PR_BENCH_LIBS = osu_bench/libpr.la presto/libpresto.la -lm

osu_bench_libpr_la_CPPFLAGS = $(PR_BENCH_CPPFLAGS) -DOSU_NATIVE
osu_bench_libpr_la_SOURCES = \
    osu_bench/common/buffer.c \
    osu_bench/common/complete.c \
    osu_bench/common/defaults.c \
    osu_bench/common/option_rows.c \
    osu_bench/common/options.c \
    osu_bench/common/parse.c \
    osu_bench/common/p2p.h \
    osu_bench/common/pattern.c \
    osu_bench/common/pingpong.c \
    osu_bench/common/rounds.c \
    osu_bench/common/stream.c \
    osu_bench/common/table.c \
    osu_bench/native/bench.c \
    osu_bench/native/native.h \
    osu_bench/native/p2p.h

osu_bench_pr_latency_SOURCES = osu_bench/pr_latency.c
osu_bench_pr_latency_CPPFLAGS = $(PR_BENCH_CPPFLAGS)
osu_bench_pr_latency_LDADD = $(PR_BENCH_LIBS)
osu_bench_pr_bw_SOURCES = osu_bench/pr_bw.c
osu_bench_pr_bw_CPPFLAGS = $(PR_BENCH_CPPFLAGS)
osu_bench_pr_bw_LDADD = $(PR_BENCH_LIBS)
osu_bench_pr_mbw_mr_SOURCES = osu_bench/pr_mbw_mr.c
osu_bench_pr_mbw_mr_CPPFLAGS = $(PR_BENCH_CPPFLAGS)
osu_bench_pr_mbw_mr_LDADD = $(PR_BENCH_LIBS)
osu_PROGRAMS += osu_bench/pr_empty
osu_bench_pr_empty_SOURCES = osu_bench/pr_empty.c
osu_bench_pr_empty_CPPFLAGS = $(PR_BENCH_CPPFLAGS)
osu_bench_pr_empty_LDADD = presto/libpresto.la
osu_PROGRAMS += osu_bench/pr_steps
osu_bench_pr_steps_SOURCES = osu_bench/pr_steps.c
osu_bench_pr_steps_CPPFLAGS = $(PR_BENCH_CPPFLAGS)
osu_bench_pr_steps_LDADD = presto/libpresto.la -lrt
dist_osu_SCRIPTS += osu_bench/pr_start
TESTS += osu_bench/tests/native.sh
EXTRA_DIST += osu_bench/tests/native.sh
