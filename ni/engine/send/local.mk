# SPDX-License-Identifier: BSD-3-Clause

ni_libapeni_core_la_SOURCES += \
    ni/engine/send/control.c \
    ni/engine/send/control.h \
    ni/engine/send/direct.h \
    ni/engine/send/fast.h \
    ni/engine/send/message.c \
    ni/engine/send/multipath.h \
    ni/engine/send/multipath_out.c \
    ni/engine/send/probe.c \
    ni/engine/send/probe.h \
    ni/engine/send/unacked.c \
    ni/engine/send/unacked.h \
    ni/engine/send/send.c \
    ni/engine/send/send.h \
    ni/engine/send/short.h \
    ni/engine/send/store_word.c \
    ni/engine/send/stream.c \
    ni/engine/send/stream.h \
    ni/engine/send/waiting.c \
    ni/engine/send/waiting.h
