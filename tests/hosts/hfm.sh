#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Covers: hfm/daemon/run.c, hfm/daemon/ask.c, hfm/daemon/network.c, hfm/daemon/control.c, hfm/node.c, hfm/node_take.c, hfm/node_master.c.
# apelink-hfm on hosts without cards: links cut and healed, hosts killed, daemons stopped; the next master takes over.
. "$(dirname "$0")/common.sh"
needs_hosts
. "$(dirname "$0")/hfm_common.sh"

expect 0 "$hosts" up -n 4
configure 4 3 'grace 3000' 'ping 20' 'hold 800'
for node in 0 1 2 3; do serve $node; done
for node in 0 1 2 3; do
    becomes $node 's["master"] == 0 and all(x["state"] == "normal" for x in n)' "it does not know the master"
done
expect 0 "$hfm" status -c "$work/c3"
says out "4 nodes normal, 0 sick, 0 broken, 0 lost"

# a link is cut: lost, on all that hear the master; it knows itself that its service network is broken
expect 0 "$hosts" cut h4
becomes 0 'n[3]["state"] == "lost" and "daemon silent" in n[3]["fault"]' "the master does not miss node 3"
becomes 2 'n[3]["state"] == "lost"' "node 2 has no news of node 3"
becomes 3 's["host"]["service_network"] == "broken" and s["exit"] == 3' "node 3 does not miss the masters"
expect 2 "$hfm" status -c "$work/c1"
says out "no ping heard by node 0 over the service network"
expect 3 "$hfm" acknowledge -c "$work/c1" 3
says out "ask on node 0"
expect 0 "$hfm" acknowledge -c "$work/c0" 3
becomes 1 'n[3]["acknowledged"] and s["exit"] == 0' "node 1 does not know of the acknowledgement"
expect 0 "$hosts" heal h4
becomes 0 'n[3]["state"] == "normal" and not n[3]["acknowledged"]' "node 3 is not heard again"
becomes 3 's["host"]["service_network"] == "normal" and s["exit"] == 0' "node 3 does not hear the masters again"

# a daemon is stopped for longer than the hold time and goes on; another is killed and begun again: their hosts answer, and are not lost
lost_events() {
    grep '"event": "state"' "$work/r1" | grep '"node": [23],' | grep -c '"state": "lost"'
}
before=$(lost_events)
signal 2 STOP
becomes 1 'n[2]["fault"] == "daemon silent" and n[2]["state"] == "broken"' "a daemon that is stopped is not missed"
sleep 2
signal 2 CONT
becomes 1 'n[2]["state"] == "normal"' "a daemon that goes on is not heard"
signal 3 KILL
becomes 2 'n[3]["fault"] == "daemon silent"' "a daemon that is killed is not missed"
sleep 1.5
rm -f "$work/c3"
serve 3
becomes 2 'n[3]["state"] == "normal"' "a daemon that was begun again is not heard"
[ "$(lost_events)" = "$before" ] || fail "a host is lost with its daemon: $(cat "$work/r1")"

# the master's host fails: the next one, which told the same; then it comes back, and does not take over
expect 0 "$hosts" kill h1
becomes 3 's["master"] == 1 and n[0]["state"] == "lost"' "node 1 does not take over"
becomes 2 's["master"] == 1 and n[0]["state"] == "lost" and n[3]["state"] == "normal"' "node 2 does not follow node 1"

# a daemon that is told to end is no failure
signal 3 TERM
becomes 2 'n[3]["fault"] == "daemon stopped" and n[3]["state"] == "sick"' "a daemon that ends is not known"

# a stranger with another key is refused
refused=$("$hfm" status --json -c "$work/c2" | sed -n 's/.*"refused": \([0-9]*\).*/\1/p')
[ "$refused" = 0 ] || fail "$refused messages of friends were refused"
echo 00000000000000000000000000000000 >"$work/other"
{ sed "s|^key .*|key $work/other|" "$work/conf"; echo "control $work/stranger"; } >"$work/confs"
"$hosts" exec h4 timeout 2 "$hfm" run "$work/confs" >"$work/lstranger" 2>&1
holds 2 's["messages"]["refused"] > 5 and n[3]["fault"] == "daemon stopped"' || fail "a stranger is heard"
finish "daemons without cards know what fails"
