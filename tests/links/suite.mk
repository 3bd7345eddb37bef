# SPDX-License-Identifier: BSD-3-Clause
# The suite that runs over every link: see suite.h. Each program is one topic; what they share is compiled once.

tests_links_libsuite_la_SOURCES = \
    tests/links/portal_model.c \
    tests/links/portal_model.h \
    tests/links/suite.c \
    tests/links/suite.h \
    tests/links/suite_commands.h \
    tests/links/suite_commands_help.c \
    tests/links/suite_counters.h \
    tests/links/suite_counters_help.c \
    tests/links/suite_help.c \
    tests/links/suite_links.c \
    tests/links/suite_multi.h \
    tests/links/suite_multi_help.c \
    tests/links/suite_stores.h \
    tests/links/suite_stores_help.c \
    tests/links/suite_multipath.h \
    tests/links/suite_multipath_help.c \
    tests/links/suite_overflow.h \
    tests/links/suite_overflow_help.c \
    tests/links/suite_portals.h \
    tests/links/suite_portals_help.c \
    tests/links/suite_exec.c \
    tests/links/suite_private.h \
    tests/links/suite_qps.h \
    tests/links/suite_qps_help.c \
    tests/links/suite_run.c \
    tests/links/suite_work.c \
    tests/links/suite_work.h
tests_links_libsuite_la_CPPFLAGS = $(LINKS_CPPFLAGS)
check_LTLIBRARIES += tests/links/libsuite.la

SUITE_LIBS = tests/links/libsuite.la $(LINKS_LIBS)

suite_tests = \
    tests/links/suite_ack_regions \
    tests/links/suite_acks \
    tests/links/suite_atomics \
    tests/links/suite_away \
    tests/links/suite_barriers \
    tests/links/suite_batches \
    tests/links/suite_by_address \
    tests/links/suite_commands \
    tests/links/suite_commands_notes \
    tests/links/suite_commands_refused \
    tests/links/suite_copied_once \
    tests/links/suite_counted \
    tests/links/suite_counters \
    tests/links/suite_counters_refused \
    tests/links/suite_counters_thresholds \
    tests/links/suite_counts \
    tests/links/suite_ends \
    tests/links/suite_entry_users \
    tests/links/suite_event_choices \
    tests/links/suite_events \
    tests/links/suite_faults \
    tests/links/suite_flow \
    tests/links/suite_gets \
    tests/links/suite_iovec \
    tests/links/suite_lists \
    tests/links/suite_lost \
    tests/links/suite_maps \
    tests/links/suite_messages \
    tests/links/suite_mixed \
    tests/links/suite_multi \
    tests/links/suite_multi_ends \
    tests/links/suite_multi_many \
    tests/links/suite_multi_random \
    tests/links/suite_multi_read \
    tests/links/suite_multipath \
    tests/links/suite_multipath_ends \
    tests/links/suite_multipath_notes \
    tests/links/suite_multipath_random \
    tests/links/suite_notes \
    tests/links/suite_options \
    tests/links/suite_order \
    tests/links/suite_overflow \
    tests/links/suite_overflow_ends \
    tests/links/suite_overflow_requests \
    tests/links/suite_passive_sender \
    tests/links/suite_placement \
    tests/links/suite_portal_atomics \
    tests/links/suite_portal_words \
    tests/links/suite_portals \
    tests/links/suite_probes \
    tests/links/suite_qps \
    tests/links/suite_qps_refused \
    tests/links/suite_queue_names \
    tests/links/suite_queues \
    tests/links/suite_quiet \
    tests/links/suite_random \
    tests/links/suite_refused \
    tests/links/suite_spaces \
    tests/links/suite_stamps \
    tests/links/suite_stores \
    tests/links/suite_stores_ends \
    tests/links/suite_take \
    tests/links/suite_tasks \
    tests/links/suite_tasks_ahead \
    tests/links/suite_transfers \
    tests/links/suite_trees \
    tests/links/suite_triggered \
    tests/links/suite_triggered_chains

tests_links_suite_ack_regions_SOURCES = tests/links/suite_ack_regions.c
tests_links_suite_ack_regions_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_suite_ack_regions_LDADD = $(SUITE_LIBS)

