# SPDX-License-Identifier: BSD-3-Clause
# Command regions over the engine.

ni_libapeni_core_la_SOURCES += \
    ni/command/command.h \
    ni/command/judge.c \
    ni/command/monitor.c \
    ni/command/region.c \
    ni/command/serve.c
