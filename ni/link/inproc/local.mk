# SPDX-License-Identifier: BSD-3-Clause
# The link between NIs of one process.

ni_libapeni_core_la_SOURCES += \
    ni/link/inproc/endpoint.c \
    ni/link/inproc/fabric.c \
    ni/link/inproc/hooks.h \
    ni/link/inproc/inproc.h \
    ni/link/inproc/lane.c \
    ni/link/inproc/link.c \
    ni/link/inproc/port.c \
    ni/link/inproc/settle.c \
    ni/link/inproc/wait.c \
    ni/link/inproc/wire.c
