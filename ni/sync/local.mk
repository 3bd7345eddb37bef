# SPDX-License-Identifier: BSD-3-Clause
# What programs make of counters.

ni_libapeni_core_la_SOURCES += \
    ni/sync/barrier.c
