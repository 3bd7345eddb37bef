# SPDX-License-Identifier: BSD-3-Clause
# The shared memory link by itself. shm_mock stands in for the engine, here and in tests/fault, stress and fuzz; it is compiled
# once.

SHM_CPPFLAGS = $(AM_CPPFLAGS) $(NI_CORE_CPPFLAGS) -I$(top_srcdir)/tests/links
SHM_LIBS = tests/links/libshm_mock.la ni/libapeni_core.la -lpthread

tests_links_libshm_mock_la_SOURCES = tests/links/shm_mock.c tests/links/shm_mock.h
tests_links_libshm_mock_la_CPPFLAGS = $(SHM_CPPFLAGS)
check_LTLIBRARIES += tests/links/libshm_mock.la

shm_link_tests = \
    tests/links/test_peers_away \
    tests/links/test_shm_copy \
    tests/links/test_shm_early \
    tests/links/test_shm_grow \
    tests/links/test_shm_life \
    tests/links/test_shm_local \
    tests/links/test_shm_node \
    tests/links/test_shm_park \
    tests/links/test_shm_peers \
    tests/links/test_shm_pool \
    tests/links/test_shm_ring \
    tests/links/test_shm_shrink \
    tests/links/test_shm_standard \
    tests/links/test_shm_stream \
    tests/links/test_shm_wait \
    tests/links/test_several

tests_links_test_peers_away_SOURCES = tests/links/test_peers_away.c
tests_links_test_peers_away_CPPFLAGS = $(SHM_CPPFLAGS)
tests_links_test_peers_away_LDADD = $(SHM_LIBS)

tests_links_test_several_SOURCES = tests/links/test_several.c
tests_links_test_several_CPPFLAGS = $(SHM_CPPFLAGS)
tests_links_test_several_LDADD = $(SHM_LIBS)

tests_links_test_shm_copy_SOURCES = tests/links/test_shm_copy.c
tests_links_test_shm_copy_CPPFLAGS = $(SHM_CPPFLAGS)
tests_links_test_shm_copy_LDADD = $(SHM_LIBS)

tests_links_test_shm_early_SOURCES = tests/links/test_shm_early.c
tests_links_test_shm_early_CPPFLAGS = $(SHM_CPPFLAGS)
tests_links_test_shm_early_LDADD = $(SHM_LIBS)

tests_links_test_shm_grow_SOURCES = tests/links/test_shm_grow.c
tests_links_test_shm_grow_CPPFLAGS = $(SHM_CPPFLAGS)
tests_links_test_shm_grow_LDADD = $(SHM_LIBS)

tests_links_test_shm_life_SOURCES = tests/links/test_shm_life.c
tests_links_test_shm_life_CPPFLAGS = $(SHM_CPPFLAGS)
tests_links_test_shm_life_LDADD = $(SHM_LIBS)

tests_links_test_shm_local_SOURCES = tests/links/test_shm_local.c
tests_links_test_shm_local_CPPFLAGS = $(SHM_CPPFLAGS)
tests_links_test_shm_local_LDADD = $(SHM_LIBS)

tests_links_test_shm_node_SOURCES = tests/links/test_shm_node.c
tests_links_test_shm_node_CPPFLAGS = $(SHM_CPPFLAGS)
tests_links_test_shm_node_LDADD = $(SHM_LIBS)

tests_links_test_shm_park_SOURCES = tests/links/test_shm_park.c
tests_links_test_shm_park_CPPFLAGS = $(SHM_CPPFLAGS)
tests_links_test_shm_park_LDADD = $(SHM_LIBS)

tests_links_test_shm_peers_SOURCES = tests/links/test_shm_peers.c
tests_links_test_shm_peers_CPPFLAGS = $(SHM_CPPFLAGS)
tests_links_test_shm_peers_LDADD = $(SHM_LIBS)

tests_links_test_shm_pool_SOURCES = tests/links/test_shm_pool.c
tests_links_test_shm_pool_CPPFLAGS = $(SHM_CPPFLAGS)
tests_links_test_shm_pool_LDADD = $(SHM_LIBS)

tests_links_test_shm_ring_SOURCES = tests/links/test_shm_ring.c
tests_links_test_shm_ring_CPPFLAGS = $(SHM_CPPFLAGS)
tests_links_test_shm_ring_LDADD = $(SHM_LIBS)

tests_links_test_shm_shrink_SOURCES = tests/links/test_shm_shrink.c
tests_links_test_shm_shrink_CPPFLAGS = $(SHM_CPPFLAGS)
tests_links_test_shm_shrink_LDADD = $(SHM_LIBS)

tests_links_test_shm_standard_SOURCES = tests/links/test_shm_standard.c
tests_links_test_shm_standard_CPPFLAGS = $(SHM_CPPFLAGS)
tests_links_test_shm_standard_LDADD = $(SHM_LIBS)

tests_links_test_shm_stream_SOURCES = tests/links/test_shm_stream.c
tests_links_test_shm_stream_CPPFLAGS = $(SHM_CPPFLAGS)
tests_links_test_shm_stream_LDADD = $(SHM_LIBS)

tests_links_test_shm_wait_SOURCES = tests/links/test_shm_wait.c
tests_links_test_shm_wait_CPPFLAGS = $(SHM_CPPFLAGS)
tests_links_test_shm_wait_LDADD = $(SHM_LIBS)

check_PROGRAMS += $(shm_link_tests)
TESTS += $(shm_link_tests)
