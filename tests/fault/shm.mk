# SPDX-License-Identifier: BSD-3-Clause
# What may befall the shared memory link: processes that die, stop or fork; things that the kernel refuses.

shm_fault_tests = \
    tests/fault/shm_denied \
    tests/fault/shm_exec \
    tests/fault/shm_flooded \
    tests/fault/shm_fork \
    tests/fault/shm_kill \
    tests/fault/shm_nomem \
    tests/fault/shm_stop

tests_fault_shm_denied_SOURCES = tests/fault/shm_denied.c
tests_fault_shm_denied_CPPFLAGS = $(SHM_CPPFLAGS)
tests_fault_shm_denied_LDADD = $(SHM_LIBS)

tests_fault_shm_exec_SOURCES = tests/fault/shm_exec.c
tests_fault_shm_exec_CPPFLAGS = $(SHM_CPPFLAGS)
tests_fault_shm_exec_LDADD = $(SHM_LIBS)

tests_fault_shm_flooded_SOURCES = tests/fault/shm_flooded.c
tests_fault_shm_flooded_CPPFLAGS = $(SHM_CPPFLAGS)
tests_fault_shm_flooded_LDADD = $(SHM_LIBS)

tests_fault_shm_fork_SOURCES = tests/fault/shm_fork.c
tests_fault_shm_fork_CPPFLAGS = $(SHM_CPPFLAGS)
tests_fault_shm_fork_LDADD = $(SHM_LIBS)

tests_fault_shm_kill_SOURCES = tests/fault/shm_kill.c
tests_fault_shm_kill_CPPFLAGS = $(SHM_CPPFLAGS)
tests_fault_shm_kill_LDADD = $(SHM_LIBS)

tests_fault_shm_nomem_SOURCES = tests/fault/shm_nomem.c
tests_fault_shm_nomem_CPPFLAGS = $(SHM_CPPFLAGS)
tests_fault_shm_nomem_LDADD = $(SHM_LIBS)

tests_fault_shm_stop_SOURCES = tests/fault/shm_stop.c
tests_fault_shm_stop_CPPFLAGS = $(SHM_CPPFLAGS)
tests_fault_shm_stop_LDADD = $(SHM_LIBS)

check_PROGRAMS += $(shm_fault_tests)
TESTS += $(shm_fault_tests)
