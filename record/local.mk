# SPDX-License-Identifier: BSD-3-Clause
# The record of what a process does in MPI. It uses nothing but the C library.

noinst_LTLIBRARIES += record/librecord.la

record_librecord_la_SOURCES = \
    record/account.c \
    record/account.h \
    record/calls.c \
    record/clock.h \
    record/clocks.c \
    record/clocks.h \
    record/count.h \
    record/deaths.c \
    record/deaths.h \
    record/ended.c \
    record/ended.h \
    record/fields.def \
    record/json.c \
    record/json.h \
    record/names.c \
    record/names.h \
    record/others.c \
    record/others.h \
    record/output.c \
    record/output.h \
    record/peers.c \
    record/process.c \
    record/process.h \
    record/record.c \
    record/record.h \
    record/start.c \
    record/start.h \
    record/sweep.c \
    record/sweep.h \
    record/watch.c \
    record/watch.h
record_librecord_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
record_librecord_la_CFLAGS = $(AM_CFLAGS) -fno-tree-slp-vectorize

# The report reads the names of the fields.
recordfieldsdir = $(pkglibexecdir)/record
dist_recordfields_DATA = record/fields.def
