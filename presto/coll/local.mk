# SPDX-License-Identifier: BSD-3-Clause

presto_libpresto_core_la_SOURCES += \
    presto/coll/allgather.c \
    presto/coll/allreduce.c \
    presto/coll/alltoall.c \
    presto/coll/barrier.c \
    presto/coll/bcast.c \
    presto/coll/blocks.c \
    presto/coll/blocks.h \
    presto/coll/coll.h \
    presto/coll/counters.c \
    presto/coll/fast.c \
    presto/coll/gather.c \
    presto/coll/inter.c \
    presto/coll/inter.h \
    presto/coll/inter_reduce.c \
    presto/coll/neighbor.c \
    presto/coll/params.c \
    presto/coll/params.def \
    presto/coll/places.h \
    presto/coll/private.h \
    presto/coll/reduce.c \
    presto/coll/reduce_scatter.c \
    presto/coll/run.c \
    presto/coll/scan.c \
    presto/coll/sched.c \
    presto/coll/sched.h \
    presto/coll/state.c \
    presto/coll/state.h
