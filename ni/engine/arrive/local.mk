# SPDX-License-Identifier: BSD-3-Clause

ni_libapeni_core_la_SOURCES += \
    ni/engine/arrive/answers.h \
    ni/engine/arrive/arrival.h \
    ni/engine/arrive/arrive.c \
    ni/engine/arrive/arrive.h \
    ni/engine/arrive/arrive_note.c \
    ni/engine/arrive/arrive_queue.c \
    ni/engine/arrive/arrive_read.c \
    ni/engine/arrive/arrive_write.c \
    ni/engine/arrive/direct.c \
    ni/engine/arrive/handlers.h \
    ni/engine/arrive/multipath_in.c \
    ni/engine/arrive/take.h
