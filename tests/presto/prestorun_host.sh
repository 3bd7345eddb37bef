#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Covers: presto/tools/run_place.c, presto/tools/run_remote.c, presto/tools/run_values.c.
# prestorun with all ranks on another host, which is this one under another name: a launcher runs the command here. What is promised on
# one host holds there, and what does not fit is named. Several hosts: tests/hosts/prestorun.sh.
set -u
run=$(cd "${APELINK_BUILDDIR:-.}" && pwd)/presto/tools/prestorun
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
    echo "FAIL: $*"
    failures=$((failures + 1))
    sed 's/^/    out: /' "$work/out"
    sed 's/^/    err: /' "$work/err"
}

# As ssh: HOST WORD..., where the words are for a shell. Each that runs says its pid.
cat >"$work/launcher" <<'END'
#!/bin/sh
echo $$ >>"${0%/*}/launched"
shift
HOSTNAME=there SHARED=no exec sh -c "exec $*"
END
chmod +x "$work/launcher"
PRESTO_LAUNCHER=$work/launcher
export PRESTO_LAUNCHER

# expect CODE WHAT ARGUMENT...: prestorun with these arguments ends with CODE; output is in out and err.
expect() {
    code=$1
    what=$2
    shift 2
    timeout -k 10 60 "$run" "$@" >"$work/out" 2>"$work/err" </dev/null
    status=$?
    [ $status -eq "$code" ] || fail "$what: exit status $status, not $code"
}

has() { # FILE PATTERN
    grep -Eq "$2" "$work/$1" || fail "$what: no line of $1 is $2"
}

# until_true COMMAND...: waits, for a minute at most.
until_true() {
    tries=0
    until "$@" || [ $tries -gt 600 ]; do
        sleep 0.1
        tries=$((tries + 1))
    done
    [ $tries -le 600 ]
}

gone() { # PID: it has ended, also if nobody has collected it yet
    ! grep -q '^State:.[^ZX]' "/proc/$1/status" 2>/dev/null
}

