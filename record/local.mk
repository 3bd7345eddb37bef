# SPDX-License-Identifier: BSD-3-Clause
# The record of what a process does in MPI. It uses nothing but the C library.

noinst_LTLIBRARIES += record/librecord.la

record_librecord_la_SOURCES = \
    record/clock.h \
    record/fields.def \
    record/json.c \
    record/json.h \
    record/names.c \
    record/names.h \
    record/process.c \
    record/process.h \
    record/record.c \
    record/record.h
record_librecord_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)

# The report reads the names of the fields.
recordfieldsdir = $(pkglibexecdir)/record
dist_recordfields_DATA = record/fields.def
