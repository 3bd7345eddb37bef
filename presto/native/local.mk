# SPDX-License-Identifier: BSD-3-Clause
# The native interface: APEnet+ Table 11, and what a user misses at once.

include_HEADERS = presto/include/presto.h
dist_man3_MANS = docs/man/presto.3
EXTRA_DIST += docs/presto.md

presto_libpresto_core_la_SOURCES += \
    presto/include/presto.h \
    presto/native/coll.c \
    presto/native/error.c \
    presto/native/group.c \
    presto/native/init.c \
    presto/native/native.h \
    presto/native/probe.c \
    presto/native/recv.c \
    presto/native/request.c \
    presto/native/send.c
