#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The parameter ucx_timeout_s: a host whose link is cut, so that nobody says that it is gone, is given up after that time, with
# a connection that is idle and with one that is not; one whose process does not read is not given up, nor one that comes back.
. "$(dirname "$0")/common.sh"
needs_hosts
. "$here/components.sh"

# start MODE ARGUMENT...: in the background, until both ranks are there; the program writes to $work/said.
start() {
    mode=$1
    shift
    : >"$work/said"
    "$hosts" exec h1 timeout -k 10 150 "${MPIRUN:-mpirun}" --bind-to none --map-by node -n 2 --mca mpi_yield_when_idle 1 "$@" \
        "$build/tests/mpi/bad_silent" -mode "$mode" -ms 6000 >"$work/said" 2>&1 &
    job=$!
    for _ in $(seq 1000); do
        grep -q '^ready' "$work/said" && return
        kill -0 $job 2>/dev/null || break
        sleep 0.1
    done
    fail "$mode $*: the ranks do not start: $(cat "$work/said")"
}

# await TEXT: until it is said.
await() {
    for _ in $(seq 600); do
        grep -qF -- "$1" "$work/said" && return
        sleep 0.1
    done
    fail "no \"$1\" within a minute: $(cat "$work/said")"
}

# gone MODE PARAMETER ARGUMENT...: the link is cut for good, as far as the program knows. mpirun ends it when it reaches h2 again.
gone() {
    mode=$1
    parameter=$2
    shift 2
    start "$mode" --mca "$parameter" 2 "$@"
    sleep 0.5
    expect 0 "$hosts" cut h2
    await "has not answered for 2 s"
    await "lost process"
    says said "Its node:     h2"
    says said "set $parameter to more seconds"
    says said "ucx: the host 10.77.0."
    expect 0 "$hosts" heal h2
    wait $job
    status=$?
    { [ $status != 0 ] && [ $status != 124 ]; } || fail "$mode $*: exit status $status after a host was lost"
}

# stays ARGUMENT...: what does not read is alive, although its window is closed for long.
stays() {
    start unread -x UCX_TCP_RCVBUF=16K "$@"
    wait $job
    status=$?
    { [ $status = 0 ] && grep -q '^MT-OK' "$work/said"; } || fail "$*: exit status $status: $(cat "$work/said")"
    ! grep -q 'has not answered' "$work/said" || fail "$*: a process that does not read is given up: $(cat "$work/said")"
}

# returns ARGUMENT...: so is a host that was away for less than the time-out, and nothing was lost or comes twice.
returns() {
    start unread "$@"
    sleep 0.5
    expect 0 "$hosts" cut h2
    sleep 2
    expect 0 "$hosts" heal h2
    wait $job
    status=$?
    { [ $status = 0 ] && grep -q '^MT-OK' "$work/said"; } || fail "$*: exit status $status: $(cat "$work/said")"
}

btl='--mca pml ob1 --mca btl apelink,self'
mtl='--mca pml cm --mca mtl match'
expect 0 "$hosts" up -n 2
# shellcheck disable=SC2086 # words
{
    gone idle btl_apelink_ucx_timeout_s $btl
    gone busy btl_apelink_ucx_timeout_s $btl
    gone idle mtl_match_ucx_timeout_s $mtl
    gone busy mtl_match_ucx_timeout_s $mtl
    stays $btl --mca btl_apelink_ucx_timeout_s 1
    stays $mtl --mca mtl_match_ucx_timeout_s 1
    returns $btl
    returns $mtl
}
finish "silent hosts are given up, and others are not"