# shellcheck disable=SC2016 # the ranks' shells expand it
{
    expect 0 "output" -H far:3 sh -c 'echo "rank $PRESTO_RANK of $PRESTO_SIZE, $PRESTO_HOST_RANKS on one of $PRESTO_HOSTS"; echo oops >&2'
    [ "$(sort "$work/out")" = "$(for i in 0 1 2; do echo "rank $i of 3, 3 on one of 1"; done)" ] || fail "$what: not three lines"
    [ "$(cat "$work/err")" = "$(printf 'oops\noops\noops')" ] || fail "$what: not three errors"
    expect 0 "tags" -H far:2 --tag-output sh -c 'echo a; printf b; echo c >&2'
    has out '^\[0\]<stdout>:a$'
    has out '^\[1\]<stdout>:a$'
    has err '^\[1\]<stderr>:c$'
    expect 0 "one output" -H far --merge-stderr-to-stdout sh -c 'echo one >&2'
    has out '^one$'
    expect 0 "a last line without end" -H far printf end
    [ "$(cat "$work/out")" = end ] || fail "$what: lost"
    expect 0 "whole lines" -H far:12 sh -c 'for i in 1 2 3 4 5; do printf "%s" "$PRESTO_RANK:"; printf "%s:" $i; echo end; done'
    [ "$(grep -cE '^[0-9]+:[1-5]:end$' "$work/out")" -eq 60 ] || fail "$what: some are mixed or lost"
    expect 0 "verbose" -v -H far true
    has err '^prestorun: rank 0 is pid [0-9]+ on far$'
    has err '^prestorun: rank 0 \(pid [0-9]+ on far\) has ended: exit code 0$'

    # Where and with what ranks begin: as here, but for what belongs to the host.
    cd "$work" || exit 1
    SHARED=1 HOSTNAME=here expect 0 "surroundings" -H far -x 'PLANET=Mars rover' sh -c 'pwd; echo "$SHARED-${HOSTNAME-}-$PLANET"'
    has out "^$(pwd -P)\$"
    has out '^1-there-Mars rover$'
    cd "${run%/*}" || exit 1
    expect 0 "a variable of this host" -H far -x TMPDIR sh -c 'echo "dir ${TMPDIR-none}"'
    has out "^dir ${TMPDIR-none}\$"
    expect 0 "a directory, and several commands" -H far --wdir / -n 1 pwd : -n 1 sh -c 'echo "$PRESTO_APPNUM"'
    has out '^/$'
    has out '^1$'
    expect 1 "no such directory there" -H far --wdir "$work/nothing" true
    has err '^prestorun: host far: folder .*/nothing, .*: No such file or directory; --wdir says another$'
    has err '^prestorun: host far cannot start its ranks; ending the job$'
    expect 127 "a missing command" -H far:2 "$work/nothing"
    has err 'cannot run .*/nothing on far: No such file'
    expect 0 "few at once" -H far:2 --bind-to hwthread sh -c 'grep Cpus_allowed_list /proc/self/status'
    grep -Eq 'list:[[:space:]]*[0-9]+$' "$work/out" || fail "$what: not one processor"

    # Input comes through, all of it, and its end.
    seq 200000 >"$work/in"
    what=input
    timeout -k 10 60 "$run" -H far:2 cat <"$work/in" >"$work/out" 2>"$work/err" || fail "$what: exit status $?"
    cmp -s "$work/in" "$work/out" || fail "$what: something else"
    timeout -k 10 60 "$run" -H far:2 --stdin 1 sh -c 'echo "$PRESTO_RANK $(head -n 1)"' <"$work/in" >"$work/out" 2>"$work/err" || fail "$what that is not read: exit status $?"
    [ "$(sort "$work/out")" = "$(printf '0 \n1 1')" ] || fail "$what of rank 1: another has read it"
    expect 0 "no input" -H far --stdin none cat

    # How ranks end.
    expect 7 "an exit code" -H far:3 sh -c '[ "$PRESTO_RANK" != 1 ] || exit 7; exec sleep 600'
    has err '^prestorun: rank 1 \(pid [0-9]+ on far\) exited with code 7; ending the other ranks$'
    expect 137 "a kill" -H far:3 sh -c '[ "$PRESTO_RANK" != 2 ] || kill -9 $$; exec sleep 600'
    expect 3 "ranks that go on" -H far:2 --keep-going sh -c '[ "$PRESTO_RANK" != 1 ] || exit 3; sleep 0.2; echo done'
    has out '^done$'
    expect 124 "a time-out" -H far:2 --timeout 0.2 sleep 600
    expect 1 "a malformed message" -H far:2 sh -c '[ "$PRESTO_RANK" != 0 ] || eval "printf nonsense >&$PRESTO_FD"; exec sleep 600'
    has err '^prestorun: rank 0 \(pid [0-9]+ on far\) says what is no message .*; ending the job$'
    expect 0 "a child left behind" -H far sh -c 'sleep 600 >/dev/null 2>&1 & echo $!'
    gone "$(cat "$work/out")" || fail "$what: it lives"

    # More than is under way at once, for a reader who comes late, and for one who goes.
    what="output that is taken late"
    { timeout -k 10 60 "$run" -H far:2 seq 100000 || echo "exit status $?"; } 2>"$work/err" | { sleep 0.5; cat; } >"$work/out"
    [ "$(grep -c '^[0-9]*$' "$work/out")" -eq 200000 ] || fail "$what: lines are lost or mixed"
    what="a reader who goes"
    { timeout -k 10 60 "$run" -H far:2 yes 2>"$work/err" || echo "exit status $?" >"$work/status"; } | head -n 1 >"$work/out"
    grep -q '^exit status 141$' "$work/status" || fail "$what: $(cat "$work/status")"
}

# What does not answer, or answers something else.
expect 1 "no launcher" -H far --launcher "$work/nothing" true
has err '^prestorun: host far cannot be started: .*/nothing: No such file or directory \(--launcher'
expect 1 "a host that cannot be reached" -H far --launcher false true
has err '^prestorun: host far cannot be reached: false has ended with code 1; try false far true; ending the job$'
expect 1 "no prestorun there" -H far --prefix "$work/nothing" true
has err '^prestorun: host far: .*/nothing/bin/prestorun cannot be run there: install apelink .* --prefix'
mkdir -p "$work/old/bin"
# shellcheck disable=SC2016 # the shell there expands it
printf '#!/bin/sh\nprintf "\\001HRP\\377\\377\\377\\377\\006\\000\\000\\0000.0\\000a\\000"\nexec cat >/dev/null\n' >"$work/old/bin/prestorun"
chmod +x "$work/old/bin/prestorun"
expect 1 "another version" -H far --prefix "$work/old" true
has err '^prestorun: host far: .*/old/bin/prestorun there is version 0\.0, and here it is .*: install the same, or say by --prefix'
printf '#!/bin/sh\necho "Welcome to this machine"\nexec "%s" "$@"\n' "$run" >"$work/old/bin/prestorun"
expect 1 "a shell that talks" -H far --prefix "$work/old" true
has err '^prestorun: host far says what is no message \("Welcome to this machine"\): commands that are run there have to print nothing'
expect 1 "one host under two names" -H far,localhost sleep 600
has err '^prestorun: .* and far are one host: give it one name'
what="an agent that is called by hand"
timeout -k 1 120 "$run" --agent </dev/null >"$work/out" 2>"$work/err"
[ $? -eq 1 ] || fail "$what: goes on"
printf 'nonsense, and more' | timeout -k 1 120 "$run" --agent >"$work/out" 2>"$work/err"
[ $? -ne 124 ] || fail "$what: waits for ever"

