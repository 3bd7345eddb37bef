# SPDX-License-Identifier: BSD-3-Clause
# Fortran: the subroutines, made in C from the one list of functions; mpif.h. Only where there is gfortran, for which the names and
# conventions are.

presto_fortran_list = $(srcdir)/presto/include/mpi/functions.list
presto_fortran_constants = $(srcdir)/presto/include/mpi/types.h $(srcdir)/presto/include/mpi/constants.h \
    $(srcdir)/presto/include/mpi/files.h
EXTRA_DIST += presto/fortran/calls.awk presto/fortran/constants.awk presto/fortran/handles.awk presto/fortran/list.awk \
    presto/fortran/symbols.awk

# The numbers of the predefined handles, which C has, too.
BUILT_SOURCES += presto/include/mpi/predefined.h
CLEANFILES += presto/include/mpi/predefined.h
presto/include/mpi/predefined.h: presto/fortran/handles.awk presto/include/mpi/types.h
	$(AM_V_GEN)$(MKDIR_P) $(@D) && LC_ALL=C $(AWK) -f $(srcdir)/presto/fortran/handles.awk \
	    $(srcdir)/presto/include/mpi/types.h >$@.tmp && mv $@.tmp $@

presto_fortran_sources = \
    presto/fortran/convert.h \
    presto/fortran/hand.h \
    presto/fortran/mpi.c \
    presto/fortran/plain_mpi.c \
    presto/fortran/plain_pmpi.c \
    presto/fortran/pmpi.c \
    presto/fortran/support.c
EXTRA_DIST += $(presto_fortran_sources)

if HAVE_FORTRAN
presto_fortran_made = presto/fortran/calls.h presto/fortran/mpif.h presto/fortran/presto_fortran.s
BUILT_SOURCES += $(presto_fortran_made)
CLEANFILES += $(presto_fortran_made)
nodist_prestoinclude_HEADERS = presto/fortran/mpif.h
prestofortrandir = $(prestoincludedir)/fortran
nodist_prestofortran_DATA = presto/fortran/presto_fortran.s

presto/fortran/calls.h: presto/fortran/list.awk presto/fortran/calls.awk presto/include/mpi/functions.list
	$(AM_V_GEN)$(MKDIR_P) $(@D) && LC_ALL=C $(AWK) -f $(srcdir)/presto/fortran/list.awk \
	    -f $(srcdir)/presto/fortran/calls.awk $(presto_fortran_list) >$@.tmp && mv $@.tmp $@

presto/fortran/presto_fortran.s: presto/fortran/list.awk presto/fortran/symbols.awk presto/include/mpi/functions.list
	$(AM_V_GEN)$(MKDIR_P) $(@D) && LC_ALL=C $(AWK) -f $(srcdir)/presto/fortran/list.awk \
	    -f $(srcdir)/presto/fortran/symbols.awk $(presto_fortran_list) >$@.tmp && mv $@.tmp $@

presto/fortran/mpif.h: presto/fortran/constants.awk $(presto_fortran_constants)
	$(AM_V_GEN)$(MKDIR_P) $(@D) && LC_ALL=C $(AWK) -v make=mpif -f $(srcdir)/presto/fortran/constants.awk \
	    $(presto_fortran_constants) >$@.tmp && mv $@.tmp $@

PRESTO_FORTRAN_CPPFLAGS = $(AM_CPPFLAGS) $(PRESTO_CPPFLAGS) -I$(top_srcdir)/presto -I$(top_builddir)/presto

lib_LTLIBRARIES += presto/libpresto_fortran.la presto/libpresto_fortran_plain.la
presto_libpresto_fortran_la_SOURCES = presto/fortran/convert.h presto/fortran/hand.h presto/fortran/mpi.c presto/fortran/pmpi.c \
    presto/fortran/support.c
presto_libpresto_fortran_la_CPPFLAGS = $(PRESTO_FORTRAN_CPPFLAGS)
presto_libpresto_fortran_la_CFLAGS = $(AM_CFLAGS) -fvisibility=default
presto_libpresto_fortran_la_LIBADD = presto/libpresto.la
presto_libpresto_fortran_la_LDFLAGS = $(AM_LDFLAGS) $(COMPONENT_LDFLAGS) -no-undefined -version-info 0:0:0 \
    -export-symbols-regex '^presto_'

# For objects that another wrapper, or none, has compiled.
presto_libpresto_fortran_plain_la_SOURCES = presto/fortran/convert.h presto/fortran/hand.h presto/fortran/plain_mpi.c \
    presto/fortran/plain_pmpi.c presto/fortran/support.c
presto_libpresto_fortran_plain_la_CPPFLAGS = $(PRESTO_FORTRAN_CPPFLAGS)
presto_libpresto_fortran_plain_la_CFLAGS = $(AM_CFLAGS) -fvisibility=default
presto_libpresto_fortran_plain_la_LDFLAGS = $(AM_LDFLAGS) -static
endif
