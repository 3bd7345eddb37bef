# SPDX-License-Identifier: BSD-3-Clause
# Portals 4 over the engine and the match list.

ni_libapeni_core_la_SOURCES += \
    ni/portals/append.c \
    ni/portals/arrive.h \
    ni/portals/combine.c \
    ni/portals/combine.h \
    ni/portals/combine_float.c \
    ni/portals/ct.c \
    ni/portals/ct.h \
    ni/portals/deliver.c \
    ni/portals/entry.c \
    ni/portals/entry.h \
    ni/portals/eq.h \
    ni/portals/eq_queue.c \
    ni/portals/fail.c \
    ni/portals/incoming.c \
    ni/portals/incoming.h \
    ni/portals/iovec.c \
    ni/portals/iovec.h \
    ni/portals/iovec_request.c \
    ni/portals/unexpected.c \
    ni/portals/unexpected.h \
    ni/portals/later.c \
    ni/portals/map.c \
    ni/portals/message.h \
    ni/portals/open.c \
    ni/portals/overflow.c \
    ni/portals/plain.c \
    ni/portals/portals.h \
    ni/portals/pt.h \
    ni/portals/put.c \
    ni/portals/put.h \
    ni/portals/put_open.c \
    ni/portals/put_send.c \
    ni/portals/queues.c \
    ni/portals/registers.c \
    ni/portals/request.c \
    ni/portals/request.h \
    ni/portals/request_in.c \
    ni/portals/request_send.c \
    ni/portals/search.c \
    ni/portals/self.c \
    ni/portals/serve.c \
    ni/portals/state.h \
    ni/portals/table.c \
    ni/portals/take.c \
    ni/portals/trigger.h \
    ni/portals/trigger_heap.c \
    ni/portals/triggered.c \
    ni/portals/triggered_ops.c \
ni/portals/answer.c
