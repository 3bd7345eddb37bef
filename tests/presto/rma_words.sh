#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Two ranks on one processor that wait for words which the other stores do not sleep for them, as nobody would wake them: they give each other the processor.
set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=mpi_common.sh
. "$here/mpi_common.sh"

first=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*\([0-9]*\).*/\1/p' /proc/self/status)
# shellcheck disable=SC2016 # the rank's shell expands it
cores=$(taskset -c "$first" "$prestorun" -n 1 sh -c 'echo "$PRESTO_CORES"')
[ "$cores" = 1 ] || { echo "FAIL: on one processor prestorun says that there are ${cores:-none}"; exit 1; }

compile "$here/rma_words.c" "$work/rma_words" || exit 1
# Of processes and of threads: each counts the processors that it may use, not all.
for ranks in processes threads; do
    if [ $ranks = threads ]; then
        set -- "$work/rma_words" threads
    else
        set -- "$prestorun" -n 2 "$work/rma_words"
    fi
    PRESTO_STATS=1 timeout -k 10 120 taskset -c "$first" "$@" >"$work/out" 2>&1 </dev/null ||
        { echo "FAIL: $ranks: exit status $?"; cat "$work/out"; exit 1; }
    [ "$(grep -c 'of 2: tx_packets.* crowded 1$' "$work/out")" -eq 2 ] ||
        { echo "FAIL: $ranks: no statistics of two ranks that know that they share a processor"; cat "$work/out"; exit 1; }
    sleeps=$(sed -n 's/.* blocks \([0-9]*\).*/\1/p' "$work/out" | awk '{ sum += $1 } END { print sum + 0 }')
    # 900 waits of each rank. Some may last, and sleep.
    [ "$sleeps" -lt 450 ] || { echo "FAIL: the $ranks slept $sleeps times"; cat "$work/out"; exit 1; }
    echo "$ranks: 1800 waits for words, $sleeps sleeps"
done
