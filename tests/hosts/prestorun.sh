#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# prestorun on several hosts, which start each other: places, output, input, ends, and that nothing is left when somebody is killed.
# shellcheck disable=SC2016 # shells on the hosts expand these
. "$(dirname "$0")/common.sh"
needs_hosts
run=$(cd "${APELINK_BUILDDIR:-.}" && pwd)/presto/tools/prestorun
name=prestorun$$
where='echo "$PRESTO_RANK $APELINK_HOST $PRESTO_HOSTS $PRESTO_HOST_RANKS"'

# on_h1 STATUS ARGUMENT...: prestorun, called there.
on_h1() {
    wanted=$1
    shift
    expect "$wanted" "$hosts" exec h1 timeout -k 10 60 "$run" "$@"
}

# places LINE...: what the ranks have said, in order of their numbers.
places() {
    printf '%s\n' "$@" >"$work/places"
    sort -n "$work/out" | cmp -s - "$work/places" || fail "not \"$*\" but: $(sort -n "$work/out")"
}

expect 0 "$hosts" up --name "$name" -n 5
on_h1 0 -H h1:2,h3:1,h2:2 sh -c "$where"
places "0 h1 3 2" "1 h1 3 2" "2 h3 3 1" "3 h2 3 2" "4 h2 3 2"
on_h1 0 -H h2:2,h3:2 -n 5 sh -c "$where"
places "0 h2 2 3" "1 h2 2 3" "2 h3 2 2" "3 h3 2 2" "4 h2 2 3"
on_h1 0 -H h2:2,h1:2 --map-by node sh -c "$where"
places "0 h2 2 2" "1 h1 2 2" "2 h2 2 2" "3 h1 2 2"
on_h1 0 -H h1,h2,h3 -N 2 sh -c "$where"
places "0 h1 3 2" "1 h1 3 2" "2 h2 3 2" "3 h2 3 2" "4 h3 3 2" "5 h3 3 2"
on_h1 0 -H h2:2,h3 -n 1 sh -c "$where" : -n 2 sh -c "$where" : -n 1 -H h4 sh -c "$where"
places "0 h2 3 2" "1 h2 3 2" "2 h3 3 1" "3 h4 3 1"
expect 0 "$hosts" exec h1 timeout -k 10 60 "$run" --hostfile @HOSTFILE@ sh -c "$where"
[ "$(wc -l <"$work/out")" -eq 10 ] || fail "not the ranks of the host file: $(cat "$work/out")"

# A chain, a tree, and all by one.
for fanout in 1 2 4096; do
    on_h1 0 -H h2,h3,h4,h5,h1 --fanout $fanout --tag-output -v sh -c "$where; echo error >&2"
    for i in 0 1 2 3; do
        says out "[$i]<stdout>:$i h$((i + 2)) 5 1"
        says err "[$i]<stderr>:error"
        grep -q "^prestorun: rank $i is pid [0-9]* on h$((i + 2))\$" "$work/err" || fail "fan-out $fanout: rank $i is not told of: $(cat "$work/err")"
    done
    seq 100000 >"$work/in"
    "$hosts" exec h1 timeout -k 10 60 "$run" -H h2,h3,h4,h5 --fanout $fanout --stdin 3 cat <"$work/in" >"$work/out" 2>"$work/err" ||
        fail "input, fan-out $fanout: $(cat "$work/err")"
    cmp -s "$work/in" "$work/out" || fail "input, fan-out $fanout: something else"
    on_h1 7 -H h1,h2,h3,h4,h5 --fanout $fanout sh -c '[ "$PRESTO_RANK" != 4 ] || exit 7; exec sleep 600'
    says err "on h5) exited with code 7; ending the other ranks"
    rm -f "$work"/listens.*
    on_h1 143 -H h2,h3,h4 --fanout $fanout sh -c 'if [ "$PRESTO_RANK" = 2 ]; then
            until [ -e "$0.0" ] && [ -e "$0.1" ]; do sleep 0.05; done
            kill $$
        fi
        trap "sleep 0.1; echo saved; exit" TERM
        : >"$0.$PRESTO_RANK"
        while :; do sleep 0.05; done' "$work/listens"
    [ "$(grep -c saved "$work/out")" -eq 2 ] || fail "fan-out $fanout: the others had no time: $(cat "$work/out")"
    on_h1 124 -H h2,h3,h4 --fanout $fanout --timeout 0.3 sleep 600
    on_h1 1 -H h2,h3,h9,h4 --fanout $fanout sleep 600
    says err "host h9 cannot be reached"
