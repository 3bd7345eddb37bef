# SPDX-License-Identifier: BSD-3-Clause
# The link between processes of one host.

ni_libapeni_core_la_SOURCES += \
    ni/link/shm/area.c \
    ni/link/shm/connect.c \
    ni/link/shm/copy.c \
    ni/link/shm/counts.c \
    ni/link/shm/file.c \
    ni/link/shm/geometry.c \
    ni/link/shm/grow.c \
    ni/link/shm/host.c \
    ni/link/shm/identity.c \
    ni/link/shm/life.c \
    ni/link/shm/layout.h \
    ni/link/shm/link.c \
    ni/link/shm/park.c \
    ni/link/shm/progress.c \
    ni/link/shm/rails.c \
    ni/link/shm/receive.c \
    ni/link/shm/receive_end.c \
    ni/link/shm/seat.c \
    ni/link/shm/segment.c \
    ni/link/shm/segment.h \
    ni/link/shm/send.c \
    ni/link/shm/shm.h \
    ni/link/shm/shrink.c \
    ni/link/shm/shrink.h \
    ni/link/shm/socket.c \
    ni/link/shm/watch.c
