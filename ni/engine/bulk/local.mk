# SPDX-License-Identifier: BSD-3-Clause

ni_libapeni_core_la_SOURCES += \
    ni/engine/bulk/states.c \
    ni/engine/bulk/states.h \
    ni/engine/bulk/pull_request.c \
    ni/engine/bulk/pull_request.h \
    ni/engine/bulk/request.c \
    ni/engine/bulk/request.h \
    ni/engine/bulk/copy.c \
    ni/engine/bulk/copy.h \
    ni/engine/bulk/unlocked_copy.c \
    ni/engine/bulk/unlocked_copy.h \
    ni/engine/bulk/shared_copy_in.c \
    ni/engine/bulk/shared_copy_in.h \
    ni/engine/bulk/shared_copy.c \
    ni/engine/bulk/shared_copy.h \
    ni/engine/bulk/throttle.c \
    ni/engine/bulk/throttle.h \
    ni/engine/bulk/transfer.c \
    ni/engine/bulk/transfer.h \
    ni/engine/bulk/copy_tuner.c \
    ni/engine/bulk/copy_tuner.h \
    ni/engine/bulk/write_object.c