tests_links_suite_acks_SOURCES = tests/links/suite_acks.c
tests_links_suite_acks_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_suite_acks_LDADD = $(SUITE_LIBS)

tests_links_suite_atomics_SOURCES = tests/links/suite_atomics.c
tests_links_suite_atomics_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_suite_atomics_LDADD = $(SUITE_LIBS)

tests_links_suite_away_SOURCES = tests/links/suite_away.c
tests_links_suite_away_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_suite_away_LDADD = $(SUITE_LIBS)
tests_links_suite_barriers_SOURCES = tests/links/suite_barriers.c \
    tests/links/suite_barriers.h tests/links/suite_barriers_full.c
tests_links_suite_barriers_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_suite_barriers_LDADD = $(SUITE_LIBS)

tests_links_suite_batches_SOURCES = tests/links/suite_batches.c
tests_links_suite_batches_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_suite_batches_LDADD = $(SUITE_LIBS)

tests_links_suite_by_address_SOURCES = tests/links/suite_by_address.c
tests_links_suite_by_address_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_suite_by_address_LDADD = $(SUITE_LIBS)

tests_links_suite_commands_SOURCES = tests/links/suite_commands.c
tests_links_suite_commands_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_suite_commands_LDADD = $(SUITE_LIBS)

tests_links_suite_commands_notes_SOURCES = tests/links/suite_commands_notes.c
tests_links_suite_commands_notes_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_suite_commands_notes_LDADD = $(SUITE_LIBS)

tests_links_suite_commands_refused_SOURCES = tests/links/suite_commands_refused.c
tests_links_suite_commands_refused_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_suite_commands_refused_LDADD = $(SUITE_LIBS)

tests_links_suite_copied_once_SOURCES = tests/links/suite_copied_once.c
tests_links_suite_copied_once_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_suite_copied_once_LDADD = $(SUITE_LIBS)

tests_links_suite_counted_SOURCES = tests/links/suite_counted.c
tests_links_suite_counted_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_suite_counted_LDADD = $(SUITE_LIBS)

tests_links_suite_counters_SOURCES = tests/links/suite_counters.c
tests_links_suite_counters_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_suite_counters_LDADD = $(SUITE_LIBS)

tests_links_suite_counters_refused_SOURCES = tests/links/suite_counters_refused.c
tests_links_suite_counters_refused_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_suite_counters_refused_LDADD = $(SUITE_LIBS)

tests_links_suite_counters_thresholds_SOURCES = tests/links/suite_counters_thresholds.c
tests_links_suite_counters_thresholds_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_suite_counters_thresholds_LDADD = $(SUITE_LIBS)

tests_links_suite_counts_SOURCES = tests/links/suite_counts.c
tests_links_suite_counts_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_suite_counts_LDADD = $(SUITE_LIBS)

tests_links_suite_ends_SOURCES = tests/links/suite_ends.c
tests_links_suite_ends_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_suite_ends_LDADD = $(SUITE_LIBS)

tests_links_suite_entry_users_SOURCES = tests/links/suite_entry_users.c
tests_links_suite_entry_users_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_suite_entry_users_LDADD = $(SUITE_LIBS)

tests_links_suite_event_choices_SOURCES = tests/links/suite_event_choices.c
tests_links_suite_event_choices_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_suite_event_choices_LDADD = $(SUITE_LIBS)

tests_links_suite_events_SOURCES = tests/links/suite_events.c
tests_links_suite_events_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_suite_events_LDADD = $(SUITE_LIBS)

tests_links_suite_faults_SOURCES = tests/links/suite_faults.c
tests_links_suite_faults_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_suite_faults_LDADD = $(SUITE_LIBS)

tests_links_suite_flow_SOURCES = tests/links/suite_flow.c
tests_links_suite_flow_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_suite_flow_LDADD = $(SUITE_LIBS)

tests_links_suite_gets_SOURCES = tests/links/suite_gets.c
tests_links_suite_gets_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_suite_gets_LDADD = $(SUITE_LIBS)

tests_links_suite_iovec_SOURCES = tests/links/suite_iovec.c
tests_links_suite_iovec_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_suite_iovec_LDADD = $(SUITE_LIBS)

