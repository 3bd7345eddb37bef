#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Covers: osu_bench/osu_lost.c.
# fault_hosts: a host is cut off once, and the master and a process that waits come to know.
set -u

src=${APELINK_SRCDIR:?}
build=${APELINK_BUILDDIR:?}
[ -x "$build/hfm/apelink-hfm" ] || { echo "skipped: apelink-hfm was not built, for want of libevent"; exit 77; }
sh "$src/tests/hosts/possible.sh" || exit 77
grep -q 'define NI_HAVE_UCX' "$build/apelink_config.h" || { echo "skipped: configure found no UCX, so there is no link between hosts"; exit 77; }
[ -z "${APELINK_SANITIZER-}" ] || { echo "skipped: apelink-hosts is not built with sanitizers"; exit 77; }
failures=0
fail() {
    echo "FAIL: $*"
    failures=$((failures + 1))
}

# periods that a busy machine keeps
said=$("$src/osu_bench/fault_hosts" --build "$build" --rounds 1 --ping 50 --hold 400 --jobs match 2>&1) || fail "exit status $?"
[ "$(echo "$said" | grep -cE '^(the master|a process that waits), job of match( +[0-9.]+){4}$')" = 2 ] || fail "$said"
echo "$said" | grep -q '^0 not known within a minute' || fail "$said"
said=$("$src/osu_bench/fault_hosts" --build "$build" --jobs both 2>&1) && fail "--jobs both is taken: $said"
echo "$said" | grep -q "there is no job 'both'" || fail "$said"
echo "$failures failures"
[ "$failures" -eq 0 ]
