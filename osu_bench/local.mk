# SPDX-License-Identifier: BSD-3-Clause
# MPI benchmark programs with the OSU suite's names and output, line_time, and the comparison runner.

osu_names = \
    osu_latency \
    osu_bw \
    osu_bibw \
    osu_mbw_mr \
    osu_multi_lat \
    osu_latency_mt \
    osu_put_latency \
    osu_get_latency \
    osu_acc_latency \
    osu_cas_latency \
    osu_fop_latency \
    osu_put_bw \
    osu_get_bw \
    osu_allreduce \
    osu_barrier \
    osu_bcast \
    osu_alltoall \
    osu_send \
    osu_init \
    osu_deep_queue \
    osu_patterns \
    osu_peers

# What does not need MPI.
osu_PROGRAMS += osu_bench/line_time
osu_bench_line_time_SOURCES = osu_bench/line_time.c osu_bench/clock.h osu_bench/letters.h
osu_bench_line_time_LDADD = -lpthread
osu_PROGRAMS += osu_bench/ni_commands
osu_second = osu_bench/clock.h osu_bench/second.c osu_bench/second.h
osu_bench_ni_commands_SOURCES = osu_bench/ni_commands.c \
    osu_bench/commands/strategies.c osu_bench/commands/strategies.h osu_bench/letters.h $(osu_second)
osu_bench_ni_commands_CPPFLAGS = $(AM_CPPFLAGS) $(NI_CPPFLAGS) -I$(top_srcdir)/osu_bench
osu_bench_ni_commands_LDADD = ni/libapeni.la
osu_PROGRAMS += osu_bench/ni_tasks
osu_bench_ni_tasks_SOURCES = osu_bench/ni_tasks.c \
    osu_bench/tasks/locked.c osu_bench/tasks/locked.h \
    osu_bench/tasks/ours.c \
    osu_bench/tasks/party.c osu_bench/tasks/party.h osu_bench/clock.h
osu_bench_ni_tasks_CPPFLAGS = $(AM_CPPFLAGS) $(NI_CPPFLAGS) -I$(top_srcdir)/osu_bench
osu_bench_ni_tasks_LDADD = ni/libapeni.la -lpthread
osu_PROGRAMS += osu_bench/ni_placement
osu_bench_ni_placement_SOURCES = osu_bench/ni_placement.c \
    osu_bench/placement/measure.c osu_bench/placement/measure.h osu_bench/placement/reads.c \
    osu_bench/placement/side.c osu_bench/placement/side.h $(osu_second)
osu_bench_ni_placement_CPPFLAGS = $(AM_CPPFLAGS) $(NI_CPPFLAGS) -I$(top_srcdir)/osu_bench
osu_bench_ni_placement_LDADD = ni/libapeni.la -lpthread
osu_PROGRAMS += osu_bench/ni_put_bw
osu_bench_ni_put_bw_SOURCES = osu_bench/ni_put_bw.c $(osu_second)
osu_bench_ni_put_bw_CPPFLAGS = $(AM_CPPFLAGS) $(NI_CPPFLAGS)
osu_bench_ni_put_bw_LDADD = ni/libapeni.la
osu_PROGRAMS += osu_bench/ni_counters osu_bench/ni_multipath osu_bench/ni_steps osu_bench/ni_stores
osu_bench_ni_counters_SOURCES = osu_bench/ni_counters.c \
    osu_bench/counters/barriers.c osu_bench/counters/counters.h osu_bench/counters/transfers.c \
    osu_bench/ni_world.c osu_bench/ni_world.h
osu_bench_ni_counters_CPPFLAGS = $(AM_CPPFLAGS) $(NI_CPPFLAGS) -I$(top_srcdir)/osu_bench
osu_bench_ni_counters_LDADD = ni/libapeni.la -lpthread
osu_bench_ni_multipath_SOURCES = osu_bench/ni_multipath.c osu_bench/ni_world.c osu_bench/ni_world.h
osu_bench_ni_multipath_CPPFLAGS = $(AM_CPPFLAGS) $(NI_CPPFLAGS)
osu_bench_ni_multipath_LDADD = ni/libapeni.la -lpthread
osu_bench_ni_steps_SOURCES = osu_bench/ni_steps.c
osu_bench_ni_steps_CPPFLAGS = $(AM_CPPFLAGS) $(NI_CPPFLAGS)
osu_bench_ni_steps_LDADD = ni/libapeni.la

