# SPDX-License-Identifier: BSD-3-Clause
# Fuzzers of hfm.

fuzzers += tests/fuzz/fuzz_hfm_config tests/fuzz/fuzz_hfm_node

tests_fuzz_fuzz_hfm_config_SOURCES = tests/fuzz/fuzz_hfm_config.c tests/fuzz/fuzz_input.h
tests_fuzz_fuzz_hfm_config_CPPFLAGS = $(FUZZ_CPPFLAGS) -I$(top_srcdir)
tests_fuzz_fuzz_hfm_config_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
tests_fuzz_fuzz_hfm_config_LDADD = hfm/libhfm.la $(FUZZ_LIBS)

tests_fuzz_fuzz_hfm_node_SOURCES = tests/fuzz/fuzz_hfm_node.c tests/fuzz/fuzz_input.h
tests_fuzz_fuzz_hfm_node_CPPFLAGS = $(FUZZ_CPPFLAGS) -I$(top_srcdir)
tests_fuzz_fuzz_hfm_node_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
tests_fuzz_fuzz_hfm_node_LDADD = hfm/libhfm.la $(FUZZ_LIBS)

EXTRA_DIST += tests/fuzz/corpus/hfm_config.tar.gz tests/fuzz/corpus/hfm_node.tar.gz
