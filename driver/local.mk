# SPDX-License-Identifier: BSD-3-Clause
# What programs and drivers of the card agree on, and a program's side of it.

noinst_LTLIBRARIES += driver/libclient.la

driver_libclient_la_SOURCES = \
    driver/apelink_abi.h \
    driver/apelink_bar.h \
    driver/apelink_ioctl.h \
    driver/client.c \
    driver/client.h
driver_libclient_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