osu_bench_ni_stores_SOURCES = osu_bench/ni_stores.c \
    osu_bench/stores/paper.c osu_bench/stores/paper.h osu_bench/ni_world.c osu_bench/ni_world.h
osu_bench_ni_stores_CPPFLAGS = $(AM_CPPFLAGS) $(NI_CPPFLAGS) -I$(top_srcdir)/osu_bench
osu_bench_ni_stores_LDADD = ni/libapeni.la -lpthread

OSU_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/osu_bench $(MPI_CPPFLAGS)
OSU_LIBS = osu_bench/libosu.la $(MPI_LIBS) -lm -lpthread

osu_bench_libosu_la_CPPFLAGS = $(OSU_CPPFLAGS)
osu_bench_libosu_la_SOURCES = \
    osu_bench/clock.h \
    osu_bench/common/bench.c \
    osu_bench/common/bench.h \
    osu_bench/common/buffer.c \
    osu_bench/common/buffer.h \
    osu_bench/common/complete.c \
    osu_bench/common/defaults.c \
    osu_bench/common/element.c \
    osu_bench/common/element.h \
    osu_bench/common/option_rows.c \
    osu_bench/common/option_rows.h \
    osu_bench/common/options.c \
    osu_bench/common/options.h \
    osu_bench/common/parse.c \
    osu_bench/common/parse.h \
    osu_bench/common/p2p.h \
    osu_bench/common/pattern.c \
    osu_bench/common/pattern.h \
    osu_bench/common/pingpong.c \
    osu_bench/common/pingpong.h \
    osu_bench/common/rma.c \
    osu_bench/common/rma.h \
    osu_bench/common/rma_ops.c \
    osu_bench/common/rounds.c \
    osu_bench/common/slots.h \
    osu_bench/common/stream.c \
    osu_bench/common/stream.h \
    osu_bench/common/sync.c \
    osu_bench/common/table.c \
    osu_bench/common/table.h \
    osu_bench/common/window.c \
    osu_bench/common/window.h

