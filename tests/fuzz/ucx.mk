# SPDX-License-Identifier: BSD-3-Clause
# The link between hosts, over a UCX without a network.

if HAVE_UCX
fuzzers += tests/fuzz/fuzz_ucx

tests_fuzz_fuzz_ucx_SOURCES = tests/fuzz/fuzz_ucx.c tests/fuzz/fake_ucx.c tests/fuzz/fake_ucx.h tests/fuzz/fuzz_input.h tests/fuzz/fuzz_victim.h
tests_fuzz_fuzz_ucx_CPPFLAGS = $(FUZZ_CPPFLAGS) $(UCX_CFLAGS)
tests_fuzz_fuzz_ucx_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS) -Wl,--wrap=clock_gettime
tests_fuzz_fuzz_ucx_LDADD = $(FUZZ_LIBS)
endif

EXTRA_DIST += tests/fuzz/corpus/ucx.tar.gz
