# SPDX-License-Identifier: BSD-3-Clause
# What mtl_match and pml_match have in common: messages as puts to portals.

EXTRA_DIST += ompi_match/help-match.txt ompi_match/help.sed

if HAVE_OMPI
noinst_LTLIBRARIES += ompi_match/libompi_match.la
endif

ompi_match_libompi_match_la_SOURCES = \
    ompi_match/buffer.c \
    ompi_match/comms.c \
    ompi_match/hot.h \
    ompi_match/match.h \
    ompi_match/open.c \
    ompi_match/params.c \
    ompi_match/probe.c \
    ompi_match/procs.c \
    ompi_match/recv.c \
    ompi_match/result.c \
    ompi_match/send.c

ompi_match_libompi_match_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir) $(NI_CORE_CPPFLAGS) $(OMPI_CPPFLAGS)
ompi_match_libompi_match_la_CFLAGS = $(AM_CFLAGS)
