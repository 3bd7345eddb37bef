#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Covers: presto/core/hang.c presto/core/tell.c
# What is told of waits that last, with PRESTO_HANG_S; and how MPI_Finalize ends that waits for what nobody meets.
set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=mpi_common.sh
. "$here/mpi_common.sh"
status=0
# The programs end with operations under way, which nobody gives back.
export ASAN_OPTIONS="${ASAN_OPTIONS-}:detect_leaks=0"

failed() {
    echo "FAIL: $*"
    status=1
}

compile "$here/mpi_hang.c" "$work/hang" || exit 1

# told OUTPUT PROCESS WORDS: wait until the words are there, and end the job.
told() {
    tries=0
    until grep -qs "$3" "$1"; do
        tries=$((tries + 1))
        if [ $tries -gt 600 ] || ! kill -0 "$2" 2>/dev/null; then
            failed "not told: $3; but: $(cat "$1")"
            break
        fi
        sleep 0.1
    done
    kill "$2" 2>/dev/null
    wait "$2" 2>/dev/null
}

# Each wait is told once, with what is missing.
in_all_ways() {
    while IFS='|' read -r wait words; do
        PRESTO_HANG_S=1 "$prestorun" -n 2 "$work/hang" "$wait" >"$work/$wait" 2>&1 </dev/null &
        told "$work/$wait" $! "rank 0 (pid [0-9]*) has waited for [0-9]* s.*, and nothing has moved; it waits for $words"
        [ "$(grep -c 'rank 0 (pid [0-9]*) has waited' "$work/$wait")" -eq 1 ] || failed "$wait is told more than once"
    done <<END
recv|a message of up to 4 bytes from rank 1 of the job, tag 7, communicator fluid
any|a message of up to 4 bytes from any rank, any tag, communicator fluid
send|its send of 4000000 bytes to rank 1 of the job, tag 7, communicator fluid
ssend|its synchronous send of 4 bytes to rank 1 of the job, tag 7, communicator fluid
probe|a message from rank 1 of the job, tag 7, communicator fluid
waitany|one of 2 requests, the first for a message of up to 4 bytes from rank 1 of the job, tag 7, communicator fluid
bcast|rank 1 of the job in collective operation 0 of communicator fluid
ibarrier|collective operation 0 of communicator fluid
window|rank 1 of the job in collective operation 0 of communicator [0-9]* of 2 ranks
fence|all 2 ranks of a window to come to its fence
start|rank 1 of the job to post its part of a window
expose|1 ranks to complete their accesses to a window
lock|the lock of a window at rank 1 of the job, which others have
finalize|rank 1 of the job to leave it, too
END
}
in_all_ways
# Where the words of a window are asked for by messages.
export PRESTO_RMA_SHARED=0
for wait in lock answer; do
    PRESTO_HANG_S=1 "$prestorun" -n 2 "$work/hang" $wait >"$work/out" 2>&1 </dev/null &
    case $wait in
    lock) told "$work/out" $! 'it waits for the lock of a window at rank 1 of the job' ;;
    answer) told "$work/out" $! 'it waits for rank 1 of the job to answer an access to its part of a window' ;;
    esac
done
unset PRESTO_RMA_SHARED

# Nobody who has asked for nothing hears of waits. Nor does anybody where something moves, or others only come later.
PRESTO_HANG_S=4 PRESTO_FINALIZE_S=1 timeout -k 10 120 "$prestorun" -n 2 "$work/hang" move >"$work/out" 2>&1 </dev/null ||
    failed "a job in which something moves (exit status $?)"
[ ! -s "$work/out" ] || failed "a job in which something moves is told of: $(cat "$work/out")"

# leaves WHAT STATUS WORDS: with a time after which the job ends.
leaves() {
    PRESTO_FINALIZE_S=1 timeout -k 10 120 "$prestorun" -n 2 "$work/hang" "$1" >"$work/out" 2>&1 </dev/null
    rc=$?
    if [ $rc -ne "$2" ] || { [ -n "$3" ] && ! grep -q "$3" "$work/out"; }; then
        failed "$1 (exit status $rc, not $2): $(cat "$work/out")"
    fi
}
in_finalize='has waited for [0-9]* s in MPI_Finalize, and nothing has moved; it waits for what was freed before it had ended'
leaves freed-recv 1 "$in_finalize: a message of up to 4 bytes from rank 1 of the job, tag 7, communicator fluid"
leaves freed-ssend 1 "$in_finalize: its synchronous send of 4 bytes to rank 1 of the job, tag 7, communicator fluid"
leaves freed-send-long 1 "$in_finalize: its send of 4000000 bytes to rank 1 of the job, tag 7, communicator fluid"
leaves freed-send-self 1 "$in_finalize: its send of 4000000 bytes to rank 0 of the job, tag 7, communicator fluid"
leaves freed-barrier 1 "$in_finalize: collective operation 0 of communicator fluid"
for what in recv ssend send-long send-self barrier; do
    leaves kept-$what 0 ''
done

# It is told unasked, and with "never" or 0 nothing more is done.
"$prestorun" -n 2 "$work/hang" freed-recv >"$work/out" 2>&1 </dev/null &
told "$work/out" $! "$in_finalize.*; after 60 s it ends the job (PRESTO_FINALIZE_S)"
for never in never 0; do
    PRESTO_FINALIZE_S=$never "$prestorun" -n 2 "$work/hang" freed-recv >"$work/out" 2>&1 </dev/null &
    told "$work/out" $! "$in_finalize.*communicator fluid\$"
done

PRESTO_HANG_S=soon timeout -k 10 60 "$prestorun" -n 1 "$work/hang" kept-recv >"$work/out" 2>&1 </dev/null && failed "PRESTO_HANG_S=soon is taken"
grep -q 'PRESTO_HANG_S=soon: it has to be a number of seconds from 0 to 1000000$' "$work/out" || failed "PRESTO_HANG_S=soon: $(cat "$work/out")"
PRESTO_FINALIZE_S=-1 timeout -k 10 60 "$prestorun" -n 1 "$work/hang" kept-recv >"$work/out" 2>&1 </dev/null && failed "PRESTO_FINALIZE_S=-1 is taken"
grep -q 'PRESTO_FINALIZE_S=-1: .*, or never$' "$work/out" || failed "PRESTO_FINALIZE_S=-1: $(cat "$work/out")"
exit $status