osu_bench_osu_steps_SOURCES = osu_bench/osu_steps.c
osu_bench_osu_steps_CPPFLAGS = $(OSU_CPPFLAGS)
osu_bench_osu_steps_LDADD = $(MPI_LIBS)
osu_bench_osu_file_SOURCES = osu_bench/clock.h osu_bench/letters.h osu_bench/osu_file.c
osu_bench_osu_file_CPPFLAGS = $(OSU_CPPFLAGS)
osu_bench_osu_file_LDADD = $(MPI_LIBS)
osu_bench_osu_lost_SOURCES = osu_bench/clock.h osu_bench/osu_lost.c
osu_bench_osu_lost_CPPFLAGS = $(OSU_CPPFLAGS)
osu_bench_osu_lost_LDADD = $(MPI_LIBS)
osu_bench_osu_acc_pieces_SOURCES = osu_bench/osu_acc_pieces.c
osu_bench_osu_acc_pieces_CPPFLAGS = $(OSU_CPPFLAGS)
osu_bench_osu_acc_pieces_LDADD = $(MPI_LIBS)
osu_bench_osu_win_sync_SOURCES = osu_bench/osu_win_sync.c
osu_bench_osu_win_sync_CPPFLAGS = $(OSU_CPPFLAGS)
osu_bench_osu_win_sync_LDADD = $(MPI_LIBS)
osu_bench_osu_latency_SOURCES = osu_bench/osu_latency.c
osu_bench_osu_latency_CPPFLAGS = $(OSU_CPPFLAGS)
osu_bench_osu_latency_LDADD = $(OSU_LIBS)
osu_bench_osu_bw_SOURCES = osu_bench/osu_bw.c
osu_bench_osu_bw_CPPFLAGS = $(OSU_CPPFLAGS)
osu_bench_osu_bw_LDADD = $(OSU_LIBS)
osu_bench_osu_bibw_SOURCES = osu_bench/osu_bibw.c
osu_bench_osu_bibw_CPPFLAGS = $(OSU_CPPFLAGS)
osu_bench_osu_bibw_LDADD = $(OSU_LIBS)
osu_bench_osu_mbw_mr_SOURCES = osu_bench/osu_mbw_mr.c
osu_bench_osu_mbw_mr_CPPFLAGS = $(OSU_CPPFLAGS)
osu_bench_osu_mbw_mr_LDADD = $(OSU_LIBS)
osu_bench_osu_multi_lat_SOURCES = osu_bench/osu_multi_lat.c
osu_bench_osu_multi_lat_CPPFLAGS = $(OSU_CPPFLAGS)
osu_bench_osu_multi_lat_LDADD = $(OSU_LIBS)
osu_bench_osu_latency_mt_SOURCES = osu_bench/osu_latency_mt.c
osu_bench_osu_latency_mt_CPPFLAGS = $(OSU_CPPFLAGS)
osu_bench_osu_latency_mt_LDADD = $(OSU_LIBS)
osu_bench_osu_put_latency_SOURCES = osu_bench/osu_put_latency.c
osu_bench_osu_put_latency_CPPFLAGS = $(OSU_CPPFLAGS)
osu_bench_osu_put_latency_LDADD = $(OSU_LIBS)
osu_bench_osu_get_latency_SOURCES = osu_bench/osu_get_latency.c
osu_bench_osu_get_latency_CPPFLAGS = $(OSU_CPPFLAGS)
osu_bench_osu_get_latency_LDADD = $(OSU_LIBS)
osu_bench_osu_acc_latency_SOURCES = osu_bench/osu_acc_latency.c
osu_bench_osu_acc_latency_CPPFLAGS = $(OSU_CPPFLAGS)
osu_bench_osu_acc_latency_LDADD = $(OSU_LIBS)
osu_bench_osu_cas_latency_SOURCES = osu_bench/osu_cas_latency.c
osu_bench_osu_cas_latency_CPPFLAGS = $(OSU_CPPFLAGS)
osu_bench_osu_cas_latency_LDADD = $(OSU_LIBS)
osu_bench_osu_fop_latency_SOURCES = osu_bench/osu_fop_latency.c
osu_bench_osu_fop_latency_CPPFLAGS = $(OSU_CPPFLAGS)
osu_bench_osu_fop_latency_LDADD = $(OSU_LIBS)
osu_bench_osu_put_bw_SOURCES = osu_bench/osu_put_bw.c
osu_bench_osu_put_bw_CPPFLAGS = $(OSU_CPPFLAGS)
osu_bench_osu_put_bw_LDADD = $(OSU_LIBS)
osu_bench_osu_get_bw_SOURCES = osu_bench/osu_get_bw.c
osu_bench_osu_get_bw_CPPFLAGS = $(OSU_CPPFLAGS)
osu_bench_osu_get_bw_LDADD = $(OSU_LIBS)
osu_bench_osu_allreduce_SOURCES = osu_bench/osu_allreduce.c
osu_bench_osu_allreduce_CPPFLAGS = $(OSU_CPPFLAGS)
osu_bench_osu_allreduce_LDADD = $(OSU_LIBS)
osu_bench_osu_barrier_SOURCES = osu_bench/osu_barrier.c
osu_bench_osu_barrier_CPPFLAGS = $(OSU_CPPFLAGS)
osu_bench_osu_barrier_LDADD = $(OSU_LIBS)
osu_bench_osu_bcast_SOURCES = osu_bench/osu_bcast.c
osu_bench_osu_bcast_CPPFLAGS = $(OSU_CPPFLAGS)
osu_bench_osu_bcast_LDADD = $(OSU_LIBS)
osu_bench_osu_alltoall_SOURCES = osu_bench/osu_alltoall.c
osu_bench_osu_alltoall_CPPFLAGS = $(OSU_CPPFLAGS)
osu_bench_osu_alltoall_LDADD = $(OSU_LIBS)
osu_bench_osu_send_SOURCES = osu_bench/osu_send.c
osu_bench_osu_send_CPPFLAGS = $(OSU_CPPFLAGS)
osu_bench_osu_send_LDADD = $(OSU_LIBS)
osu_bench_osu_init_SOURCES = osu_bench/osu_init.c
osu_bench_osu_init_CPPFLAGS = $(OSU_CPPFLAGS)
osu_bench_osu_init_LDADD = $(OSU_LIBS)
osu_bench_osu_deep_queue_SOURCES = osu_bench/osu_deep_queue.c
osu_bench_osu_deep_queue_CPPFLAGS = $(OSU_CPPFLAGS)
osu_bench_osu_deep_queue_LDADD = $(OSU_LIBS)
osu_bench_osu_patterns_SOURCES = osu_bench/osu_patterns.c
osu_bench_osu_patterns_CPPFLAGS = $(OSU_CPPFLAGS)
osu_bench_osu_patterns_LDADD = $(OSU_LIBS)
osu_bench_osu_peers_SOURCES = osu_bench/osu_peers.c
osu_bench_osu_peers_CPPFLAGS = $(OSU_CPPFLAGS)
osu_bench_osu_peers_LDADD = $(OSU_LIBS)

