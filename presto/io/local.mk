# SPDX-License-Identifier: BSD-3-Clause
# Files that ranks share.

presto_libpresto_core_la_SOURCES += \
    presto/io/aggregate.c \
    presto/io/collective.c \
    presto/io/collective.h \
    presto/io/data.c \
    presto/io/datarep.c \
    presto/io/datarep.h \
    presto/io/exchange.c \
    presto/io/exchange.h \
    presto/io/io.h \
    presto/io/layout.c \
    presto/io/layout.h \
    presto/io/open.c \
    presto/io/pointer.c \
    presto/io/view.c