done
on_h1 3 -H h1,h2,h3 --keep-going sh -c '[ "$PRESTO_RANK" != 1 ] || exit 3; sleep 0.3; echo done'
[ "$(grep -c "done" "$work/out")" -eq 2 ] || fail "ranks do not go on: $(cat "$work/out")"

# What is started on a host of the set carries this in its environment, whatever becomes of its parents.
mark=APELINK_HOSTS=$name
# shellcheck disable=SC2317 # until_true calls it
marked() {
    grep -lazF "$mark" /proc/[0-9]*/environ 2>/dev/null | wc -l
}

# until_true COMMAND...: waits, for a minute at most.
until_true() {
    for _ in $(seq 600); do
        "$@" && return
        sleep 0.1
    done
    fail "$*: not within a minute: $(cat "$work/out" "$work/err")"
}

# shellcheck disable=SC2317 # until_true calls it
ranks_begun() { # NUMBER
    [ "$(grep -c ready "$work/out")" -eq "$1" ]
}

# shellcheck disable=SC2317 # until_true calls it
none_marked() {
    [ "$(marked)" -eq 0 ]
}

# begin: a job whose ranks would go on, a chain of hosts, started on h1; its client is pid.
begin() {
    : >"$work/out"
    "$hosts" exec h1 "$run" -H h1:2,h2:2,h3:2,h4:2 --fanout 1 sh -c 'trap "" HUP
        setsid sh -c "trap : HUP TERM; while :; do sleep 100; done" >/dev/null 2>&1 &
        echo ready; while :; do sleep 100; done' >"$work/out" 2>"$work/err" </dev/null &
    pid=$!
    until_true ranks_begun 8
}

# process HOST ARGUMENT: its prestorun that was called with this argument.
process() {
    grep -lazF "$mark" /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3 | while read -r one; do
        grep -qzxF "APELINK_HOST=$1" "/proc/$one/environ" && grep -qzxF -- "$2" "/proc/$one/cmdline" &&
            [ "$(cat "/proc/$one/comm")" = prestorun ] && echo "$one"
    done | head -n 1
}

# ended STATUS WHAT: the job ends so, and nothing of it is left.
ended() {
    wait $pid
    status=$?
    [ $status -eq "$1" ] || fail "$2: exit status $status, not $1: $(cat "$work/err")"
    until_true none_marked
}

begin
kill -9 "$(process h1 --fanout)"
ended 137 "prestorun was killed"
for host in h2 h3 h4; do
    begin
    kill -9 "$(process $host --agent)"
    ended 137 "the agent of $host was killed"
    says err "host $host is lost, and its ranks with it"
done
begin
kill -s INT "$(process h1 --fanout)"
ended 130 "prestorun was interrupted"
begin
kill -s STOP "$(process h3 --agent)"
kill "$(process h1 --fanout)"
ended 143 "the agent of h3 was stopped"
begin
expect 0 "$hosts" kill h3
wait $pid
[ $? -eq 137 ] || fail "a host was killed: the job does not end: $(cat "$work/err")"
says err "host h3 is lost, and its ranks with it"
expect 0 "$hosts" down
expect 0 "$hosts" up --name "$name" -n 2

# Ranks on h1 go on until they may end, those on h2 for ever.
: >"$work/out"
"$hosts" exec h1 "$run" -H h1:2,h2:2 --keep-going sh -c 'echo ready
    until [ "$APELINK_HOST" = h1 ] && [ -e "$0" ]; do sleep 0.1; done
    echo done' "$work/go" >"$work/out" 2>"$work/err" </dev/null &
pid=$!
until_true ranks_begun 4
kill -9 "$(process h2 --agent)"
until_true grep -q "host h2 is lost" "$work/err"
: >"$work/go"
ended 137 "the agent of h2 was killed, and the others go on"
[ "$(grep -c "done" "$work/out")" -eq 2 ] || fail "the others do not go on: $(cat "$work/out" "$work/err")"
finish "jobs on several hosts begin, and end whatever dies"
