# SPDX-License-Identifier: BSD-3-Clause
# The match list.

ni_libapeni_core_la_SOURCES += \
    ni/match/ahead.c \
    ni/match/block.c \
    ni/match/block.h \
    ni/match/buckets.h \
    ni/match/headers.c \
    ni/match/index.c \
    ni/match/index.h \
    ni/match/list.c \
    ni/match/match.h \
    ni/match/match_inl.h \
    ni/match/scan_avx2.c \
    ni/match/scan_avx512.c \
    ni/match/scan_scalar.c

# A benchmark of the list by itself, beside the programs that measure the whole.
osu_PROGRAMS += osu_bench/ni_match_list

osu_bench_ni_match_list_SOURCES = \
    ni/match/bench/bench.h \
    ni/match/bench/kinds.c \
    ni/match/bench/lists.c \
    ni/match/bench/main.c \
    ni/match/bench/plot.c \
    ni/match/bench/single.c
osu_bench_ni_match_list_CPPFLAGS = $(AM_CPPFLAGS) $(NI_CORE_CPPFLAGS)
osu_bench_ni_match_list_LDADD = ni/libapeni_core.la
