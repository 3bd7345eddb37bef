# SPDX-License-Identifier: BSD-3-Clause
# One-sided communication.

presto_libpresto_core_la_SOURCES += \
    presto/rma/accumulate.c \
    presto/rma/alone.c \
    presto/rma/attach.c \
    presto/rma/combine.c \
    presto/rma/control.h \
    presto/rma/epochs.c \
    presto/rma/locked.c \
    presto/rma/lock_word.c \
    presto/rma/locks.c \
    presto/rma/place.c \
    presto/rma/rma.h \
    presto/rma/segment.c \
    presto/rma/tell.c \
    presto/rma/transfer.c \
    presto/rma/window.c \
    presto/rma/word.c \
    presto/rma/words.c
