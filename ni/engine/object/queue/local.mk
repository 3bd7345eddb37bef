# SPDX-License-Identifier: BSD-3-Clause

ni_libapeni_core_la_SOURCES += \
    ni/engine/object/queue/dequeue.c \
    ni/engine/object/queue/multi.c \
    ni/engine/object/queue/multi.h \
    ni/engine/object/queue/multi_send.c \
    ni/engine/object/queue/multi_serve.c \
    ni/engine/object/queue/queue.c \
    ni/engine/object/queue/queue.h \
    ni/engine/object/queue/queue_names.c
