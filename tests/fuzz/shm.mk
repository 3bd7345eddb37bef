# SPDX-License-Identifier: BSD-3-Clause
# The shared memory link: a segment that is written over, and addresses and datagrams from anywhere.

fuzzers += \
    tests/fuzz/fuzz_shm_blob \
    tests/fuzz/fuzz_shm_segment

tests_fuzz_fuzz_shm_blob_SOURCES = tests/fuzz/fuzz_shm_blob.c
tests_fuzz_fuzz_shm_blob_CPPFLAGS = $(SHM_CPPFLAGS)
tests_fuzz_fuzz_shm_blob_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
tests_fuzz_fuzz_shm_blob_LDADD = $(fuzz_driver) $(SHM_LIBS)

tests_fuzz_fuzz_shm_segment_SOURCES = tests/fuzz/fuzz_shm_segment.c
tests_fuzz_fuzz_shm_segment_CPPFLAGS = $(SHM_CPPFLAGS)
tests_fuzz_fuzz_shm_segment_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
tests_fuzz_fuzz_shm_segment_LDADD = $(fuzz_driver) $(SHM_LIBS)

EXTRA_DIST += tests/fuzz/corpus/shm_blob.tar.gz tests/fuzz/corpus/shm_segment.tar.gz
