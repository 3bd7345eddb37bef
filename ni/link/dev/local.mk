# SPDX-License-Identifier: BSD-3-Clause
# The link over an APEnet+ card. Its driver's interface is in driver/.

ni_libapeni_core_la_CPPFLAGS += -I$(top_srcdir)
ni_libapeni_core_la_LIBADD += driver/libclient.la
ni_libapeni_core_la_SOURCES += \
    ni/link/dev/card.c \
    ni/link/dev/dev.h \
    ni/link/dev/end.c \
    ni/link/dev/endpoint.c \
    ni/link/dev/fetch.c \
    ni/link/dev/join.c \
    ni/link/dev/link.c \
    ni/link/dev/memory.c \
    ni/link/dev/progress.c \
    ni/link/dev/receive.c \
    ni/link/dev/send.c \
    ni/link/dev/watch.c \
    ni/link/dev/wire.h
