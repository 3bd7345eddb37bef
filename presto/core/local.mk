# SPDX-License-Identifier: BSD-3-Clause
# Ranks, point-to-point messages, progress.

presto_libpresto_core_la_SOURCES += \
    presto/core/agree.c \
    presto/core/agree.h \
    presto/core/agree_kept.c \
    presto/core/buffer.c \
    presto/core/cancel.c \
    presto/core/context.c \
    presto/core/contexts.h \
    presto/core/control.c \
    presto/core/core.h \
    presto/core/environment.c \
    presto/core/error.c \
    presto/core/hang.c \
    presto/core/hang.h \
    presto/core/interface.c \
    presto/core/later.c \
    presto/core/later.h \
    presto/core/launch.h \
    presto/core/launch_alone.c \
    presto/core/launch_pmi2.c \
    presto/core/launch_pmi2.h \
    presto/core/launch_pmi2_text.c \
    presto/core/launch_pmix.c \
    presto/core/launch_prestorun.c \
    presto/core/launch_threads.c \
    presto/core/meet.c \
    presto/core/members.c \
    presto/core/message.h \
    presto/core/p2p.h \
    presto/core/peer.c \
    presto/core/probe.c \
    presto/core/rank.h \
    presto/core/ranks.h \
    presto/core/recorder.c \
    presto/core/recorder.h \
    presto/core/recorder_count.c \
    presto/core/recorder_hosts.c \
    presto/core/recorder_wait.c \
    presto/core/recv.c \
    presto/core/request.c \
    presto/core/revoke.c \
    presto/core/send.c \
    presto/core/start.c \
    presto/core/stats.c \
    presto/core/task.c \
    presto/core/tell.c \
    presto/core/wire_up.h
