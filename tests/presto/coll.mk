# SPDX-License-Identifier: BSD-3-Clause
# Collective operations: schedules over a network that a test drives, and over the real one.

coll_cases = \
    tests/presto/coll_cases.c \
    tests/presto/coll_cases.h \
    tests/presto/coll_memory.c \
    tests/presto/coll_moves.c \
    tests/presto/coll_neighbors.c \
    tests/presto/coll_parts.h \
    tests/presto/coll_reductions.c \
    tests/presto/coll_types.c

presto_tests += \
    tests/presto/coll_ranks \
    tests/presto/model_coll

tests_presto_coll_ranks_SOURCES = tests/presto/coll_ranks.c $(coll_cases)
tests_presto_coll_ranks_CPPFLAGS = $(PRESTO_TEST_CPPFLAGS)
tests_presto_coll_ranks_LDADD = $(PRESTO_TEST_LIBS)

tests_presto_model_coll_SOURCES = tests/presto/model_coll.c tests/presto/coll_mock.c tests/presto/coll_mock.h \
    $(coll_cases)
tests_presto_model_coll_CPPFLAGS = $(PRESTO_TEST_CPPFLAGS)
tests_presto_model_coll_LDADD = $(PRESTO_TEST_LIBS)
