# SPDX-License-Identifier: BSD-3-Clause

ni_libapeni_core_la_SOURCES += \
    ni/engine/object/counter/counted.c \
    ni/engine/object/counter/counter.c \
    ni/engine/object/counter/counter.h \
    ni/engine/object/counter/counter_inl.h \
    ni/engine/object/counter/counter_notify.c \
    ni/engine/object/counter/counter_config.c \
    ni/engine/object/counter/trigger.c
