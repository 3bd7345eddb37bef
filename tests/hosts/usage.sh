#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# apelink-hosts: help, bad input, exit statuses; what differs between hosts, and what they know of each other.
# shellcheck disable=SC2016 # shells on the hosts expand these
. "$(dirname "$0")/common.sh"

expect 0 "$hosts" --help
says out 'usage: apelink-hosts'
expect 0 "$hosts" run --version
says out 'apelink-hosts '
expect 125 "$hosts" rum true
says err 'unknown command "rum"'
expect 125 "$hosts" run -n 2 --nonsense true
says err '"--nonsense"'
expect 125 "$hosts" run -n 65 true
says err '"65": a number from 1 to 64 is wanted'
expect 125 "$hosts" run -n 2x true
says err '"2x"'
expect 125 "$hosts" up --name 'a b'
says err '--name "a b": lower case letters'
expect 125 "$hosts" up --link delay=10
says err '"delay=10": a time of up to 60s is wanted'
expect 125 "$hosts" up --link delay=1ms,loss=101%
says err '"loss=101%": a share'
expect 125 "$hosts" up --link rat=1M
says err 'known: delay='
expect 125 "$hosts" exec -n 2 h1 true
says err '-n ("2") is for run and up'
expect 125 "$hosts"
says err 'a command is wanted'
expect 125 "$hosts" --name one
says err 'a command is wanted'
if [ -w /dev/full ]; then
    "$hosts" --help >/dev/full 2>"$work/err"
    [ $? -eq 125 ] || fail "it does not notice that it cannot write"
    says err 'cannot write to standard output: No space left on device'
fi

if [ "$(id -u)" != 0 ]; then
    expect 125 "$hosts" run true
    says err 'needs root'
fi
if command -v mandoc >/dev/null 2>&1; then
    mandoc -T lint -W warning "${APELINK_SRCDIR:-.}/docs/man/apelink-hosts.1" || fail "remarks on the manual page"
fi
[ $failures -eq 0 ] || exit 1
needs_hosts

expect 125 "$hosts" run
says err 'a command is wanted'
expect 125 "$hosts" cut h1
says err 'there are no hosts'
expect 125 env APELINK_HOSTS_DIR=relative "$hosts" up
says err 'relative'

# what is particular to a host
expect 0 "$hosts" up --name one -n 3 -s 4 --prefix node
expect 125 "$hosts" up --name one
says err '"one" is in use'
: >"/dev/shm/apelink-hosts-test-$$"
for host in node1 node2 node3; do
    expect 0 "$hosts" exec $host sh -c 'hostname; echo $APELINK_HOST; for n in net uts mnt ipc pid; do
        readlink /proc/self/ns/$n; done; cat /proc/sys/kernel/random/boot_id'
    cat "$work/out" >>"$work/all"
    expect 0 "$hosts" exec $host sh -c 'ls /dev/shm "$TMPDIR"; : >/dev/shm/mine; : >"$TMPDIR"/mine'
    ! grep -qE "mine|apelink-hosts-test" "$work/out" || fail "$host sees files of others"
done
rm -f "/dev/shm/apelink-hosts-test-$$"
for host in node1 node2 node3; do
    [ "$(grep -cx $host "$work/all")" = 2 ] || fail "$host does not have its name"
    expect 0 "$hosts" exec node1 getent hosts $host
    says out 10.77.0.
done
[ "$(grep -v ^node "$work/all" | sort | uniq -d)" = "" ] || fail "hosts share something: $(sort "$work/all")"
expect 0 "$hosts" exec node2 cat @HOSTFILE@
says out 'node3 slots=4'

# a command: status, input, output, environment, signals, folder
expect 7 "$hosts" exec node2 sh -c 'exit 7'
expect 143 "$hosts" exec node2 sh -c 'kill $$'
expect 127 "$hosts" exec node2 nothing-of-this-name
expect 126 "$hosts" exec node2 /etc/hosts
expect 125 "$hosts" exec node4 true
says err '"node4"'
[ "$(echo input | VALUE=value "$hosts" exec node3 -- sh -c 'cat; echo $VALUE; pwd' | tr '\n' ' ')" = \
    "input value $(pwd) " ] || fail "input, environment or folder do not get to the command"
"$hosts" exec node1 sh -c 'trap "echo told; exit 3" TERM; echo ready; while :; do sleep 0.05; done' >"$work/told" &
command=$!
until grep -qs ready "$work/told"; do sleep 0.02; done
kill $command
wait $command
status=$?
{ [ $status = 3 ] && grep -q told "$work/told"; } || fail "a signal does not get to the command: $status"

# Without standard input, output and error, which what it opens must not take the place of.
for gone in '<&-' '>&-' '2>&-' '<&- >&- 2>&-'; do
    (eval "'$hosts' run -n 1 sh -c 'cat; echo out; echo error >&2; exit 4' $gone") </dev/null >"$work/out" 2>"$work/err"
    status=$?
    [ $status = 4 ] || fail "run without $gone: exit status $status"
done

# What stays keeps nothing of what up was started with: readers of its output see the end.
for link in '' '--link delay=1ms'; do
    # shellcheck disable=SC2086 # no option, or one with its value
    { "$hosts" up --name piped -n 2 $link 2>&1 || echo "exit status $?"; } </dev/null | timeout -k 10 120 cat >"$work/out" || fail "up $link: its output does not end"
    [ "$(cat "$work/out")" = piped ] || fail "up $link: prints $(cat "$work/out")"
    expect 0 "$hosts" exec --name piped h2 true
    expect 0 "$hosts" down --name piped
done

# two sets at a time, and a command without a set's name
expect 0 "$hosts" up --name two -n 1
expect 125 "$hosts" exec h1 true
says err '--name'
expect 0 "$hosts" exec --name two h1 true
expect 125 "$hosts" ls one
says err 'unexpected argument "one"'
expect 125 "$hosts" down one
says err '--name names a set'
if [ -w /dev/full ]; then
    "$hosts" ls >/dev/full 2>"$work/err"
    [ $? -eq 125 ] || fail "ls does not notice that it cannot write"
fi
expect 0 "$hosts" ls
says out 'one: host file'
says out 'two: host file'
expect 0 "$hosts" down --name two
expect 0 "$hosts" exec node3 true
expect 0 "$hosts" down
expect 0 "$hosts" ls
says out 'there are no hosts'
expect 5 "$hosts" run -n 1 sh -c '[ $(hostname) = h1 ] && exit 5'
finish "hosts are apart and know each other"