tests_links_suite_lists_SOURCES = tests/links/suite_lists.c
tests_links_suite_lists_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_suite_lists_LDADD = $(SUITE_LIBS)

tests_links_suite_lost_SOURCES = tests/links/suite_lost.c
tests_links_suite_lost_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_suite_lost_LDADD = $(SUITE_LIBS)

tests_links_suite_maps_SOURCES = tests/links/suite_maps.c
tests_links_suite_maps_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_suite_maps_LDADD = $(SUITE_LIBS)

tests_links_suite_mixed_SOURCES = tests/links/suite_mixed.c
tests_links_suite_mixed_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_suite_mixed_LDADD = $(SUITE_LIBS)

tests_links_suite_messages_SOURCES = tests/links/suite_messages.c
tests_links_suite_messages_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_suite_messages_LDADD = $(SUITE_LIBS)

tests_links_suite_multi_SOURCES = tests/links/suite_multi.c
tests_links_suite_multi_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_suite_multi_LDADD = $(SUITE_LIBS)

tests_links_suite_multi_ends_SOURCES = tests/links/suite_multi_ends.c
tests_links_suite_multi_ends_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_suite_multi_ends_LDADD = $(SUITE_LIBS)

tests_links_suite_multi_many_SOURCES = tests/links/suite_multi_many.c
tests_links_suite_multi_many_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_suite_multi_many_LDADD = $(SUITE_LIBS)

tests_links_suite_multi_random_SOURCES = tests/links/suite_multi_random.c
tests_links_suite_multi_random_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_suite_multi_random_LDADD = $(SUITE_LIBS)

tests_links_suite_multi_read_SOURCES = tests/links/suite_multi_read.c
tests_links_suite_multi_read_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_suite_multi_read_LDADD = $(SUITE_LIBS)

tests_links_suite_multipath_SOURCES = tests/links/suite_multipath.c
tests_links_suite_multipath_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_suite_multipath_LDADD = $(SUITE_LIBS)

tests_links_suite_multipath_ends_SOURCES = tests/links/suite_multipath_ends.c
tests_links_suite_multipath_ends_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_suite_multipath_ends_LDADD = $(SUITE_LIBS)

tests_links_suite_multipath_notes_SOURCES = tests/links/suite_multipath_notes.c
tests_links_suite_multipath_notes_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_suite_multipath_notes_LDADD = $(SUITE_LIBS)

tests_links_suite_multipath_random_SOURCES = tests/links/suite_multipath_random.c
tests_links_suite_multipath_random_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_suite_multipath_random_LDADD = $(SUITE_LIBS)

tests_links_suite_notes_SOURCES = tests/links/suite_notes.c
tests_links_suite_notes_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_suite_notes_LDADD = $(SUITE_LIBS)

tests_links_suite_order_SOURCES = tests/links/suite_order.c
tests_links_suite_order_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_suite_order_LDADD = $(SUITE_LIBS)

tests_links_suite_options_SOURCES = tests/links/suite_options.c
tests_links_suite_options_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_suite_options_LDADD = $(SUITE_LIBS)

tests_links_suite_overflow_SOURCES = tests/links/suite_overflow.c
tests_links_suite_overflow_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_suite_overflow_LDADD = $(SUITE_LIBS)

tests_links_suite_overflow_ends_SOURCES = tests/links/suite_overflow_ends.c
tests_links_suite_overflow_ends_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_suite_overflow_ends_LDADD = $(SUITE_LIBS)

tests_links_suite_overflow_requests_SOURCES = tests/links/suite_overflow_requests.c
tests_links_suite_overflow_requests_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_suite_overflow_requests_LDADD = $(SUITE_LIBS)

tests_links_suite_passive_sender_SOURCES = tests/links/suite_passive_sender.c
tests_links_suite_passive_sender_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_suite_passive_sender_LDADD = $(SUITE_LIBS)

tests_links_suite_placement_SOURCES = tests/links/suite_placement.c
tests_links_suite_placement_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_suite_placement_LDADD = $(SUITE_LIBS)

tests_links_suite_portal_atomics_SOURCES = tests/links/suite_portal_atomics.c
tests_links_suite_portal_atomics_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_suite_portal_atomics_LDADD = $(SUITE_LIBS)

