# SPDX-License-Identifier: BSD-3-Clause
# The engine: what packets mean.

ni_libapeni_core_la_SOURCES += \
    ni/engine/arrive.c \
    ni/engine/arrive.h \
    ni/engine/ask.c \
    ni/engine/ask.h \
    ni/engine/atomic.c \
    ni/engine/atomic.h \
    ni/engine/command_ops.h \
    ni/engine/connect.c \
    ni/engine/control.c \
    ni/engine/control.h \
    ni/engine/copy.c \
    ni/engine/copy.h \
    ni/engine/counter.c \
    ni/engine/counts.c \
    ni/engine/counts.h \
    ni/engine/direct.c \
    ni/engine/direct.h \
    ni/engine/engine.h \
    ni/engine/fast.h \
    ni/engine/fork.c \
    ni/engine/help.c \
    ni/engine/help.h \
    ni/engine/job.c \
    ni/engine/job.h \
    ni/engine/lanes.c \
    ni/engine/lanes.h \
    ni/engine/lock.c \
    ni/engine/lock.h \
    ni/engine/message.c \
    ni/engine/ni.h \
    ni/engine/op.c \
    ni/engine/op.h \
    ni/engine/open.c \
    ni/engine/peer.c \
    ni/engine/peer.h \
    ni/engine/peer_down.c \
    ni/engine/portal_ops.h \
    ni/engine/probe.c \
    ni/engine/probe.h \
    ni/engine/progress.c \
    ni/engine/progress.h \
    ni/engine/queue.c \
    ni/engine/regions.c \
    ni/engine/regions.h \
    ni/engine/send.c \
    ni/engine/send.h \
    ni/engine/stream.c \
    ni/engine/stream.h \
    ni/engine/transfer.c \
    ni/engine/transfer.h \
    ni/engine/wait.c \
    ni/engine/waiting.c \
    ni/engine/waiting.h \
    ni/engine/work.h
