# SPDX-License-Identifier: BSD-3-Clause
# libpresto: messages between ranks without MPI, and MPI's interface on top. The core of the network interface is inside
# of it, hidden; it is linked from a convenience library, which tests link as well. Each folder adds its sources.

noinst_LTLIBRARIES += presto/libpresto_core.la
lib_LTLIBRARIES += presto/libpresto.la

# For what uses the native interface; and for what is built into the library.
PRESTO_CPPFLAGS = -I$(top_srcdir)/presto/include -I$(top_builddir)/presto/include
PRESTO_CORE_CPPFLAGS = $(NI_CORE_CPPFLAGS) $(PRESTO_CPPFLAGS) -I$(top_srcdir)/presto -I$(top_srcdir)

presto_libpresto_core_la_SOURCES =
presto_libpresto_core_la_CPPFLAGS = $(AM_CPPFLAGS) $(PRESTO_CORE_CPPFLAGS) $(PMIX_CFLAGS) \
    -DPRI_PMIX_LIBRARY='"$(PMIX_LIBRARY)"' -DPRI_REPORT='"$(bindir)/apelink-report"'
presto_libpresto_core_la_LIBADD = ni/libapeni_core.la record/librecord.la

presto_libpresto_la_SOURCES =
presto_libpresto_la_LIBADD = presto/libpresto_core.la -lm -lpthread
presto_libpresto_la_LDFLAGS = $(AM_LDFLAGS) $(COMPONENT_LDFLAGS) -no-undefined -version-info 0:0:0 \
    -export-symbols-regex '^(pr|presto)_'

include presto/core/local.mk
include presto/type/local.mk
include presto/coll/local.mk
include presto/rma/local.mk
include presto/io/local.mk
include presto/native/local.mk
include presto/mpi/local.mk
include presto/fortran/local.mk
include presto/tools/local.mk
