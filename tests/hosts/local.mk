# SPDX-License-Identifier: BSD-3-Clause
# apelink-hosts: several hosts on one machine.

hosts_tests = \
    tests/hosts/board.sh \
    tests/hosts/clean.sh \
    tests/hosts/faults.sh \
    tests/hosts/faults_apelink.sh \
    tests/hosts/faults_match.sh \
    tests/hosts/faults_presto.sh \
    tests/hosts/hfm.sh \
    tests/hosts/hfm_history.sh \
    tests/hosts/hfm_mpi.sh \
    tests/hosts/hooks.sh \
    tests/hosts/jitter.sh \
    tests/hosts/jitter_presto.sh \
    tests/hosts/link.sh \
    tests/hosts/mpirun.sh \
    tests/hosts/presto.sh \
    tests/hosts/prestorun.sh \
    tests/hosts/prestorun_mpi.sh \
    tests/hosts/same_name.sh \
    tests/hosts/show_links.sh \
    tests/hosts/silence.sh \
    tests/hosts/strangers.sh \
    tests/hosts/usage.sh

TESTS += $(hosts_tests)
EXTRA_DIST += $(hosts_tests) tests/hosts/common.sh tests/hosts/components.sh tests/hosts/hfm_check.py tests/hosts/hfm_common.sh tests/hosts/lost_host.c tests/hosts/jitter_common.sh tests/hosts/possible.sh tests/hosts/presto_common.sh tests/hosts/strangers.py tests/hosts/udp.py tests/hosts/with_cards.sh