# What is wrong on the command line.
while IFS='|' read -r wanted pattern words; do
    # shellcheck disable=SC2086 # a list
    expect "$wanted" "$words" $words
    has err "$pattern"
done <<'END'
2|^prestorun: --host far:0: behind a colon a number|-H far:0 true
2|^prestorun: --host far:x: behind a colon a number|-H far:x true
2|^prestorun: --host ,: HOST|-H , true
2|^prestorun: --host -oProxyCommand=x: HOST|-H -oProxyCommand=x true
2|^prestorun: --host a;b: HOST|-H a;b true
2|^prestorun: --hostfile nothing-there: No such file|--hostfile nothing-there true
2|^prestorun: --hostfile /dev/null: there is no host|--hostfile /dev/null true
2|^prestorun: --fanout 0: a number of hosts|--fanout 0 -H far true
2|^prestorun: --prefix lib: a whole path|--prefix lib -H far true
2|^prestorun: -n: all commands together may have 4096|-H far:4096,near:2 true
2|^prestorun: -N x: a number of ranks|-N x true
END
printf '# hosts\nfar slots=two\n' >"$work/hosts"
expect 2 "a line that is none" --hostfile "$work/hosts" true
has err '^prestorun: --hostfile .*/hosts: line 2: far: each line is HOST'
printf '# hosts\n\nfar:2 # two\nfar slots=1 max_slots=4\n' >"$work/hosts"
expect 0 "a file of hosts" --hostfile "$work/hosts" echo here
[ "$(grep -c here "$work/out")" -eq 3 ] || fail "$what: not three"
expect 0 "ranks of each host" -H far -N 2 echo here
[ "$(grep -c here "$work/out")" -eq 2 ] || fail "$what: not two"

two_lines() {
    [ "$(wc -l <"$work/out")" -eq 2 ]
}

# shellcheck disable=SC2016 # the ranks' shells expand it
start_two() {
    : >"$work/out"
    : >"$work/launched"
    "$run" -H far:2 sh -c 'echo $$; exec sleep 600' >"$work/out" 2>"$work/err" </dev/null &
    pid=$!
    until_true two_lines || fail "$what: two ranks do not start"
    agent=$(cat "$work/launched")
}

nothing_is_left() {
    while read -r process; do
        until_true gone "$process" || fail "$what: process $process lives"
    done <"$work/out"
    until_true gone "$agent" || fail "$what: the agent lives"
}

ends_with() { # CODE
    wait $pid
    status=$?
    [ $status -eq "$1" ] || fail "$what: exit status $status, not $1"
    nothing_is_left
}

for signal in TERM:143 HUP:129 INT:130; do
    what="signal $signal"
    start_two
    kill -s "${signal%:*}" $pid
    ends_with "${signal#*:}"
done
what="signal TSTP"
start_two
rank=$(head -n 1 "$work/out")
kill -s TSTP $pid
until_true grep -q '^State:.T' "/proc/$rank/status" || fail "$what: a rank does not stop"
kill -s CONT $pid
until_true grep -q '^State:.S' "/proc/$rank/status" || fail "$what: a rank stays stopped"
kill $pid
ends_with 143
what="prestorun is killed"
start_two
kill -s KILL $pid
wait $pid 2>/dev/null
nothing_is_left
what="the agent is killed"
start_two
kill -s KILL "$agent"
ends_with 137
has err '^prestorun: host far is lost, and its ranks with it: .* signal 9 \(Killed\); ending the job$'
what="the agent's guard is killed"
start_two
# shellcheck disable=SC2046 # a list
kill -s KILL $(cat "/proc/$agent/task/$agent/children")
ends_with 137
has err '^prestorun: host far: the process that guards the ranks'
has err '^prestorun: host far is lost'

echo "prestorun on another host: $failures failures"
[ $failures -eq 0 ]
