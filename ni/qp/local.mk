# SPDX-License-Identifier: BSD-3-Clause
# Queue pairs over the engine.

ni_libapeni_core_la_SOURCES += \
    ni/qp/judge.c \
    ni/qp/life.c \
    ni/qp/pair.h \
    ni/qp/serve.c \
    ni/qp/take.c
