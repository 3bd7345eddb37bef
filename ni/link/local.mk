# SPDX-License-Identifier: BSD-3-Clause
# Links: they move packets and know nothing of their meaning. Each link is a folder with its own fragment.

ni_libapeni_core_la_SOURCES += \
    ni/link/far/far.c \
    ni/link/far/far.h \
    ni/link/lane.c \
    ni/link/lane.h \
    ni/link/lane_inl.h \
    ni/link/link.h \
    ni/link/links.c \
    ni/link/packet.h \
    ni/link/several/several.c \
    ni/link/several/several.h

include ni/link/shm/local.mk
include ni/link/inproc/local.mk
include ni/link/ucx/local.mk
include ni/link/dev/local.mk
