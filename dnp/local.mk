# SPDX-License-Identifier: BSD-3-Clause
# The APEnet+ card as state machines. No threads, sockets or time inside.

noinst_LTLIBRARIES += dnp/libdnp.la
noinst_PROGRAMS += dnp/registers-table

# For what is built into the card or links libdnp.la.
DNP_CPPFLAGS = $(NI_CORE_CPPFLAGS) -I$(top_srcdir)

dnp_libdnp_la_SOURCES = \
    dnp/buffer.c \
    dnp/buffer.h \
    dnp/cable.c \
    dnp/cable.h \
    dnp/card.c \
    dnp/card.h \
    dnp/channel.c \
    dnp/channel.h \
    dnp/control.c \
    dnp/control.h \
    dnp/crc.c \
    dnp/crc.h \
    dnp/dma.h \
    dnp/event.c \
    dnp/event.h \
    dnp/fifo.h \
    dnp/get.c \
    dnp/get.h \
    dnp/limits.h \
    dnp/link.h \
    dnp/link_rx.c \
    dnp/link_tx.c \
    dnp/lines.c \
    dnp/lines.h \
    dnp/lofamo/fault.h \
    dnp/lofamo/health.c \
    dnp/lofamo/health.h \
    dnp/lofamo/lifama.h \
    dnp/lofamo/manager.c \
    dnp/lofamo/manager.h \
    dnp/lofamo/watch.h \
    dnp/mac.c \
    dnp/mac.h \
    dnp/reach.c \
    dnp/reach.h \
    dnp/registers.c \
    dnp/registers.def \
    dnp/registers.h \
    dnp/registers_print.c \
    dnp/route.c \
    dnp/route.h \
    dnp/router.c \
    dnp/router.h \
    dnp/rx.c \
    dnp/rx.h \
    dnp/sensors.c \
    dnp/sensors.h \
    dnp/tx.c \
    dnp/tx.h \
    dnp/tx_fetch.c \
    dnp/way.c \
    dnp/way.h
dnp_libdnp_la_CPPFLAGS = $(AM_CPPFLAGS) $(DNP_CPPFLAGS)
dnp_libdnp_la_LIBADD = ni/libapeni_core.la

dnp_registers_table_SOURCES = dnp/registers_table.c
dnp_registers_table_CPPFLAGS = $(AM_CPPFLAGS) $(DNP_CPPFLAGS)
dnp_registers_table_LDADD = dnp/libdnp.la

# The board as a program. Its parser and its state are in a library of their own for tests.
noinst_LTLIBRARIES += dnp/libboard.la

dnp_libboard_la_SOURCES = \
    dnp/board/config.c \
    dnp/board/config.h \
    dnp/board/device.c \
    dnp/board/device.h \
    dnp/board/device_ioctl.c \
    dnp/board/machine.c \
    dnp/board/machine.h \
    dnp/board/machine_memory.c \
    dnp/board/machine_memory.h \
    dnp/board/maps.c \
    dnp/board/maps.h \
    dnp/board/memory.c \
    dnp/board/memory.h \
    dnp/board/process.c \
    dnp/board/process.h \
    dnp/board/realtime.c \
    dnp/board/realtime.h \
    dnp/board/sensor.c \
    dnp/board/sensor.h \
    dnp/board/state.c \
    dnp/board/state.h \
    dnp/board/stream.c \
    dnp/board/stream.h \
    dnp/board/tcp.c \
    dnp/board/tcp.h \
    dnp/board/writer.c \
    dnp/board/writer.h
dnp_libboard_la_CPPFLAGS = $(AM_CPPFLAGS) $(DNP_CPPFLAGS)
dnp_libboard_la_LIBADD = dnp/libdnp.la

if HAVE_LIBEVENT
bin_PROGRAMS += dnp/apelink-board
endif

dnp_apelink_board_SOURCES = \
    dnp/board/board.c \
    dnp/board/board.h \
    dnp/board/fuse.c \
    dnp/board/fuse.h \
    dnp/board/fuse_death.c \
    dnp/board/fuse_mount.c \
    dnp/board/fuse_protocol.h \
    dnp/board/fuse_wait.c \
    dnp/board/ivshmem.c \
    dnp/board/ivshmem.h \
    dnp/board/main.c \
    dnp/board/socket.c \
    dnp/board/socket.h \
    dnp/board/wire.c \
    dnp/board/wire.h \
    dnp/board/wire_open.c
dnp_apelink_board_CPPFLAGS = $(AM_CPPFLAGS) $(DNP_CPPFLAGS) $(LIBEVENT_CFLAGS)
dnp_apelink_board_LDADD = dnp/libboard.la $(LIBEVENT_LIBS) -lpthread

dist_man1_MANS += docs/man/apelink-board.1
EXTRA_DIST += docs/board.md docs/lofamo-reach.svg docs/registers.md

# docs/registers.md, which tests/unit/dnp_registers.sh compares with the table.
registers: dnp/registers-table
	$(AM_V_GEN)dnp/registers-table >$(srcdir)/docs/registers.md.tmp && \
	    mv $(srcdir)/docs/registers.md.tmp $(srcdir)/docs/registers.md

.PHONY: registers
