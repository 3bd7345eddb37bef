# SPDX-License-Identifier: BSD-3-Clause

stress_tests += tests/stress/shm_threads

tests_stress_shm_threads_SOURCES = tests/stress/shm_threads.c
tests_stress_shm_threads_CPPFLAGS = $(SHM_CPPFLAGS)
tests_stress_shm_threads_LDADD = $(SHM_LIBS)
