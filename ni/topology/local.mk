# SPDX-License-Identifier: BSD-3-Clause
# Where nodes are in a torus, and the ways between them.

ni_libapeni_core_la_SOURCES += \
    ni/topology/map.c \
    ni/topology/map_line.c \
    ni/topology/map_line.h \
    ni/topology/shape.c \
    ni/topology/torus.c
