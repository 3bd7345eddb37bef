#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Covers: hfm/presence.c, hfm/service.c, hfm/daemon/run.c, dnp/board/realtime.c, dnp/board/realtime.h.
# Four daemons while each core has four processes too many, without cards: no host is lost, although nobody is asked whether it lives.
# With APELINK_TEST_CARDS=yes each has a card, whose cables are UDP and which FUSE serves, with watchdogs and links as those by which
# docs/figures.md says how soon the master knows; no card is lost then, nor a link.
# What is neither a loss is counted: daemons and cards that have their real-time priority must not be late either, unless the machine
# itself withheld a core meanwhile, as a virtual one may, in one piece or in many, from threads of a higher such priority that do
# nothing but look at the clock. Takes the cores from all other tests for an hour (APELINK_TEST_LOAD_S: seconds), and so runs with
# APELINK_TEST_ALL=yes only.
set -u

board=${APELINK_BUILDDIR:?}/dnp/apelink-board
hfm=$APELINK_BUILDDIR/hfm/apelink-hfm
cards=${APELINK_TEST_CARDS-no}
[ -x "$hfm" ] || { echo "skipped: apelink-hfm was not built, for want of libevent"; exit 77; }
command -v python3 >/dev/null 2>&1 || { echo "skipped: no python3"; exit 77; }
[ "${APELINK_TEST_ALL-}" = yes ] || { echo "skipped: it takes the cores from other tests for an hour (APELINK_TEST_ALL=yes)"; exit 77; }
seconds=${APELINK_TEST_LOAD_S:-3600}
work=$(mktemp -d) || exit 1
pids=
# shellcheck disable=SC2086 # several words
end() {
    [ -z "$pids" ] || kill -9 $pids 2>/dev/null
    for node in 0 1 2 3; do
        umount -l "$work/d$node" 2>/dev/null
    done
    rm -rf "$work"
}
trap end EXIT
trap 'exit 1' HUP INT TERM
[ "$cards" != yes ] || [ "$(id -u)" -eq 0 ] || { echo "skipped: only root may serve a device"; exit 77; }

