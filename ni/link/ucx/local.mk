# SPDX-License-Identifier: BSD-3-Clause
# The link between hosts. UCX is loaded when it is needed: only its headers are.

if HAVE_UCX
ni_libapeni_core_la_CPPFLAGS += $(UCX_CFLAGS)
ni_libapeni_core_la_SOURCES += \
    ni/link/ucx/descriptors.c \
    ni/link/ucx/end.c \
    ni/link/ucx/endpoint.c \
    ni/link/ucx/fault.c \
    ni/link/ucx/gather.c \
    ni/link/ucx/join.c \
    ni/link/ucx/library.c \
    ni/link/ucx/library.h \
    ni/link/ucx/linger.c \
    ni/link/ucx/link.c \
    ni/link/ucx/newcomers.c \
    ni/link/ucx/newcomers.h \
    ni/link/ucx/progress.c \
    ni/link/ucx/receive.c \
    ni/link/ucx/send.c \
    ni/link/ucx/silence.c \
    ni/link/ucx/strangers.c \
    ni/link/ucx/ucx.h \
    ni/link/ucx/wait.c \
    ni/link/ucx/wire.h
endif
