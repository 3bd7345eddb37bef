# SPDX-License-Identifier: BSD-3-Clause
# Datatypes and operations.

presto_libpresto_core_la_SOURCES += \
    presto/type/build.c \
    presto/type/construct.c \
    presto/type/darray.c \
    presto/type/elements.c \
    presto/type/external.c \
    presto/type/external.h \
    presto/type/f90.c \
    presto/type/loops.h \
    presto/type/named.h \
    presto/type/op.c \
    presto/type/op.h \
    presto/type/op_loops.c \
    presto/type/op_loops.h \
    presto/type/op_loops_avx2.c \
    presto/type/pack.c \
    presto/type/pairs.h \
    presto/type/predefined.c \
    presto/type/predefined.h \
    presto/type/runs.c \
    presto/type/type.h
