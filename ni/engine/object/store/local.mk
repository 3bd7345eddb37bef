# SPDX-License-Identifier: BSD-3-Clause

ni_libapeni_core_la_SOURCES += \
    ni/engine/object/store/fetch.c \
    ni/engine/object/store/flush.c \
    ni/engine/object/store/load.c \
    ni/engine/object/store/store_fence.c \
    ni/engine/object/store/store_group.c \
    ni/engine/object/store/stores.c \
    ni/engine/object/store/stores.h