echo 0123456789abcdefFEDCBA9876543210 >"$work/key"
python3 - "$work" "$cards" <<'EOP'
import os, socket, sys
work, cards = sys.argv[1], sys.argv[2] == "yes"
s = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for i in range(4 * 5)]
for one in s: one.bind(("127.0.0.1", 0))
port = [one.getsockname()[1] for one in s]
nodes = "".join("node %d 127.0.0.1:%d n%d %s\n" % (node, port[node * 5 + 4], node, "" if node else "master") for node in range(4))
shape = "torus 2x2x1" if cards else "torus 4x1x1"
for node in range(4):
    with open("%s/conf%d" % (work, node), "w") as out:
        print("%s\nkey %s/key\nask 0\nlook 100\n%srecord %s/r%d\ncontrol %s/c%d" % (shape, work, nodes, work, node, work, node), file=out)
        if cards: print("device %s/d%d/apelink0\nwatchdog 5 10\nset link_timeout 20000" % (work, node), file=out)
    with open("%s/board%d" % (work, node), "w") as out:
        print("%s\nplace %d %d 0\nkey %s/key\nrealtime 1\ndevice %s/d%d\ncontrol %s/b%d" % (shape, node & 1, node >> 1, work, work, node, work, node), file=out)
        print("set link_credit %d" % (5000 // 35 << 16 | 35), file=out)
        for link, name in enumerate(("X+", "X-", "Y+", "Y-")):
            print("cable %s 127.0.0.1:%d 127.0.0.1:%d" % (name, port[node * 5 + link], port[(node ^ 1 << link // 2) * 5 + (link ^ 1)]), file=out)
    os.mkdir("%s/d%d" % (work, node))
EOP
if [ "$cards" = yes ]; then
    for node in 0 1 2 3; do
        "$board" "$work/board$node" 2>>"$work/log" &
        pids="$pids $!"
    done
    for node in 0 1 2 3; do
        until [ -e "$work/d$node/apelink0" ]; do
            if grep -q 'no FUSE passthrough\|only root may serve\|/dev/fuse' "$work/log"; then
                echo "skipped: $(cat "$work/log")"
                exit 77
            fi
            sleep 0.1
        done
    done
fi
for node in 0 1 2 3; do
    "$hfm" run --node $node "$work/conf$node" 2>>"$work/log" &
    pids="$pids $!"
done
works() { # all nodes are normal, and their cards work
    for node in 0 1 2 3; do
        "$hfm" status -c "$work/c$node" >"$work/said" 2>&1 && grep -q '^.*4 nodes normal' "$work/said" || return 1
        [ "$cards" != yes ] || "$hfm" status --json -c "$work/c$node" | grep -q '"card": "works"' || return 1
    done
}
for _ in $(seq 300); do
    works && break
    sleep 0.1
done
works || { echo "FAIL: the daemons do not begin: $(cat "$work/said" "$work/log")"; exit 1; }
sleep 1
before=$(grep -c '"event": "state"' "$work/r0")
daemons=$pids
# watch CPU: writes when that core was withheld for some 5 ms or more, in ns: from, to.
watch() { # in a process of its own, which is ended by its number
    exec python3 - "$1" <<'EOP'
import os, sys, time
os.sched_setaffinity(0, {int(sys.argv[1])})
os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))
while True:
    begin = time.monotonic_ns()
    time.sleep(0.001)
    end = time.monotonic_ns()
    if end - begin > 5000000:
        print(begin, end, flush=True)
EOP
}
for cpu in $(python3 -c 'import os; print(*os.sched_getaffinity(0))'); do
    watch "$cpu" >"$work/late$cpu" 2>>"$work/late_log" &
    pids="$pids $!"
done
for _ in $(seq $((4 * $(nproc)))); do
    python3 -c 'while True: pass' &
    pids="$pids $!"
done
sleep "$seconds"
for pid in $daemons; do
    kill -0 "$pid" || { echo "FAIL: a daemon or card has ended: $(cat "$work/log")"; exit 1; }
done
python3 - "$work/r0" "$before" "$seconds" "$cards" "$(grep -c 'no real-time priority' "$work/log")" "$work"/late[0-9]* <<'EOP'
import json, sys
events = [e for e in map(json.loads, open(sys.argv[1])) if e["event"] == "state"][int(sys.argv[2]):]
lost = [e for e in events if e["state"] == "lost"]
known = sys.argv[5] == "0"
watched = [[tuple(map(int, line.split())) for line in open(name)] for name in sys.argv[6:]]
withheld = [end - begin for core in watched for begin, end in core]
def machine(event):  # as much, in the time in which it became known, as a daemon, or a card (T_read - T_write), must not be late, and more
    at, most, silence = event["at_ns"], *((5000000, 100000000) if cards else (20000000, 150000000))
    return any(sum(end - begin for begin, end in core if begin < at < end + silence) > most for core in watched)
cards = sys.argv[4] == "yes"
if cards:  # what a card says of its host is taken at once, so that it is an alarm like others
    lost = [e for e in lost if not machine(e)]
alarms = [e for e in events if e["state_before"] == "normal" and e not in lost]
ours = [e for e in alarms if not machine(e)]
print("%s s, %s, cores overloaded four times, %s real-time priority: %d hosts lost, %d alarms besides, %d of them while the machine withheld "
      "a core (%d times, %.1f ms at most)" % (sys.argv[3], "four cards" if cards else "no cards", "with" if known else "without",
                                             len(lost), len(alarms), len(alarms) - len(ours), len(withheld), max(withheld, default=0) / 1e6))
for event in lost + ours:
    print("FAIL: %s" % event)
sys.exit(bool(lost) or (known and bool(ours)))
EOP
