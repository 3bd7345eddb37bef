# SPDX-License-Identifier: BSD-3-Clause
# The native interface.

include_HEADERS = presto/include/presto.h

presto_libpresto_core_la_SOURCES += \
    presto/include/presto.h \
    presto/native/error.c
