# SPDX-License-Identifier: BSD-3-Clause
# The NI core, twice from the same objects: a convenience library for our own components, tools and tests, which see
# its inner headers, and libapeni, which exports what the public headers declare.

noinst_LTLIBRARIES += ni/libapeni_core.la
lib_LTLIBRARIES += ni/libapeni.la

# For what is built into the core or links libapeni_core.la.
NI_CORE_CPPFLAGS = $(NI_CPPFLAGS) -I$(top_srcdir)/ni

# Each fragment adds its sources.
ni_libapeni_core_la_SOURCES =
ni_libapeni_core_la_CPPFLAGS = $(AM_CPPFLAGS) $(NI_CORE_CPPFLAGS)
ni_libapeni_core_la_CFLAGS = $(AM_CFLAGS) $(HWLOC_CFLAGS)
ni_libapeni_core_la_LIBADD = $(HWLOC_LIBS) -lpthread

ni_libapeni_la_SOURCES =
ni_libapeni_la_LIBADD = ni/libapeni_core.la
ni_libapeni_la_LDFLAGS = $(AM_LDFLAGS) -no-undefined -version-info 0:0:0

apeniincludedir = $(includedir)/apeni
apeniinclude_HEADERS = \
    ni/include/apeni/apeni.h \
    ni/include/apeni/barrier.h \
    ni/include/apeni/command.h \
    ni/include/apeni/counter.h \
    ni/include/apeni/fault.h \
    ni/include/apeni/inproc.h \
    ni/include/apeni/log.h \
    ni/include/apeni/multipath.h \
    ni/include/apeni/ni.h \
    ni/include/apeni/notify.h \
    ni/include/apeni/param.h \
    ni/include/apeni/portals.h \
    ni/include/apeni/portals_atomic.h \
    ni/include/apeni/portals_ct.h \
    ni/include/apeni/portals_eq.h \
    ni/include/apeni/portals_event.h \
    ni/include/apeni/portals_le.h \
    ni/include/apeni/portals_md.h \
    ni/include/apeni/portals_me.h \
    ni/include/apeni/portals_ni.h \
    ni/include/apeni/portals_pt.h \
    ni/include/apeni/portals_search.h \
    ni/include/apeni/portals_triggered.h \
    ni/include/apeni/qp.h \
    ni/include/apeni/queue.h \
    ni/include/apeni/rcache.h \
    ni/include/apeni/region.h \
    ni/include/apeni/stamp.h \
    ni/include/apeni/stats.h \
    ni/include/apeni/status.h \
    ni/include/apeni/store.h \
    ni/include/apeni/tasks.h \
    ni/include/apeni/torus.h \
    ni/include/apeni/transfer.h

include ni/base/local.mk
include ni/topology/local.mk
include ni/link/local.mk
include ni/match/local.mk
include ni/table/local.mk
include ni/engine/local.mk
include ni/command/local.mk
include ni/qp/local.mk
include ni/sync/local.mk
include ni/portals/local.mk
include ni/tasks/local.mk
