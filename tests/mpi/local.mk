# SPDX-License-Identifier: BSD-3-Clause
# MPI programs of our own. "make check" builds them all and runs those tagged "smoke" over apelink; tests/mpi/run runs any
# of them over any transport, tests/mpi/real programs of others.

EXTRA_DIST += \
    tests/mpi/file_calls.c \
    tests/mpi/file_datarep.c \
    tests/mpi/file_model.c \
    tests/mpi/file_views.c \
    tests/mpi/mtjob.py \
    tests/mpi/mtlist.py \
    tests/mpi/real \
    tests/mpi/real_mpi4py.py \
    tests/mpi/run \
    tests/mpi/skips \
    tests/mpi/common.sh \
    tests/mpi/lost.sh \
    tests/mpi/nomem.sh \
    tests/mpi/smoke.sh \
    tests/mpi/testlist \
    tests/mpi/transports

MT_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CPPFLAGS)
MT_LIBS = tests/mpi/libmt.la $(MPI_LIBS) -lpthread

tests_mpi_libmt_la_SOURCES = \
    tests/mpi/coll.c \
    tests/mpi/coll.h \
    tests/mpi/dt.c \
    tests/mpi/dt.h \
    tests/mpi/dyn.c \
    tests/mpi/dyn.h \
    tests/mpi/mt.c \
    tests/mpi/mt.h \
    tests/mpi/rma.c \
    tests/mpi/rma.h \
    tests/mpi/thr.c \
    tests/mpi/thr.h
tests_mpi_libmt_la_CPPFLAGS = $(MT_CPPFLAGS)

mt_programs = \
    tests/mpi/bad_endless \
    tests/mpi/bad_fork \
    tests/mpi/bad_exec \
    tests/mpi/bad_kill \
    tests/mpi/bad_leave \
    tests/mpi/bad_silent \
    tests/mpi/bad_stop \
    tests/mpi/bad_window \
    tests/mpi/coll_all \
    tests/mpi/coll_inter \
    tests/mpi/coll_mixed \
    tests/mpi/coll_ops \
    tests/mpi/coll_rooted \
    tests/mpi/coll_topo \
    tests/mpi/deny_cma \
    tests/mpi/dt_layouts \
    tests/mpi/dt_pack \
    tests/mpi/dt_reuse \
    tests/mpi/dt_struct \
    tests/mpi/dyn_connect \
    tests/mpi/dyn_hosts \
    tests/mpi/dyn_spawn \
    tests/mpi/p2p_all \
    tests/mpi/p2p_away \
    tests/mpi/p2p_cancel \
    tests/mpi/p2p_cancel_send \
    tests/mpi/p2p_comms \
    tests/mpi/p2p_complete \
    tests/mpi/p2p_flood \
    tests/mpi/p2p_incast \
    tests/mpi/p2p_match \
    tests/mpi/p2p_modes \
    tests/mpi/p2p_no_memory \
    tests/mpi/p2p_once \
    tests/mpi/p2p_order \
    tests/mpi/p2p_probe \
    tests/mpi/p2p_ready \
    tests/mpi/p2p_remap \
    tests/mpi/p2p_self \
    tests/mpi/p2p_sendrecv \
    tests/mpi/p2p_sizes \
    tests/mpi/p2p_soak \
    tests/mpi/p2p_tags \
    tests/mpi/p2p_testloop \
    tests/mpi/p2p_trunc \
    tests/mpi/p2p_unexpected \
    tests/mpi/rma_atomic \
    tests/mpi/rma_attach_race \
    tests/mpi/rma_pieces \
    tests/mpi/rma_putget \
    tests/mpi/rma_shared \
    tests/mpi/rma_soak \
    tests/mpi/rma_sync \
    tests/mpi/rma_types \
    tests/mpi/rma_windows \
    tests/mpi/scale_small \
    tests/mpi/stat_pvars \
    tests/mpi/thr_fanin \
    tests/mpi/thr_first \
    tests/mpi/thr_late \
    tests/mpi/thr_mixed \
    tests/mpi/thr_pingpong \
    tests/mpi/thr_requests \
    tests/mpi/thr_rma \
    tests/mpi/tool_variables

if HAVE_MPI
check_LTLIBRARIES += tests/mpi/libmt.la
check_PROGRAMS += $(mt_programs)
endif

TESTS += tests/mpi/lost.sh tests/mpi/nomem.sh tests/mpi/smoke.sh

