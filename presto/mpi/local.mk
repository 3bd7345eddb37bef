# SPDX-License-Identifier: BSD-3-Clause
# MPI's interface. Its header lies in a folder of its own, which only prestocc and the package files name, so that it is
# not found by accident.

prestoincludedir = $(includedir)/presto
prestoinclude_HEADERS = presto/include/mpi.h presto/include/mpi-ext.h
prestompiincludedir = $(includedir)/presto/mpi
prestompiinclude_HEADERS = \
    presto/include/mpi/collective.h \
    presto/include/mpi/communicator.h \
    presto/include/mpi/constants.h \
    presto/include/mpi/datatype.h \
    presto/include/mpi/environment.h \
    presto/include/mpi/files.h \
    presto/include/mpi/fortran.h \
    presto/include/mpi/handles.h \
    presto/include/mpi/lacking.h \
    presto/include/mpi/onesided.h \
    presto/include/mpi/point.h \
    presto/include/mpi/tool.h \
    presto/include/mpi/types.h

# What says something of each function comes from one list.
presto_made_headers = presto/include/mpi/missing.h presto/include/mpi/missing_profiling.h presto/include/mpi/names.h \
    presto/include/mpi/symbols.h
nodist_prestompiinclude_HEADERS = $(presto_made_headers)
BUILT_SOURCES += $(presto_made_headers)
CLEANFILES += $(presto_made_headers)
EXTRA_DIST += presto/include/mpi/functions.awk presto/include/mpi/functions.list

$(presto_made_headers): presto/include/mpi/functions.awk presto/include/mpi/functions.list
	$(AM_V_GEN)$(MKDIR_P) $(@D) && what=`basename $@ .h` && LC_ALL=C $(AWK) -v make=$$what \
	    -f $(srcdir)/presto/include/mpi/functions.awk $(srcdir)/presto/include/mpi/functions.list >$@.tmp && mv $@.tmp $@

presto_libpresto_core_la_SOURCES += \
    presto/mpi/attr.c \
    presto/mpi/attr_comm.c \
    presto/mpi/attr_type.c \
    presto/mpi/cart.c \
    presto/mpi/check.h \
    presto/mpi/coll_all.c \
    presto/mpi/coll_check.c \
    presto/mpi/coll_check.h \
    presto/mpi/coll_neighbor.c \
    presto/mpi/coll_persistent.c \
    presto/mpi/coll_reduce.c \
    presto/mpi/coll_rooted.c \
    presto/mpi/comm.c \
    presto/mpi/comm_dup.c \
    presto/mpi/comm_end.c \
    presto/mpi/comm_make.c \
    presto/mpi/comm_tell.c \
    presto/mpi/count.h \
    presto/mpi/dims.c \
    presto/mpi/environment.c \
    presto/mpi/errhandler.c \
    presto/mpi/error.c \
    presto/mpi/exchange.c \
    presto/mpi/external.c \
    presto/mpi/failure.c \
    presto/mpi/file.h \
    presto/mpi/file_data.c \
    presto/mpi/file_datarep.c \
    presto/mpi/file_error.c \
    presto/mpi/file_info.c \
    presto/mpi/file_make.c \
    presto/mpi/file_read.c \
    presto/mpi/file_view.c \
    presto/mpi/file_write.c \
    presto/mpi/fortran.c \
    presto/mpi/fortran_attr.c \
    presto/mpi/graph.c \
    presto/mpi/graph_dist.c \
    presto/mpi/group.c \
    presto/mpi/info.c \
    presto/mpi/init.c \
    presto/mpi/inter.c \
    presto/mpi/inter.h \
    presto/mpi/join.c \
    presto/mpi/later.h \
    presto/mpi/marks.c \
    presto/mpi/missing.c \
    presto/mpi/number.h \
    presto/mpi/op.c \
    presto/mpi/persistent.c \
    presto/mpi/port.c \
    presto/mpi/probe.c \
    presto/mpi/recv.c \
    presto/mpi/request.c \
    presto/mpi/request.h \
    presto/mpi/send.c \
    presto/mpi/send.h \
    presto/mpi/spawn.c \
    presto/mpi/state.h \
    presto/mpi/status.c \
    presto/mpi/tool.c \
    presto/mpi/tool_category.c \
    presto/mpi/tool_common.h \
    presto/mpi/tool_control.c \
    presto/mpi/tool_pvar.c \
    presto/mpi/topology.c \
    presto/mpi/topology.h \
    presto/mpi/type_name.c \
    presto/mpi/types.c \
    presto/mpi/types_array.c \
    presto/mpi/types_contents.c \
    presto/mpi/types_f90.c \
    presto/mpi/types_query.c \
    presto/mpi/wait.c \
    presto/mpi/win.h \
    presto/mpi/win_attr.c \
    presto/mpi/win_make.c \
    presto/mpi/win_ops.c \
    presto/mpi/win_sync.c

# Once more for the functions with large counts: see count.h.
noinst_LTLIBRARIES += presto/libpresto_large.la
presto_libpresto_core_la_LIBADD += presto/libpresto_large.la
presto_libpresto_large_la_CPPFLAGS = $(presto_libpresto_core_la_CPPFLAGS) -I$(top_builddir)/presto -DPRI_LARGE
presto_libpresto_large_la_SOURCES = \
    presto/mpi/coll_all.c \
    presto/mpi/coll_neighbor.c \
    presto/mpi/coll_reduce.c \
    presto/mpi/coll_rooted.c \
    presto/mpi/exchange.c \
    presto/mpi/external.c \
    presto/mpi/file_read.c \
    presto/mpi/file_view.c \
    presto/mpi/file_write.c \
    presto/mpi/op.c \
    presto/mpi/persistent.c \
    presto/mpi/probe.c \
    presto/mpi/recv.c \
    presto/mpi/send.c \
    presto/mpi/status.c \
    presto/mpi/types.c \
    presto/mpi/types_array.c \
    presto/mpi/types_query.c \
    presto/mpi/win_make.c \
    presto/mpi/win_ops.c

presto_large_headers = presto/include/mpi/large.h presto/mpi/as_large.h
BUILT_SOURCES += $(presto_large_headers)
CLEANFILES += $(presto_large_headers)
EXTRA_DIST += presto/include/mpi/large.awk
nodist_prestompiinclude_HEADERS += presto/include/mpi/large.h

$(presto_large_headers): presto/fortran/list.awk presto/include/mpi/large.awk presto/include/mpi/functions.list
	$(AM_V_GEN)$(MKDIR_P) $(@D) && what=`basename $@ .h` && LC_ALL=C $(AWK) -v make=$$what -f $(srcdir)/presto/fortran/list.awk \
	    -f $(srcdir)/presto/include/mpi/large.awk $(srcdir)/presto/include/mpi/functions.list >$@.tmp && mv $@.tmp $@
