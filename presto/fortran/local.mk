# SPDX-License-Identifier: BSD-3-Clause
# Fortran: the subroutines, made in C from the one list of functions; mpif.h. Only where there is gfortran, for which the names and
# conventions are.

presto_fortran_list = $(srcdir)/presto/include/mpi/functions.list
presto_fortran_constants = $(srcdir)/presto/include/mpi/types.h $(srcdir)/presto/include/mpi/constants.h \
    $(srcdir)/presto/include/mpi/files.h
EXTRA_DIST += presto/fortran/calls.awk presto/fortran/constants.awk presto/fortran/handles.awk presto/fortran/kinds.awk \
    presto/fortran/list.awk \
    presto/fortran/interfaces.awk presto/fortran/module_mpi.f90 presto/fortran/module_mpi_f08.f90 \
    presto/fortran/module_mpi_f08_types.f90 presto/fortran/symbols.awk

# The numbers of the predefined handles, which C has, too.
BUILT_SOURCES += presto/include/mpi/predefined.h
CLEANFILES += presto/include/mpi/predefined.h
presto/include/mpi/predefined.h: presto/fortran/handles.awk presto/fortran/kinds.awk presto/include/mpi/types.h
	$(AM_V_GEN)$(MKDIR_P) $(@D) && LC_ALL=C $(AWK) -f $(srcdir)/presto/fortran/kinds.awk -f $(srcdir)/presto/fortran/handles.awk \
	    $(srcdir)/presto/include/mpi/types.h >$@.tmp && mv $@.tmp $@

presto_fortran_sources = \
    presto/fortran/convert.h \
    presto/fortran/given.h \
    presto/fortran/hand.h \
    presto/fortran/mpi.c \
    presto/fortran/plain_mpi.c \
    presto/fortran/plain_null.c \
    presto/fortran/plain_pmpi.c \
    presto/fortran/pmpi.c \
    presto/fortran/section.c \
    presto/fortran/support.c
EXTRA_DIST += $(presto_fortran_sources)

if HAVE_FORTRAN
presto_fortran_made = presto/fortran/calls.h presto/fortran/mpif.h presto/fortran/renames
BUILT_SOURCES += $(presto_fortran_made)
CLEANFILES += $(presto_fortran_made)
nodist_prestoinclude_HEADERS = presto/fortran/mpif.h
prestofortrandir = $(prestoincludedir)/fortran
dist_prestofortran_SCRIPTS = presto/fortran/as
nodist_prestofortran_DATA = presto/fortran/renames $(presto_modules)

presto/fortran/calls.h: presto/fortran/list.awk presto/fortran/calls.awk presto/include/mpi/functions.list
	$(AM_V_GEN)$(MKDIR_P) $(@D) && LC_ALL=C $(AWK) -f $(srcdir)/presto/fortran/list.awk \
	    -f $(srcdir)/presto/fortran/calls.awk $(presto_fortran_list) >$@.tmp && mv $@.tmp $@

presto/fortran/renames: presto/fortran/list.awk presto/fortran/symbols.awk presto/include/mpi/functions.list
	$(AM_V_GEN)$(MKDIR_P) $(@D) && LC_ALL=C $(AWK) -f $(srcdir)/presto/fortran/list.awk \
	    -f $(srcdir)/presto/fortran/symbols.awk $(presto_fortran_list) >$@.tmp && mv $@.tmp $@

presto/fortran/mpif.h: presto/fortran/constants.awk presto/fortran/kinds.awk $(presto_fortran_constants)
	$(AM_V_GEN)$(MKDIR_P) $(@D) && LC_ALL=C $(AWK) -v make=mpif -f $(srcdir)/presto/fortran/kinds.awk -f $(srcdir)/presto/fortran/constants.awk \
	    $(presto_fortran_constants) >$@.tmp && mv $@.tmp $@

# Modules. Each object makes its module's file, too, so that who uses a module waits for its object.
presto_modules = presto/fortran/mpi.mod presto/fortran/mpi_f08.mod presto/fortran/presto_mpi_f08_types.mod
presto_module_objects = presto/fortran/module_mpi.o presto/fortran/module_mpi_f08.o presto/fortran/module_mpi_f08_types.o
presto_module_parts = presto/fortran/constants_mpi.inc presto/fortran/interfaces_mpi.inc \
    presto/fortran/constants_mpi_f08.inc presto/fortran/interfaces_mpi_f08.inc
CLEANFILES += $(presto_modules) $(presto_module_objects) $(presto_module_parts) presto/.libs/libpresto_fortran_modules.a

presto/fortran/constants_mpi.inc presto/fortran/constants_mpi_f08.inc: presto/fortran/constants.awk presto/fortran/kinds.awk $(presto_fortran_constants)
	$(AM_V_GEN)$(MKDIR_P) $(@D) && what=`basename $@ .inc | sed s/constants_//` && \
	    LC_ALL=C $(AWK) -v make=$$what -f $(srcdir)/presto/fortran/kinds.awk -f $(srcdir)/presto/fortran/constants.awk $(presto_fortran_constants) >$@.tmp && mv $@.tmp $@

