# SPDX-License-Identifier: BSD-3-Clause
# The host fault manager as state machines. No threads, sockets or time inside.

noinst_LTLIBRARIES += hfm/libhfm.la

hfm_libhfm_la_SOURCES = \
    hfm/card.h \
    hfm/master.c \
    hfm/master.h \
    hfm/message.c \
    hfm/message.h \
    hfm/notifier.c \
    hfm/notifier.h \
    hfm/service.c \
    hfm/service.h \
    hfm/watchdog.c \
    hfm/watchdog.h
hfm_libhfm_la_CPPFLAGS = $(AM_CPPFLAGS) $(DNP_CPPFLAGS)
hfm_libhfm_la_LIBADD = dnp/libdnp.la
