#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# apelink-hosts: nothing is left when the client, the switch or a host is killed, and nothing of others is touched.
# shellcheck disable=SC2016 # shells on the hosts expand these
. "$(dirname "$0")/common.sh"
needs_hosts

# A process of a set carries this in its environment, whatever becomes of its parents.
mark=APELINK_HOSTS_TEST=$$.$(date +%N)
export "${mark?}"

# marked: how many processes carry the mark; this shell does not, it was started without.
marked() {
    grep -lazF "$mark" /proc/[0-9]*/environ 2>/dev/null | wc -l
}

# gone WHAT: no process and no network namespace of the set is there any more, within 20 s.
gone() {
    for _ in $(seq 400); do
        left=$(($(marked) - before))
        readlink /proc/[0-9]*/ns/net >"$work/now"
        [ $left -le 0 ] && ! grep -qFf "$work/namespaces" "$work/now" && return
        sleep 0.05
    done
    fail "$1: $left processes are left, or namespaces: $(grep -Ff "$work/namespaces" "$work/now" | sort | uniq -c)"
}

# A bystander: another set, that has to live through all of this.
expect 0 "$hosts" up --name bystander -n 1
before=$(marked)
[ "$before" -ge 2 ] || fail "the test finds $before processes of a set of one host: it looks wrongly"

# begin: a set of two hosts, with a relay, and on each a process that ignores signals and has left its parents.
begin() {
    rm -f "$work/ready"
    "$hosts" run --name victim --link delay=1ms sh -c '
        echo; for host in h1 h2; do
            "$APELINK_HOSTS_TOOL" exec $host sh -c "readlink /proc/self/ns/net
                trap : HUP TERM INT; setsid sh -c \"trap : HUP TERM INT; while :; do sleep 100; done\" >/dev/null 2>&1 &"
        done; echo ready; sleep 1000' >"$work/ready" 2>"$work/err" &
    client=$!
    for _ in $(seq 400); do
        grep -qs ready "$work/ready" && break
        sleep 0.05
    done
    grep ^net: "$work/ready" >"$work/namespaces"
    [ "$(wc -l <"$work/namespaces")" = 2 ] || fail "the hosts of the set did not start: $(cat "$work/err")"
    [ "$(marked)" -ge $((before + 8)) ] || fail "only $(marked) processes are there"
}

# child PID: its only child.
child() {
    cat /proc/[0-9]*/status 2>/dev/null | awk -v parent="$1" '/^Pid:/ { pid = $2 } /^PPid:/ && $2 == parent { print pid }'
}

begin
kill -9 $client
wait $client 2>/dev/null
gone "the client was killed"
[ -e "$work/state/victim" ] || fail "what this test is about, a stale folder, is not there"
expect 0 "$hosts" ls
[ ! -e "$work/state/victim" ] || fail "the folder of a dead set was not taken away"

begin
kill -9 "$(child $client)"
wait $client
[ $? = 125 ] || fail "the client does not notice that the switch was killed"
gone "the switch was killed"
[ ! -e "$work/state/victim" ] || fail "the folder of a killed switch was not taken away"

begin
kill $client # to the command, which ends by it
wait $client
[ $? = 143 ] || fail "the client does not end as its command"
gone "the command was ended"

begin
expect 0 "$hosts" kill --name victim h2
expect 0 "$hosts" down --name victim
wait $client
[ $? = 125 ] || fail "the client does not notice that the set was taken down"
gone "the set was taken down"

# a name that a dead set has had is free, and its folder is not in the way
begin
kill -9 $client
wait $client 2>/dev/null
gone "the client was killed again"
expect 3 "$hosts" run --name victim sh -c 'exit 3'

expect 0 "$hosts" exec --name bystander h1 true
expect 0 "$hosts" ls
[ "$(grep -c 'host file' "$work/out")" = 1 ] || fail "there is more than the bystander: $(cat "$work/out")"
expect 0 "$hosts" down --name bystander
[ -z "$(ls "$work/state")" ] || fail "folders are left: $(ls "$work/state")"
finish "nothing is left behind"
