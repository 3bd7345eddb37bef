# SPDX-License-Identifier: BSD-3-Clause
# The engine: what packets mean.

ni_libapeni_core_la_SOURCES += \
    ni/engine/arrive.c \
    ni/engine/ask.c \
    ni/engine/atomic.c \
    ni/engine/counter.c \
    ni/engine/direct.c \
    ni/engine/direct.h \
    ni/engine/engine.h \
    ni/engine/fast.h \
    ni/engine/job.c \
    ni/engine/lock.c \
    ni/engine/op.c \
    ni/engine/open.c \
    ni/engine/peer.c \
    ni/engine/probe.c \
    ni/engine/progress.c \
    ni/engine/queue.c \
    ni/engine/regions.c \
    ni/engine/send.c \
    ni/engine/stream.c \
    ni/engine/transfer.c
