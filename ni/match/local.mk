# SPDX-License-Identifier: BSD-3-Clause
# The match list.

ni_libapeni_core_la_SOURCES += \
    ni/match/block.c \
    ni/match/block.h \
    ni/match/buckets.h \
    ni/match/headers.c \
    ni/match/ids.c \
    ni/match/ids.h \
    ni/match/index.c \
    ni/match/index.h \
    ni/match/list.c \
    ni/match/match.h \
    ni/match/scan_avx2.c \
    ni/match/scan_avx512.c \
    ni/match/scan_scalar.c
