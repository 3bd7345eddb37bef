#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# prestorun, the guard, both, or their process group are killed: nothing of the job is left, whatever stands between them and the ranks.
set -u
build=${APELINK_BUILDDIR:-.}
run=$build/presto/tools/prestorun
busy=$build/tests/presto/native_busy
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
    echo "FAIL: $*"
    failures=$((failures + 1))
    sed 's/^/    pid: /' "$work/pids"
    sed 's/^/    err: /' "$work/err"
}

# until_true COMMAND...: for some seconds.
until_true() {
    tries=0
    until "$@" || [ $tries -gt 500 ]; do
        sleep 0.02
        tries=$((tries + 1))
    done
    [ $tries -le 500 ]
}

lines() { # COUNT: so many processes have said their pids
    [ "$(grep -c '^[0-9]' "$work/pids")" -ge "$1" ]
}

gone() { # PID: it has ended, also if nobody has collected it yet
    ! grep -q '^State:.[^ZX]' "/proc/$1/status" 2>/dev/null
}

# start COUNT COMMAND...: two ranks, in a process group of their own; COUNT processes write their pids to the file. prestorun's own is in pid,
# the guard's in guard.
start() {
    count=$1
    shift
    : >"$work/pids"
    setsid "$run" -n 2 "$@" >>"$work/pids" 2>"$work/err" </dev/null &
    pid=$!
    until_true lines "$count" || fail "$what: the ranks do not start"
    guard=$(cat "/proc/$pid/task/$pid/children")
    guard=${guard% }
}

nothing_is_left() {
    while read -r process; do
        until_true gone "$process" && continue
        fail "$what: process $process lives"
        kill -s KILL "$process"
    done <"$work/pids"
    until_true gone "$guard" || fail "$what: the guard lives"
}

# shellcheck disable=SC2016 # the ranks' shells expand it
while IFS=: read -r name count command; do
    for whom in prestorun group guard; do
        what="$name, $whom is killed"
        start "$count" sh -c "$command" "$work/pids" "$busy"
        case $whom in
        prestorun) kill -s KILL $pid ;;
        group) kill -s KILL -- -$pid ;;
        guard) kill -s KILL "$guard" ;;
        esac
        wait $pid 2>/dev/null
        status=$?
        [ $status -eq 137 ] || fail "$what: exit status $status, not 137"
        nothing_is_left
        [ $whom != guard ] || grep -q "^prestorun: the process that guards the ranks (pid $guard) was killed" "$work/err" ||
            fail "$what: prestorun does not say so"
    done
done <<'END'
a program:2:echo $$; exec sleep 600
a wrapper:4:echo $$; sleep 600 & echo $!; wait
a session without environment:4:setsid env -i sh -c "echo \$\$ >>$0; exec sleep 600" & echo $$; wait
what has lost its parent:4:(setsid sh -c "echo \$\$; exec sleep 600" &); echo $$; exec sleep 600
a rank that computes:2:exec "$1"
a rank that computes, in a wrapper:2:"$1"; :
END

# Both at once. A rank ends, whether it has joined the job already or not, also where nobody stands over it.
for early in '' early; do
    what="a rank that computes${early:+ before it joins}, both are killed"
    # shellcheck disable=SC2016 # the ranks' shells expand it
    start 2 sh -c '"$0" $1; :' "$busy" "$early"
    kill -s STOP "$guard"
    kill -s KILL $pid "$guard"
    wait $pid 2>/dev/null
    nothing_is_left
done

echo "killed: $failures failures"
[ $failures -eq 0 ]