tests_mpi_bad_endless_CPPFLAGS = $(MT_CPPFLAGS)
tests_mpi_bad_endless_LDADD = $(MT_LIBS)
tests_mpi_bad_fork_CPPFLAGS = $(MT_CPPFLAGS)
tests_mpi_bad_fork_LDADD = $(MT_LIBS)
tests_mpi_bad_exec_CPPFLAGS = $(MT_CPPFLAGS)
tests_mpi_bad_exec_LDADD = $(MT_LIBS)
tests_mpi_bad_kill_CPPFLAGS = $(MT_CPPFLAGS)
tests_mpi_bad_kill_LDADD = $(MT_LIBS)
tests_mpi_bad_leave_CPPFLAGS = $(MT_CPPFLAGS)
tests_mpi_bad_leave_LDADD = $(MT_LIBS)
tests_mpi_bad_silent_CPPFLAGS = $(MT_CPPFLAGS)
tests_mpi_bad_silent_LDADD = $(MT_LIBS)
tests_mpi_bad_stop_CPPFLAGS = $(MT_CPPFLAGS)
tests_mpi_bad_stop_LDADD = $(MT_LIBS)
tests_mpi_bad_window_CPPFLAGS = $(MT_CPPFLAGS)
tests_mpi_bad_window_LDADD = $(MT_LIBS)
tests_mpi_coll_all_CPPFLAGS = $(MT_CPPFLAGS)
tests_mpi_coll_all_LDADD = $(MT_LIBS)
tests_mpi_coll_inter_CPPFLAGS = $(MT_CPPFLAGS)
tests_mpi_coll_inter_LDADD = $(MT_LIBS)
tests_mpi_coll_mixed_CPPFLAGS = $(MT_CPPFLAGS)
tests_mpi_coll_mixed_LDADD = $(MT_LIBS)
tests_mpi_coll_ops_CPPFLAGS = $(MT_CPPFLAGS)
tests_mpi_coll_ops_LDADD = $(MT_LIBS)
tests_mpi_coll_rooted_CPPFLAGS = $(MT_CPPFLAGS)
tests_mpi_coll_rooted_LDADD = $(MT_LIBS)
tests_mpi_coll_topo_CPPFLAGS = $(MT_CPPFLAGS)
tests_mpi_coll_topo_LDADD = $(MT_LIBS)
tests_mpi_dt_layouts_CPPFLAGS = $(MT_CPPFLAGS)
tests_mpi_dt_layouts_LDADD = $(MT_LIBS)
tests_mpi_dt_pack_CPPFLAGS = $(MT_CPPFLAGS)
tests_mpi_dt_pack_LDADD = $(MT_LIBS)
tests_mpi_dt_reuse_CPPFLAGS = $(MT_CPPFLAGS)
tests_mpi_dt_reuse_LDADD = $(MT_LIBS)
tests_mpi_dt_struct_CPPFLAGS = $(MT_CPPFLAGS)
tests_mpi_dt_struct_LDADD = $(MT_LIBS)
tests_mpi_dyn_connect_CPPFLAGS = $(MT_CPPFLAGS)
tests_mpi_dyn_connect_LDADD = $(MT_LIBS)
tests_mpi_dyn_hosts_CPPFLAGS = $(MT_CPPFLAGS)
tests_mpi_dyn_hosts_LDADD = $(MT_LIBS)
tests_mpi_dyn_spawn_CPPFLAGS = $(MT_CPPFLAGS)
tests_mpi_dyn_spawn_LDADD = $(MT_LIBS)
tests_mpi_p2p_all_CPPFLAGS = $(MT_CPPFLAGS)
tests_mpi_p2p_all_LDADD = $(MT_LIBS)
tests_mpi_p2p_away_CPPFLAGS = $(MT_CPPFLAGS)
tests_mpi_p2p_away_LDADD = $(MT_LIBS)
tests_mpi_p2p_cancel_CPPFLAGS = $(MT_CPPFLAGS)
tests_mpi_p2p_cancel_LDADD = $(MT_LIBS)
tests_mpi_p2p_cancel_send_CPPFLAGS = $(MT_CPPFLAGS)
tests_mpi_p2p_cancel_send_LDADD = $(MT_LIBS)
tests_mpi_p2p_comms_CPPFLAGS = $(MT_CPPFLAGS)
tests_mpi_p2p_comms_LDADD = $(MT_LIBS)
tests_mpi_p2p_complete_CPPFLAGS = $(MT_CPPFLAGS)
tests_mpi_p2p_complete_LDADD = $(MT_LIBS)
tests_mpi_p2p_flood_CPPFLAGS = $(MT_CPPFLAGS)
tests_mpi_p2p_flood_LDADD = $(MT_LIBS)
tests_mpi_p2p_incast_CPPFLAGS = $(MT_CPPFLAGS)
tests_mpi_p2p_incast_LDADD = $(MT_LIBS)
tests_mpi_p2p_match_CPPFLAGS = $(MT_CPPFLAGS)
tests_mpi_p2p_match_LDADD = $(MT_LIBS)
tests_mpi_p2p_modes_CPPFLAGS = $(MT_CPPFLAGS)
tests_mpi_p2p_modes_LDADD = $(MT_LIBS)
tests_mpi_p2p_no_memory_CPPFLAGS = $(MT_CPPFLAGS)
tests_mpi_p2p_no_memory_LDADD = $(MT_LIBS)
tests_mpi_p2p_once_CPPFLAGS = $(MT_CPPFLAGS)
tests_mpi_p2p_once_LDADD = $(MT_LIBS)
tests_mpi_p2p_order_CPPFLAGS = $(MT_CPPFLAGS)
tests_mpi_p2p_order_LDADD = $(MT_LIBS)
tests_mpi_p2p_probe_CPPFLAGS = $(MT_CPPFLAGS)
tests_mpi_p2p_probe_LDADD = $(MT_LIBS)
tests_mpi_p2p_ready_CPPFLAGS = $(MT_CPPFLAGS)
tests_mpi_p2p_ready_LDADD = $(MT_LIBS)
tests_mpi_p2p_remap_CPPFLAGS = $(MT_CPPFLAGS)
tests_mpi_p2p_remap_LDADD = $(MT_LIBS)
tests_mpi_p2p_self_CPPFLAGS = $(MT_CPPFLAGS)
tests_mpi_p2p_self_LDADD = $(MT_LIBS)
tests_mpi_p2p_sendrecv_CPPFLAGS = $(MT_CPPFLAGS)
tests_mpi_p2p_sendrecv_LDADD = $(MT_LIBS)
tests_mpi_p2p_sizes_CPPFLAGS = $(MT_CPPFLAGS)
tests_mpi_p2p_sizes_LDADD = $(MT_LIBS)
tests_mpi_p2p_soak_CPPFLAGS = $(MT_CPPFLAGS)
tests_mpi_p2p_soak_LDADD = $(MT_LIBS)
tests_mpi_p2p_tags_CPPFLAGS = $(MT_CPPFLAGS)
tests_mpi_p2p_tags_LDADD = $(MT_LIBS)
tests_mpi_p2p_testloop_CPPFLAGS = $(MT_CPPFLAGS)
tests_mpi_p2p_testloop_LDADD = $(MT_LIBS)
tests_mpi_p2p_trunc_CPPFLAGS = $(MT_CPPFLAGS)
tests_mpi_p2p_trunc_LDADD = $(MT_LIBS)
tests_mpi_p2p_unexpected_CPPFLAGS = $(MT_CPPFLAGS)
tests_mpi_p2p_unexpected_LDADD = $(MT_LIBS)
tests_mpi_rma_atomic_CPPFLAGS = $(MT_CPPFLAGS)
tests_mpi_rma_atomic_LDADD = $(MT_LIBS)
tests_mpi_rma_attach_race_CPPFLAGS = $(MT_CPPFLAGS)
tests_mpi_rma_attach_race_LDADD = $(MT_LIBS)
tests_mpi_rma_pieces_CPPFLAGS = $(MT_CPPFLAGS)
tests_mpi_rma_pieces_LDADD = $(MT_LIBS)
tests_mpi_rma_putget_CPPFLAGS = $(MT_CPPFLAGS)
tests_mpi_rma_putget_LDADD = $(MT_LIBS)
tests_mpi_rma_shared_CPPFLAGS = $(MT_CPPFLAGS)
tests_mpi_rma_shared_LDADD = $(MT_LIBS)
tests_mpi_rma_soak_CPPFLAGS = $(MT_CPPFLAGS)
tests_mpi_rma_soak_LDADD = $(MT_LIBS)
tests_mpi_rma_sync_CPPFLAGS = $(MT_CPPFLAGS)
tests_mpi_rma_sync_LDADD = $(MT_LIBS)
tests_mpi_rma_types_CPPFLAGS = $(MT_CPPFLAGS)
tests_mpi_rma_types_LDADD = $(MT_LIBS)
tests_mpi_rma_windows_CPPFLAGS = $(MT_CPPFLAGS)
tests_mpi_rma_windows_LDADD = $(MT_LIBS)
tests_mpi_scale_small_CPPFLAGS = $(MT_CPPFLAGS)
tests_mpi_scale_small_LDADD = $(MT_LIBS)
tests_mpi_stat_pvars_CPPFLAGS = $(MT_CPPFLAGS)
tests_mpi_stat_pvars_LDADD = $(MT_LIBS)
tests_mpi_thr_fanin_CPPFLAGS = $(MT_CPPFLAGS)
tests_mpi_thr_fanin_LDADD = $(MT_LIBS)
tests_mpi_thr_first_CPPFLAGS = $(MT_CPPFLAGS)
tests_mpi_thr_first_LDADD = $(MT_LIBS)
tests_mpi_thr_late_CPPFLAGS = $(MT_CPPFLAGS)
tests_mpi_thr_late_LDADD = $(MT_LIBS)
tests_mpi_thr_mixed_CPPFLAGS = $(MT_CPPFLAGS)
tests_mpi_thr_mixed_LDADD = $(MT_LIBS)
tests_mpi_thr_pingpong_CPPFLAGS = $(MT_CPPFLAGS)
tests_mpi_thr_pingpong_LDADD = $(MT_LIBS)
tests_mpi_thr_requests_CPPFLAGS = $(MT_CPPFLAGS)
tests_mpi_thr_requests_LDADD = $(MT_LIBS)
tests_mpi_thr_rma_CPPFLAGS = $(MT_CPPFLAGS)
tests_mpi_thr_rma_LDADD = $(MT_LIBS)
tests_mpi_tool_variables_CPPFLAGS = $(MT_CPPFLAGS)
tests_mpi_tool_variables_LDADD = $(MT_LIBS)
