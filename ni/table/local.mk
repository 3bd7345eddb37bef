# SPDX-License-Identifier: BSD-3-Clause
# The buffer table and the registration cache.

ni_libapeni_core_la_SOURCES += \
    ni/table/export.h \
    ni/table/range_tree.c \
    ni/table/range_tree.h \
    ni/table/rcache.c \
    ni/table/rcache_impl.h \
    ni/table/slots.h \
    ni/table/slots_avx2.c \
    ni/table/slots_avx512.c \
    ni/table/slots_scalar.c \
    ni/table/table.c \
    ni/table/table.h \
    ni/table/table_inl.h

# A benchmark of the table by itself, beside the programs that measure the whole.
osu_PROGRAMS += osu_bench/ni_table

osu_bench_ni_table_SOURCES = \
    ni/table/bench/bench.h \
    ni/table/bench/kinds.c \
    ni/table/bench/main.c \
    ni/table/bench/sets.c \
    ni/table/bench/table19.c
osu_bench_ni_table_CPPFLAGS = $(AM_CPPFLAGS) $(NI_CORE_CPPFLAGS)
osu_bench_ni_table_LDADD = ni/libapeni_core.la
