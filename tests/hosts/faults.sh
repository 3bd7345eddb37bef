#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# An MPI program that checks its data, between two hosts whose link is cut and healed, and shakes, and
# with one host killed, also one where several threads of each process communicate. Usage: faults.sh [ARGUMENT...]
# ARGUMENTs are for mpirun and choose the transport; the default is btl tcp, of which this is known to hold. FAULTS_PROGRAMS may
# name a folder with another p2p_soak and thr_pingpong.
. "$(dirname "$0")/common.sh"
needs_hosts
build=${APELINK_BUILDDIR:-.}
programs=${FAULTS_PROGRAMS:-$build/tests/mpi}
[ -x "$programs/p2p_soak" ] || skip "configure found no Open MPI, so the MPI programs were not built"
[ -z "${APELINK_SANITIZER-}" ] || skip "apelink-hosts and btl tcp are not built with sanitizers"
[ $# -gt 0 ] || set -- --mca pml ob1 --mca btl tcp,self

# run_program "NAME WORD..." ARGUMENT...: two processes on each of two hosts; runs until it ends by itself.
run_program() {
    words=$1
    shift
    # shellcheck disable=SC2086 # $words is a list
    "$hosts" exec h1 timeout -k 10 400 "${MPIRUN:-mpirun}" --map-by node -n 4 --mca mpi_yield_when_idle 1 "$@" \
        "$programs"/$words >"$work/soak" 2>&1
}

# soak MESSAGES ARGUMENT...
soak() {
    messages=$1
    shift
    run_program "p2p_soak -n $messages -seed 6" "$@"
}

# ended STATUS WHAT
ended() {
    { [ "$1" = 0 ] && grep -q '^MT-OK' "$work/soak"; } || {
        fail "$2: exit status $1"
        sed 's/^/    /' "$work/soak"
    }
}

# runs NAME: until it runs on h2, or the job has ended; where it was found is in $work/there.
runs() {
    for _ in $(seq 2400); do
        "$hosts" exec h2 sh -c "grep -sl $1 /proc/[0-9]*/comm" >"$work/there" && return
        kill -0 $soaker 2>/dev/null || return
        sleep 0.05
    done
}

expect 0 "$hosts" up -n 2 --link delay=5ms,jitter=5ms
soak 20 "$@"
ended $? "a link with 10 ms of jitter"

# Cut a few times while it runs, until it has ended; mpirun itself needs the link until it has started the ranks.
expect 0 "$hosts" link h1 clear
expect 0 "$hosts" link h2 clear
soak 3000 "$@" &
soaker=$!
runs p2p_soak
cuts=0
while [ $cuts -lt 3 ] && kill -0 $soaker 2>/dev/null; do
    sleep 0.3
    expect 0 "$hosts" cut h2
    sleep 0.2
    expect 0 "$hosts" heal h2
    cuts=$((cuts + 1))
done
wait $soaker
ended $? "a link that is cut and healed"

# loses_h2 "NAME WORD..." ARGUMENT...: a host is gone. mpirun ends with an error, and with it all processes of the other host.
# The program would run for much longer than it takes to end a host of a busy machine.
loses_h2() {
    name=${1%% *}
    run_program "$@" &
    soaker=$!
    runs "$name"
    sleep 1
    "$hosts" kill h2 || {
        fail "h2 could not be killed"
        "$hosts" down
    }
    wait $soaker
    status=$?
    { [ $status != 0 ] && [ $status != 124 ] && ! grep -q '^MT-OK' "$work/soak"; } ||
        fail "$name: exit status $status with a host killed: $(cat "$work/soak")"
    [ -s "$work/there" ] || fail "$name: it never ran on the host that was killed"
    says soak h2
    for _ in $(seq 2400); do
        "$hosts" exec h1 sh -c "grep -sl $name /proc/[0-9]*/comm" >"$work/left" || break
        sleep 0.05
    done
    [ ! -s "$work/left" ] || fail "$name: processes are left on the other host: $(cat "$work/left")"
}

loses_h2 "p2p_soak -n 10000000 -seed 6" "$@"
expect 0 "$hosts" down
expect 0 "$hosts" up -n 2
loses_h2 "thr_pingpong -n 1000000" "$@"
finish "MPI goes on over a link that was cut $cuts times, and one that shakes"
