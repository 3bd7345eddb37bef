# SPDX-License-Identifier: BSD-3-Clause
# What depends on the version of Open MPI, for its components.

if HAVE_OMPI
noinst_LTLIBRARIES += ompi_glue/libompi_glue.la
endif

ompi_glue_libompi_glue_la_SOURCES = \
    ompi_glue/asked.c \
    ompi_glue/bindings.c \
    ompi_glue/check.c \
    ompi_glue/check.h \
    ompi_glue/code_of.c \
    ompi_glue/code_of.h \
    ompi_glue/component.h \
    ompi_glue/drain.c \
    ompi_glue/drain.h \
    ompi_glue/get_bound.c \
    ompi_glue/get_bound.h \
    ompi_glue/help.c \
    ompi_glue/hosts.c \
    ompi_glue/locality.c \
    ompi_glue/map.c \
    ompi_glue/memory.c \
    ompi_glue/names.c \
    ompi_glue/ompi_glue.h \
    ompi_glue/params.c \
    ompi_glue/pvars.c \
    ompi_glue/take.c \
    ompi_glue/take.h
ompi_glue_libompi_glue_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir) $(NI_CORE_CPPFLAGS) $(OMPI_CPPFLAGS)
ompi_glue_libompi_glue_la_CFLAGS = $(AM_CFLAGS)

# What an MTL needs of libmpi; a BTL does without.
if HAVE_OMPI
noinst_LTLIBRARIES += ompi_glue/libompi_glue_mtl.la
endif

ompi_glue_libompi_glue_mtl_la_SOURCES = \
    ompi_glue/inside.h \
    ompi_glue/mtl.c \
    ompi_glue/mtl.h
ompi_glue_libompi_glue_mtl_la_CPPFLAGS = $(ompi_glue_libompi_glue_la_CPPFLAGS)
ompi_glue_libompi_glue_mtl_la_CFLAGS = $(AM_CFLAGS)
