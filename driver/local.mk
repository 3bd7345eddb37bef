# SPDX-License-Identifier: BSD-3-Clause
# What programs and drivers of the card agree on, and a program's side of it.

noinst_LTLIBRARIES += driver/libclient.la

driver_libclient_la_SOURCES = \
    driver/apelink_abi.h \
    driver/apelink_bar.h \
    driver/apelink_ioctl.h \
    driver/apelink_layout.h \
    driver/client.c \
    driver/client.h \
    driver/command.c \
    driver/command.h \
    driver/event.h \
    driver/packet.c \
    driver/packet.h \
    driver/word.h
driver_libclient_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)

# The module is built by make -C driver/linux, for a kernel whose headers are installed.
EXTRA_DIST += \
    driver/linux/70-apelink.rules \
    driver/linux/Kbuild \
    driver/linux/Makefile \
    driver/linux/README.md \
    driver/linux/apelink.h \
    driver/linux/buffer.c \
    driver/linux/card.c \
    driver/linux/channel.c \
    driver/linux/dkms.conf \
    driver/linux/dormant.c \
    driver/linux/file.c \
    driver/linux/ioctl.c \
    driver/linux/mailbox.c \
    driver/linux/pin.c
