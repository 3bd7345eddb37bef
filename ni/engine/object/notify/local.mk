# SPDX-License-Identifier: BSD-3-Clause

ni_libapeni_core_la_SOURCES += \
    ni/engine/object/notify/interrupt.c \
    ni/engine/object/notify/note.c \
    ni/engine/object/notify/note.h
