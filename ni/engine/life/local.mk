# SPDX-License-Identifier: BSD-3-Clause

ni_libapeni_core_la_SOURCES += \
    ni/engine/life/connect.c \
    ni/engine/life/fork.c \
    ni/engine/life/life.h \
    ni/engine/life/links.c \
    ni/engine/life/open.c
