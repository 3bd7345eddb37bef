# SPDX-License-Identifier: BSD-3-Clause

presto_libpresto_core_la_SOURCES += \
    presto/core/core.h \
    presto/core/error.c