tests_links_suite_portal_words_SOURCES = tests/links/suite_portal_words.c
tests_links_suite_portal_words_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_suite_portal_words_LDADD = $(SUITE_LIBS)

tests_links_suite_portals_SOURCES = tests/links/suite_portals.c
tests_links_suite_portals_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_suite_portals_LDADD = $(SUITE_LIBS)

tests_links_suite_probes_SOURCES = tests/links/suite_probes.c
tests_links_suite_probes_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_suite_probes_LDADD = $(SUITE_LIBS)

tests_links_suite_qps_SOURCES = tests/links/suite_qps.c
tests_links_suite_qps_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_suite_qps_LDADD = $(SUITE_LIBS)

tests_links_suite_qps_refused_SOURCES = tests/links/suite_qps_refused.c
tests_links_suite_qps_refused_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_suite_qps_refused_LDADD = $(SUITE_LIBS)

tests_links_suite_queue_names_SOURCES = tests/links/suite_queue_names.c
tests_links_suite_queue_names_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_suite_queue_names_LDADD = $(SUITE_LIBS)

tests_links_suite_queues_SOURCES = tests/links/suite_queues.c \
    tests/links/suite_queues.h tests/links/suite_queues_messages.c
tests_links_suite_queues_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_suite_queues_LDADD = $(SUITE_LIBS)

tests_links_suite_quiet_SOURCES = tests/links/suite_quiet.c
tests_links_suite_quiet_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_suite_quiet_LDADD = $(SUITE_LIBS)

tests_links_suite_random_SOURCES = tests/links/suite_random.c
tests_links_suite_random_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_suite_random_LDADD = $(SUITE_LIBS)

tests_links_suite_refused_SOURCES = tests/links/suite_refused.c
tests_links_suite_refused_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_suite_refused_LDADD = $(SUITE_LIBS)

tests_links_suite_spaces_SOURCES = tests/links/suite_spaces.c
tests_links_suite_spaces_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_suite_spaces_LDADD = $(SUITE_LIBS)

tests_links_suite_stamps_SOURCES = tests/links/suite_stamps.c
tests_links_suite_stamps_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_suite_stamps_LDADD = $(SUITE_LIBS)

tests_links_suite_stores_SOURCES = tests/links/suite_stores.c
tests_links_suite_stores_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_suite_stores_LDADD = $(SUITE_LIBS)

tests_links_suite_stores_ends_SOURCES = tests/links/suite_stores_ends.c
tests_links_suite_stores_ends_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_suite_stores_ends_LDADD = $(SUITE_LIBS)

tests_links_suite_take_SOURCES = tests/links/suite_take.c
tests_links_suite_take_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_suite_take_LDADD = $(SUITE_LIBS)

tests_links_suite_tasks_SOURCES = tests/links/suite_tasks.c
tests_links_suite_tasks_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_suite_tasks_LDADD = $(SUITE_LIBS)
tests_links_suite_tasks_ahead_SOURCES = tests/links/suite_tasks_ahead.c
tests_links_suite_tasks_ahead_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_suite_tasks_ahead_LDADD = $(SUITE_LIBS)

tests_links_suite_transfers_SOURCES = tests/links/suite_transfers.c
tests_links_suite_transfers_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_suite_transfers_LDADD = $(SUITE_LIBS)

tests_links_suite_trees_SOURCES = tests/links/suite_trees.c
tests_links_suite_trees_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_suite_trees_LDADD = $(SUITE_LIBS)

tests_links_suite_triggered_SOURCES = tests/links/suite_triggered.c
tests_links_suite_triggered_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_suite_triggered_LDADD = $(SUITE_LIBS)

tests_links_suite_triggered_chains_SOURCES = tests/links/suite_triggered_chains.c
tests_links_suite_triggered_chains_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_suite_triggered_chains_LDADD = $(SUITE_LIBS)

check_PROGRAMS += $(suite_tests)
TESTS += $(suite_tests)

# Needs cards, which dev_ends.sh starts.
tests_links_suite_cards_SOURCES = tests/links/suite_cards.c
tests_links_suite_cards_CPPFLAGS = $(LINKS_CPPFLAGS)
tests_links_suite_cards_LDADD = $(SUITE_LIBS)
check_PROGRAMS += tests/links/suite_cards
