# SPDX-License-Identifier: BSD-3-Clause
# What depends on the version of Open MPI, for its components.

if HAVE_OMPI
noinst_LTLIBRARIES += ompi_glue/libompi_glue.la
endif

ompi_glue_libompi_glue_la_SOURCES = \
    ompi_glue/check.c \
    ompi_glue/check.h \
    ompi_glue/get_bound.c \
    ompi_glue/get_bound.h \
    ompi_glue/ompi_glue.h \
    ompi_glue/take.c \
    ompi_glue/take.h
ompi_glue_libompi_glue_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir) $(OMPI_CPPFLAGS)
ompi_glue_libompi_glue_la_CFLAGS = $(AM_CFLAGS)