# A library that is preloaded to see whether the programs notice damaged data.
osu_bench_tests_damage_la_SOURCES = osu_bench/tests/damage.c
osu_bench_tests_damage_la_CPPFLAGS = $(OSU_CPPFLAGS)
osu_bench_tests_damage_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared -rpath /nowhere
osu_bench_tests_damage_la_LIBADD = $(MPI_LIBS)

osu_mpi_tests = \
    osu_bench/tests/components.sh \
    osu_bench/tests/damage.sh \
    osu_bench/tests/data.sh \
    osu_bench/tests/hosts.sh \
    osu_bench/tests/fault_hosts.sh osu_bench/tests/fault_times.sh \
    osu_bench/tests/instructions.sh \
    osu_bench/tests/output.sh

if HAVE_MPI
noinst_LTLIBRARIES += osu_bench/libosu.la
osu_PROGRAMS += \
    osu_bench/osu_latency \
    osu_bench/osu_bw \
    osu_bench/osu_bibw \
    osu_bench/osu_mbw_mr \
    osu_bench/osu_multi_lat \
    osu_bench/osu_latency_mt \
    osu_bench/osu_put_latency \
    osu_bench/osu_get_latency \
    osu_bench/osu_acc_latency \
    osu_bench/osu_cas_latency \
    osu_bench/osu_fop_latency \
    osu_bench/osu_put_bw \
    osu_bench/osu_get_bw \
    osu_bench/osu_allreduce \
    osu_bench/osu_barrier \
    osu_bench/osu_bcast \
    osu_bench/osu_alltoall \
    osu_bench/osu_send \
    osu_bench/osu_init \
    osu_bench/osu_deep_queue \
    osu_bench/osu_patterns \
    osu_bench/osu_peers \
    osu_bench/osu_steps \
    osu_bench/osu_acc_pieces \
    osu_bench/osu_win_sync \
    osu_bench/osu_lost \
    osu_bench/osu_file
check_LTLIBRARIES += osu_bench/tests/damage.la
TESTS += $(osu_mpi_tests)
endif

TESTS += osu_bench/tests/commands.sh osu_bench/tests/compare.sh osu_bench/tests/counters.sh osu_bench/tests/line.sh \
    osu_bench/tests/options.sh osu_bench/tests/placement.sh osu_bench/tests/put_bw.sh osu_bench/tests/steps.sh \
    osu_bench/tests/tasks.sh

# The same programs for MPICH, for compare alone, by the compiler that configure has found; build-mpich says what happens
# without MPICH. It may be installed later, and nothing need begin anew. OSU_MPICC in the environment names another compiler.
osumpichdir = $(osudir)/mpich
osumpich_programs = \
    osu_bench/mpich/osu_latency \
    osu_bench/mpich/osu_bw \
    osu_bench/mpich/osu_bibw \
    osu_bench/mpich/osu_mbw_mr \
    osu_bench/mpich/osu_multi_lat \
    osu_bench/mpich/osu_latency_mt \
    osu_bench/mpich/osu_put_latency \
    osu_bench/mpich/osu_get_latency \
    osu_bench/mpich/osu_acc_latency \
    osu_bench/mpich/osu_cas_latency \
    osu_bench/mpich/osu_fop_latency \
    osu_bench/mpich/osu_put_bw \
    osu_bench/mpich/osu_get_bw \
    osu_bench/mpich/osu_allreduce \
    osu_bench/mpich/osu_barrier \
    osu_bench/mpich/osu_bcast \
    osu_bench/mpich/osu_alltoall \
    osu_bench/mpich/osu_send \
    osu_bench/mpich/osu_init \
    osu_bench/mpich/osu_deep_queue \
    osu_bench/mpich/osu_patterns \
    osu_bench/mpich/osu_peers

