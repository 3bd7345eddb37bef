#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A third host calls every socket at which the processes of a job between two hosts listen, and so does somebody on these two:
# says nothing, noise, or a part of what the job's processes said to each other when they met, and calls often. It gets no answer,
# the job ends as it should with its data intact, and its log tells of the strangers. Usage: strangers.sh [ARGUMENT...], for mpirun;
# the default is btl apelink.
. "$(dirname "$0")/common.sh"
needs_hosts
. "$here/components.sh"
command -v ss >/dev/null || skip "there is no ss (Debian: iproute2)"
[ $# -gt 0 ] || set -- --mca pml ob1 --mca btl apelink,self --mca btl_apelink_ucx_timeout_s 1

# listeners HOST: addresses and ports at which the process of the program listens there.
listeners() {
    "$hosts" exec "$1" ss -ltnpH | awk '/"bad_silent"/ { split($4, at, ":"); print at[1], at[2] }'
}

# within COMMAND...: until it is true, for a minute at most.
within() {
    for _ in $(seq 600); do
        "$@" && return
        sleep 0.1
    done
    fail "a minute was not enough for: $*: $(cut -c1-300 "$work/said")"
}

# call HOST WHOM: in the background.
call() {
    "$hosts" exec "$1" timeout -k 10 100 python3 "$here/strangers.py" call "$2" "$work/heard" silent noise half crowd >"$work/called.$1" 2>&1 &
}

# called HOST PID
called() {
    wait "$2"
    status=$?
    [ $status = 0 ] || fail "the caller on $1: exit status $status"
    says "called.$1" ", 0 bytes came back"
    sed "s/^/$1: /" "$work/called.$1"
}

: >"$work/said"
expect 0 "$hosts" up -n 3
"$hosts" exec h1 timeout -k 10 100 python3 "$here/strangers.py" record "$work/heard" >"$work/recorder" 2>&1 &
within grep -q ready "$work/recorder"
"$hosts" exec h1 timeout -k 10 200 "${MPIRUN:-mpirun}" --host h1,h2 --bind-to none -n 2 --mca mpi_yield_when_idle 1 "$@" \
    "$build/tests/mpi/bad_silent" -mode until -file "$work/done" >"$work/said" 2>&1 &
job=$!
within grep -q '^ready' "$work/said"
within test -s "$work/heard"
for host in h1 h2; do
    listeners $host >"$work/$host"
    grep '^127' "$work/$host" >"$work/inside.$host"
    grep -v '^127' "$work/$host" >>"$work/outside"
    [ -s "$work/inside.$host" ] || fail "no socket at the loopback interface of $host: $(cat "$work/$host")"
done
[ "$(wc -l <"$work/outside")" = 2 ] || fail "not one socket of each process at the network: $(cat "$work/outside")"
call h3 "$work/outside"
abroad=$!
call h1 "$work/inside.h1"
first=$!
call h2 "$work/inside.h2"
second=$!
called h3 $abroad
called h1 $first
called h2 $second
kill -0 $job 2>/dev/null || fail "the job has ended before the strangers had"
touch "$work/done"
wait $job
status=$?
{ [ $status = 0 ] && grep -q '^MT-OK' "$work/said"; } || fail "exit status $status: $(cut -c1-300 "$work/said")"
for host in h1 h2; do
    grep "apelink $host:" "$work/said" >"$work/log.$host"
    says "log.$host" "has ended, before its other end said anything that UCX understands"
    says "log.$host" "and has not greeted since as UCX does"
done
finish "strangers at $(cat "$work/h1" "$work/h2" | wc -l) sockets of a job got nowhere and were logged"
