#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The native interface's programs, over each link and started in each way.
set -u
build=${APELINK_BUILDDIR:-.}/tests/presto
status=0

run() { # WHAT COMMAND...
    what=$1
    shift
    timeout 120 "$@" </dev/null || { echo "FAIL: native_p2p $what: exit status $?"; status=1; }
}

run alone "$build/native_p2p"
for n in 1 2 3 16; do
    run "in $n threads" "$build/native_p2p" threads $n
done
for n in 1 2 3 16; do
    run "in $n processes" "${APELINK_BUILDDIR:-.}/presto/tools/prestorun" -n $n "$build/native_p2p"
done
if [ -n "${MPIRUN-}" ] && grep -q 'define NI_HAVE_PMIX' "${APELINK_BUILDDIR:-.}/apelink_config.h"; then
    run "by mpirun" "$MPIRUN" --oversubscribe --bind-to none -n 3 "$build/native_p2p"
fi
exit $status
