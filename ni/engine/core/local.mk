# SPDX-License-Identifier: BSD-3-Clause

ni_libapeni_core_la_SOURCES += \
    ni/engine/core/bulk.h \
    ni/engine/core/address.c \
    ni/engine/core/address.h \
    ni/engine/core/atomic.c \
    ni/engine/core/atomic.h \
    ni/engine/core/deferred.c \
    ni/engine/core/deferred.h \
    ni/engine/core/command_ops.h \
    ni/engine/core/counts.c \
    ni/engine/core/counts.h \
    ni/engine/core/lanes.c \
    ni/engine/core/lanes.h \
    ni/engine/core/engine_thread.c \
    ni/engine/core/engine_thread.h \
    ni/engine/core/links.h \
    ni/engine/core/lock.c \
    ni/engine/core/lock.h \
    ni/engine/core/describe.c \
    ni/engine/core/memory.h \
    ni/engine/core/ni.h \
    ni/engine/core/noting.c \
    ni/engine/core/noting.h \
    ni/engine/core/op.c \
    ni/engine/core/op.h \
    ni/engine/core/parts.h \
    ni/engine/core/peer.c \
    ni/engine/core/peer.h \
    ni/engine/core/peer_ops.h \
    ni/engine/core/portal_ops.h \
    ni/engine/core/rcache_region.c \
    ni/engine/core/region_ops.c \
    ni/engine/core/region_ops.h \
    ni/engine/core/regions.c \
    ni/engine/core/regions.h \
    ni/engine/core/source.h \
    ni/engine/core/stamps.c \
    ni/engine/core/stamps.h \
    ni/engine/core/targets.c \
    ni/engine/core/targets.h \
    ni/engine/core/progress_lock.c \
    ni/engine/core/progress_lock.h \
    ni/engine/core/work.h
