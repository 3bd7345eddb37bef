# SPDX-License-Identifier: BSD-3-Clause

ni_libapeni_core_la_SOURCES += \
    ni/engine/drive/await.c \
    ni/engine/drive/back.c \
    ni/engine/drive/front.c \
    ni/engine/drive/async_progress.c \
    ni/engine/drive/faults.c \
    ni/engine/drive/faults.h \
    ni/engine/drive/peer_down.c \
    ni/engine/drive/peer_down.h \
    ni/engine/drive/place.c \
    ni/engine/drive/place.h \
    ni/engine/drive/poll_lane.h \
    ni/engine/drive/progress.c \
    ni/engine/drive/progress.h \
    ni/engine/drive/thread.c \
    ni/engine/drive/thread.h \
    ni/engine/drive/wait.c
