#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# apelink-hosts: links are cut and healed, delayed, lossy; a host is killed. Counts and least times are asked for, with
# margins that no load of the machine can break.
. "$(dirname "$0")/common.sh"
needs_hosts

# ask HOST COUNT SECONDS: from h1; sets got, ms (the shortest time) and swapped.
ask() {
    "$hosts" exec h1 python3 "$here/udp.py" ask "$@" >"$work/out" || fail "udp.py ask $*"
    read -r got ms swapped <"$work/out"
}

expect 0 "$hosts" up -n 3
for host in h2 h3; do
    "$hosts" exec $host python3 "$here/udp.py" serve >"$work/$host" &
    until grep -qs ready "$work/$host"; do sleep 0.02; done
    ask $host 5 20
    [ "$got" = 5 ] || fail "$got of 5 datagrams came back from $host over a plain link"
done

expect 0 "$hosts" cut h2
ask h2 5 0.1
[ "$got" = 0 ] || fail "$got of 5 datagrams came back over a link that is cut"
ask h3 5 20
[ "$got" = 5 ] || fail "$got of 5 datagrams came back from h3, whose link is not cut"
expect 0 "$hosts" ls
says out ' cut '
expect 0 "$hosts" heal h2
ask h2 5 20
[ "$got" = 5 ] || fail "$got of 5 datagrams came back over a healed link"

expect 0 "$hosts" link h2 delay=40ms jitter=5ms
ask h2 5 20
{ [ "$got" = 5 ] && [ "$ms" -ge 70 ] && [ "$swapped" = 0 ]; } ||
    fail "delay of 40 ms each way, 5 ms jitter: $got of 5 came, the first after $ms ms, $swapped in other order"
expect 0 "$hosts" cut h2
ask h2 5 0.1
[ "$got" = 0 ] || fail "$got of 5 datagrams came back over a delayed link that is cut"
expect 0 "$hosts" link h2 delay=0ms jitter=20ms reorder=yes
ask h2 5 0.1
[ "$got" = 0 ] || fail "$got of 5 datagrams came back over a link that is cut still"
expect 0 "$hosts" heal h2
ask h2 50 20
{ [ "$got" = 50 ] && [ "$swapped" -ge 3 ]; } || fail "jitter with other order: $got of 50 came, $swapped in other order"

# 50 there and back, each way 80 %: 32 to be expected, deviation 3.4
expect 0 "$hosts" link h2 clear loss=20% seed=7
ask h2 50 0.3
{ [ "$got" -ge 12 ] && [ "$got" -le 46 ]; } || fail "loss of 20 % each way: $got of 50 came back"
expect 0 "$hosts" ls
says out 'loss=20%'
expect 0 "$hosts" link h2 loss=100%
ask h2 5 0.1
[ "$got" = 0 ] || fail "$got of 5 datagrams came back over a link that loses all"

# 5 datagrams of 43 bytes with their headers, at 16 kbit/s each way, one behind the other: 20 ms each, and more for the last
expect 0 "$hosts" link h2 clear rate=16K
ask h2 5 20
{ [ "$got" = 5 ] && [ "$ms" -ge 40 ]; } || fail "16 kbit/s: $got of 5 came, the first after $ms ms"
expect 125 "$hosts" link h2 clear los=1%
says err 'los=1%: there is no such property'
expect 125 "$hosts" cut h4
says err 'there is no host "h4"; the hosts are h1 to h3'
expect 0 "$hosts" link h2 clear
ask h2 50 20
[ "$got" = 50 ] || fail "$got of 50 datagrams came back over a link that is plain again"

# the command that runs there is told, and what comes later is refused
"$hosts" exec h3 sh -c 'echo started; sleep 1000' >"$work/started" 2>"$work/killed" &
command=$!
until grep -qs started "$work/started"; do sleep 0.02; done
expect 0 "$hosts" kill h3
wait $command
[ $? = 125 ] || fail "the command on a killed host has not failed"
says killed 'host h3 was killed'
ask h3 5 0.1
[ "$got" = 0 ] || fail "$got of 5 datagrams came back from a host that is no more"
expect 125 "$hosts" heal h3
says err 'h3 was killed'
expect 125 "$hosts" exec h3 true
expect 0 "$hosts" ls
says out ' killed '
ask h2 5 20
[ "$got" = 5 ] || fail "$got of 5 datagrams came back from h2 after h3 was killed"
finish "links do what they are told"
