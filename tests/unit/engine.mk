# SPDX-License-Identifier: BSD-3-Clause
# Unit tests of ni/engine: what the suite over all links (tests/links) cannot arrange.

unit_tests += \
    tests/unit/test_engine_address \
    tests/unit/test_engine_pull_request \
    tests/unit/test_engine_completion \
    tests/unit/test_engine_contract \
    tests/unit/test_engine_direct \
    tests/unit/test_engine_fork \
    tests/unit/test_engine_fresh \
    tests/unit/test_engine_shared_copy \
    tests/unit/test_engine_shared_copy_nomem \
    tests/unit/test_engine_multipath \
    tests/unit/test_engine_multipath_lies \
    tests/unit/test_engine_rails \
    tests/unit/test_engine_nomem \
    tests/unit/test_engine_push_offer \
    tests/unit/test_engine_throttle \
    tests/unit/test_portals_malformed \
    tests/unit/test_portals_memory \
    tests/unit/test_portals_nomem \
    tests/unit/test_engine_peer_ops \
    tests/unit/test_engine_peers \
    tests/unit/test_engine_place \
    tests/unit/test_engine_stamps \
    tests/unit/test_engine_pressure \
    tests/unit/test_engine_region_types \
    tests/unit/test_engine_refused \
    tests/unit/test_engine_progress_lock \
    tests/unit/test_engine_wait \
    tests/unit/test_engine_copy_tuner \
    tests/unit/test_engine_bulk_states

noinst_HEADERS += tests/unit/engine_pair.h tests/unit/multipath_parts.h

tests_unit_test_engine_address_SOURCES = tests/unit/test_engine_address.c
tests_unit_test_engine_address_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_engine_address_LDADD = $(UNIT_LIBS)

tests_unit_test_engine_pull_request_SOURCES = tests/unit/test_engine_pull_request.c
tests_unit_test_engine_pull_request_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_engine_pull_request_LDADD = $(UNIT_LIBS) -lpthread

tests_unit_test_engine_completion_SOURCES = tests/unit/test_engine_completion.c
tests_unit_test_engine_completion_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_engine_completion_LDADD = $(UNIT_LIBS)

tests_unit_test_engine_contract_SOURCES = tests/unit/test_engine_contract.c
tests_unit_test_engine_contract_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_engine_contract_LDADD = $(UNIT_LIBS) -lpthread

tests_unit_test_engine_direct_SOURCES = tests/unit/test_engine_direct.c
tests_unit_test_engine_direct_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_engine_direct_LDADD = $(UNIT_LIBS)

tests_unit_test_engine_fresh_SOURCES = tests/unit/test_engine_fresh.c
tests_unit_test_engine_fresh_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_engine_fresh_LDADD = $(UNIT_LIBS)

tests_unit_test_engine_push_offer_SOURCES = tests/unit/test_engine_push_offer.c
tests_unit_test_engine_push_offer_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_engine_push_offer_LDADD = $(UNIT_LIBS)

tests_unit_test_engine_peer_ops_SOURCES = tests/unit/test_engine_peer_ops.c tests/unit/engine_pair.h
tests_unit_test_engine_peer_ops_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_engine_peer_ops_LDADD = $(UNIT_LIBS)

tests_unit_test_engine_peers_SOURCES = tests/unit/test_engine_peers.c
tests_unit_test_engine_peers_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_engine_peers_LDADD = $(UNIT_LIBS)

tests_unit_test_engine_stamps_SOURCES = tests/unit/test_engine_stamps.c
tests_unit_test_engine_stamps_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_engine_stamps_LDADD = $(UNIT_LIBS) -lpthread

tests_unit_test_engine_place_SOURCES = tests/unit/test_engine_place.c
tests_unit_test_engine_place_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_engine_place_LDADD = $(UNIT_LIBS) -lpthread

tests_unit_test_engine_pressure_SOURCES = tests/unit/test_engine_pressure.c
tests_unit_test_engine_pressure_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_engine_pressure_LDADD = $(UNIT_LIBS)

tests_unit_test_engine_region_types_SOURCES = tests/unit/test_engine_region_types.c
tests_unit_test_engine_region_types_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_engine_region_types_LDADD = $(UNIT_LIBS)

tests_unit_test_engine_refused_SOURCES = tests/unit/test_engine_refused.c
tests_unit_test_engine_refused_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_engine_refused_LDADD = $(UNIT_LIBS)

tests_unit_test_engine_fork_SOURCES = tests/unit/test_engine_fork.c
tests_unit_test_engine_fork_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_engine_fork_LDADD = $(UNIT_LIBS) -lpthread

tests_unit_test_engine_shared_copy_SOURCES = tests/unit/test_engine_shared_copy.c
tests_unit_test_engine_shared_copy_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_engine_shared_copy_LDADD = $(UNIT_LIBS)

tests_unit_test_engine_shared_copy_nomem_SOURCES = tests/unit/test_engine_shared_copy_nomem.c
tests_unit_test_engine_shared_copy_nomem_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_engine_shared_copy_nomem_LDADD = $(UNIT_LIBS)

tests_unit_test_engine_throttle_SOURCES = tests/unit/test_engine_throttle.c
tests_unit_test_engine_throttle_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_engine_throttle_LDADD = $(UNIT_LIBS)

tests_unit_test_portals_malformed_SOURCES = tests/unit/test_portals_malformed.c
tests_unit_test_portals_malformed_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_portals_malformed_LDADD = $(UNIT_LIBS)

tests_unit_test_portals_memory_SOURCES = tests/unit/test_portals_memory.c
tests_unit_test_portals_memory_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_portals_memory_LDADD = $(UNIT_LIBS)

tests_unit_test_portals_nomem_SOURCES = tests/unit/test_portals_nomem.c
tests_unit_test_portals_nomem_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_portals_nomem_LDADD = $(UNIT_LIBS)

tests_unit_test_engine_multipath_SOURCES = tests/unit/test_engine_multipath.c
tests_unit_test_engine_multipath_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_engine_multipath_LDADD = $(UNIT_LIBS)

tests_unit_test_engine_multipath_lies_SOURCES = tests/unit/test_engine_multipath_lies.c
tests_unit_test_engine_multipath_lies_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_engine_multipath_lies_LDADD = $(UNIT_LIBS)

tests_unit_test_engine_rails_SOURCES = tests/unit/test_engine_rails.c
tests_unit_test_engine_rails_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_engine_rails_LDADD = $(UNIT_LIBS)

tests_unit_test_engine_nomem_SOURCES = tests/unit/test_engine_nomem.c
tests_unit_test_engine_nomem_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_engine_nomem_LDADD = $(UNIT_LIBS)

tests_unit_test_engine_copy_tuner_SOURCES = tests/unit/test_engine_copy_tuner.c
tests_unit_test_engine_copy_tuner_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_engine_copy_tuner_LDADD = $(UNIT_LIBS)

tests_unit_test_engine_progress_lock_SOURCES = tests/unit/test_engine_progress_lock.c
tests_unit_test_engine_progress_lock_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_engine_progress_lock_LDADD = $(UNIT_LIBS)
tests_unit_test_engine_wait_SOURCES = tests/unit/test_engine_wait.c
tests_unit_test_engine_wait_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_engine_wait_LDADD = $(UNIT_LIBS) -lpthread

tests_unit_test_engine_bulk_states_SOURCES = tests/unit/test_engine_bulk_states.c
tests_unit_test_engine_bulk_states_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_engine_bulk_states_LDADD = $(UNIT_LIBS)