if HAVE_MPI
osumpich_SCRIPTS = $(osumpich_programs)
endif

CLEANFILES += $(osumpich_programs) osu_bench/mpich.stamp

osu_bench/mpich.stamp: osu_bench/build-mpich $(osu_bench_libosu_la_SOURCES) \
    osu_bench/osu_latency.c osu_bench/osu_bw.c osu_bench/osu_bibw.c osu_bench/osu_mbw_mr.c \
    osu_bench/osu_multi_lat.c osu_bench/osu_latency_mt.c osu_bench/osu_put_latency.c osu_bench/osu_get_latency.c \
    osu_bench/osu_acc_latency.c osu_bench/osu_cas_latency.c osu_bench/osu_fop_latency.c osu_bench/osu_put_bw.c \
    osu_bench/osu_get_bw.c osu_bench/osu_allreduce.c osu_bench/osu_barrier.c osu_bench/osu_bcast.c \
    osu_bench/osu_alltoall.c osu_bench/osu_send.c osu_bench/osu_init.c osu_bench/osu_deep_queue.c \
    osu_bench/osu_patterns.c osu_bench/osu_peers.c
	$(AM_V_GEN)$(MKDIR_P) osu_bench && CFLAGS='$(CFLAGS)' OSU_MPICC="$${OSU_MPICC:-$(MPICH_CC)}" \
	    $(SHELL) $(srcdir)/osu_bench/build-mpich $(srcdir) $(builddir) $(osu_names) && touch $@

$(osumpich_programs): osu_bench/mpich.stamp
	@test -e $@ || { rm -f osu_bench/mpich.stamp && $(MAKE) $(AM_MAKEFLAGS) osu_bench/mpich.stamp; }

# The comparison runner.
osucomparelibdir = $(osudir)/comparelib
dist_osucomparelib_DATA = \
    osu_bench/comparelib/__init__.py \
    osu_bench/comparelib/apps.py \
    osu_bench/comparelib/command.py \
    osu_bench/comparelib/figures.py \
    osu_bench/comparelib/hosts.py \
    osu_bench/comparelib/machine.py \
    osu_bench/comparelib/parse.py \
    osu_bench/comparelib/plot.py \
    osu_bench/comparelib/progress.py \
    osu_bench/comparelib/report.py \
    osu_bench/comparelib/run.py \
    osu_bench/comparelib/stats.py \
    osu_bench/comparelib/tables.py
dist_osu_SCRIPTS = osu_bench/compare osu_bench/fault_hosts osu_bench/fault_times osu_bench/instructions
dist_osu_DATA = osu_bench/figures.tsv osu_bench/figures-far.tsv osu_bench/figures-hosts.tsv
dist_man1_MANS += osu_bench/apelink-compare.1
bin_SCRIPTS += osu_bench/apelink-compare
CLEANFILES += osu_bench/apelink-compare

osu_bench/apelink-compare: osu_bench/apelink-compare.in Makefile
	$(AM_V_GEN)$(MKDIR_P) osu_bench && \
	    sed -e 's|@OSU_DIR[@]|$(osudir)|g' -e 's|@BIN_DIR[@]|$(bindir)|g' -e 's|@VERSION[@]|$(PACKAGE_VERSION)|g' \
	        $(srcdir)/osu_bench/apelink-compare.in >$@.tmp && \
	    chmod +x $@.tmp && mv $@.tmp $@

EXTRA_DIST += \
    osu_bench/README.md \
    osu_bench/apelink-compare.in \
    osu_bench/build-mpich \
    osu_bench/build-presto \
    osu_bench/fortran_latency.f90 \
    osu_bench/fortran_latency_c.c \
    osu_bench/tests/commands.sh \
    osu_bench/tests/tasks.sh \
    osu_bench/tests/common.sh \
    osu_bench/tests/compare.sh \
    osu_bench/tests/counters.sh \
    osu_bench/tests/line.sh \
    osu_bench/tests/options.sh \
    osu_bench/tests/placement.sh \
    osu_bench/tests/put_bw.sh \
    osu_bench/tests/steps.sh \
    osu_bench/tests/test_command.py \
    osu_bench/tests/test_compare.py \
    osu_bench/tests/test_session.py \
    $(osu_mpi_tests)

include osu_bench/native/local.mk
