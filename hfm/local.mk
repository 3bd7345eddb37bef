# SPDX-License-Identifier: BSD-3-Clause
# The host fault manager: its state machines, without threads, sockets or time inside, and the daemon apelink-hfm.

noinst_LTLIBRARIES += hfm/libhfm.la

hfm_libhfm_la_SOURCES = \
    hfm/card.h \
    hfm/cluster.h \
    hfm/config.c \
    hfm/config.h \
    hfm/history.c \
    hfm/history.h \
    hfm/host.c \
    hfm/host.h \
    hfm/lease.c \
    hfm/lease.h \
    hfm/master.c \
    hfm/master.h \
    hfm/message.c \
    hfm/message.h \
    hfm/node.c \
    hfm/node.h \
    hfm/node_master.c \
    hfm/node_private.h \
    hfm/node_take.c \
    hfm/notifier.c \
    hfm/notifier.h \
    hfm/presence.c \
    hfm/presence.h \
    hfm/print.c \
    hfm/print.h \
    hfm/print_metrics.c \
    hfm/print_page.c \
    hfm/service.c \
    hfm/service.h \
    hfm/setup.c \
    hfm/setup.h \
    hfm/verdict.c \
    hfm/verdict.h \
    hfm/watchdog.c \
    hfm/watchdog.h
hfm_libhfm_la_CPPFLAGS = $(AM_CPPFLAGS) $(DNP_CPPFLAGS)
hfm_libhfm_la_LIBADD = dnp/libdnp.la

if HAVE_LIBEVENT
bin_PROGRAMS += hfm/apelink-hfm
endif

hfm_apelink_hfm_SOURCES = \
    hfm/daemon/alarm.c \
    hfm/daemon/alarm.h \
    hfm/daemon/ask.c \
    hfm/daemon/cables.c \
    hfm/daemon/card.c \
    hfm/daemon/card.h \
    hfm/daemon/control.c \
    hfm/daemon/control.h \
    hfm/daemon/daemon.h \
    hfm/daemon/files.c \
    hfm/daemon/hook.c \
    hfm/daemon/hook.h \
    hfm/daemon/http.c \
    hfm/daemon/http.h \
    hfm/daemon/look.c \
    hfm/daemon/look.h \
    hfm/daemon/main.c \
    hfm/daemon/network.c \
    hfm/daemon/notify.c \
    hfm/daemon/notify.h \
    hfm/daemon/rights.c \
    hfm/daemon/rights.h \
    hfm/daemon/run.c \
    hfm/daemon/spawn.c \
    hfm/daemon/spawn.h
hfm_apelink_hfm_CPPFLAGS = $(AM_CPPFLAGS) $(DNP_CPPFLAGS) $(LIBEVENT_CFLAGS)
hfm_apelink_hfm_LDADD = hfm/libhfm.la dnp/libboard.la driver/libclient.la $(LIBEVENT_LIBS) -levent_extra -lpthread

# For systemd, and a hook for Slurm.
unitdir = $(prefix)/lib/systemd/system
unit_DATA = hfm/apelink-hfm.service
CLEANFILES += hfm/apelink-hfm.service

hfm/apelink-hfm.service: hfm/apelink-hfm.service.in Makefile
	$(AM_V_GEN)sed 's|@bindir@|$(bindir)|; s|@sysconfdir@|$(sysconfdir)|' $(srcdir)/hfm/apelink-hfm.service.in >$@

dist_pkglibexec_SCRIPTS = hfm/hook-drain
EXTRA_DIST += hfm/apelink-hfm.service.in

dist_man1_MANS += docs/man/apelink-hfm.1
EXTRA_DIST += docs/hfm.md
