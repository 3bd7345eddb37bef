# SPDX-License-Identifier: BSD-3-Clause
# The native interface: APEnet+ Table 11, and what a user misses at once.

include_HEADERS = presto/include/presto.h

presto_libpresto_core_la_SOURCES += \
    presto/include/presto.h \
    presto/native/error.c \
    presto/native/init.c \
    presto/native/native.h \
    presto/native/probe.c \
    presto/native/recv.c \
    presto/native/request.c \
    presto/native/send.c