presto/fortran/interfaces_mpi.inc presto/fortran/interfaces_mpi_f08.inc: presto/fortran/list.awk presto/fortran/interfaces.awk \
    presto/include/mpi/functions.list
	$(AM_V_GEN)$(MKDIR_P) $(@D) && what=`basename $@ .inc | sed s/interfaces_//` && \
	    LC_ALL=C $(AWK) -v make=$$what -f $(srcdir)/presto/fortran/list.awk -f $(srcdir)/presto/fortran/interfaces.awk \
	    $(presto_fortran_list) >$@.tmp && mv $@.tmp $@

# Default logicals and integers are fit for C here, whatever the warnings say.
PRESTO_FORTRAN_COMPILE = $(FC) -O2 -w -fPIC -I presto/fortran -J presto/fortran -c

presto/fortran/module_mpi.o: presto/fortran/module_mpi.f90 presto/fortran/constants_mpi.inc presto/fortran/interfaces_mpi.inc
	$(AM_V_GEN)$(PRESTO_FORTRAN_COMPILE) $(srcdir)/presto/fortran/module_mpi.f90 -o $@
presto/fortran/module_mpi_f08_types.o: presto/fortran/module_mpi_f08_types.f90
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(PRESTO_FORTRAN_COMPILE) $(srcdir)/presto/fortran/module_mpi_f08_types.f90 -o $@
presto/fortran/module_mpi_f08.o: presto/fortran/module_mpi_f08.f90 presto/fortran/module_mpi_f08_types.o \
    presto/fortran/constants_mpi_f08.inc presto/fortran/interfaces_mpi_f08.inc
	$(AM_V_GEN)$(PRESTO_FORTRAN_COMPILE) $(srcdir)/presto/fortran/module_mpi_f08.f90 -o $@

# gfortran leaves a module's file alone if it would say the same again. Where somebody has removed it, the object goes first.
presto/fortran/mpi.mod: presto/fortran/module_mpi.o
	@test -e $@ || { rm -f $<; $(MAKE) $(AM_MAKEFLAGS) $<; }
	@touch $@
presto/fortran/mpi_f08.mod: presto/fortran/module_mpi_f08.o
	@test -e $@ || { rm -f $<; $(MAKE) $(AM_MAKEFLAGS) $<; }
	@touch $@
presto/fortran/presto_mpi_f08_types.mod: presto/fortran/module_mpi_f08_types.o
	@test -e $@ || { rm -f $<; $(MAKE) $(AM_MAKEFLAGS) $<; }
	@touch $@

prestofortranlibdir = $(libdir)
nodist_prestofortranlib_DATA = presto/.libs/libpresto_fortran_modules.a
presto/.libs/libpresto_fortran_modules.a: $(presto_module_objects)
	$(AM_V_GEN)$(MKDIR_P) $(@D) && rm -f $@ && $(AR) cr $@ $(presto_module_objects) && $(RANLIB) $@

PRESTO_FORTRAN_CPPFLAGS = $(AM_CPPFLAGS) $(PRESTO_CPPFLAGS) -I$(top_srcdir)/presto -I$(top_builddir)/presto $(FORTRAN_CPPFLAGS)

lib_LTLIBRARIES += presto/libpresto_fortran.la presto/libpresto_fortran_plain.la
presto_libpresto_fortran_la_SOURCES = presto/fortran/convert.h presto/fortran/given.h presto/fortran/hand.h \
    presto/fortran/mpi.c presto/fortran/pmpi.c presto/fortran/section.c presto/fortran/support.c
presto_libpresto_fortran_la_CPPFLAGS = $(PRESTO_FORTRAN_CPPFLAGS)
presto_libpresto_fortran_la_CFLAGS = $(AM_CFLAGS) -fvisibility=default
presto_libpresto_fortran_la_LIBADD = presto/libpresto.la
presto_libpresto_fortran_la_LDFLAGS = $(AM_LDFLAGS) $(COMPONENT_LDFLAGS) -no-undefined -version-info 0:0:0 \
    -export-symbols-regex '^presto_'

# For objects that another wrapper, or none, has compiled.
presto_libpresto_fortran_plain_la_SOURCES = presto/fortran/convert.h presto/fortran/given.h presto/fortran/hand.h \
    presto/fortran/plain_mpi.c presto/fortran/plain_null.c presto/fortran/plain_pmpi.c presto/fortran/section.c presto/fortran/support.c
presto_libpresto_fortran_plain_la_CPPFLAGS = $(PRESTO_FORTRAN_CPPFLAGS)
presto_libpresto_fortran_plain_la_CFLAGS = $(AM_CFLAGS) -fvisibility=default
presto_libpresto_fortran_plain_la_LDFLAGS = $(AM_LDFLAGS) -static
endif
