#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Covers: hfm/presence.c, hfm/daemon/run.c, dnp/board/realtime.c, dnp/board/realtime.h.
# Four daemons without cards while each core has four processes too many: no host is lost, although nobody is asked whether it lives.
# Silences are counted: daemons that have their real-time priority must not be silent either, unless the machine itself withheld
# a core meanwhile, as a virtual one may, in one piece or in many, from threads of a higher such priority that do nothing but look at the clock. Takes the cores from all other
# tests for an hour (APELINK_TEST_LOAD_S: seconds), and so runs with APELINK_TEST_ALL=yes only.
set -u

hfm=${APELINK_BUILDDIR:?}/hfm/apelink-hfm
[ -x "$hfm" ] || { echo "skipped: apelink-hfm was not built, for want of libevent"; exit 77; }
command -v python3 >/dev/null 2>&1 || { echo "skipped: no python3"; exit 77; }
[ "${APELINK_TEST_ALL-}" = yes ] || { echo "skipped: it takes the cores from other tests for an hour (APELINK_TEST_ALL=yes)"; exit 77; }
seconds=${APELINK_TEST_LOAD_S:-3600}
work=$(mktemp -d) || exit 1
pids=
trap '[ -z "$pids" ] || kill -9 $pids 2>/dev/null; rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

echo 0123456789abcdefFEDCBA9876543210 >"$work/key"
{
    printf 'torus 4x1x1\nkey %s/key\nask 0\nlook 100\n' "$work"
    python3 -c 'import socket
s = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for i in range(4)]
for node, one in enumerate(s):
    one.bind(("127.0.0.1", 0))
    print("node %d 127.0.0.1:%d n%d %s" % (node, one.getsockname()[1], node, "" if node else "master"))'
} >"$work/conf"
for node in 0 1 2 3; do
    { cat "$work/conf"; echo "record $work/r$node"; echo "control $work/c$node"; } >"$work/conf$node"
    "$hfm" run --node $node "$work/conf$node" 2>>"$work/log" &
    pids="$pids $!"
done
for _ in $(seq 300); do
    "$hfm" status -c "$work/c3" >"$work/said" 2>&1 && grep -q '^.*4 nodes normal' "$work/said" && break
    sleep 0.1
done
grep -q '4 nodes normal' "$work/said" || { echo "FAIL: the daemons do not begin: $(cat "$work/said" "$work/log")"; exit 1; }
before=$(grep -c '"event": "state"' "$work/r0")
daemons=$pids
# watch CPU: writes when that core was withheld for more than 5 ms, in ns: from, to.
watch() { # in a process of its own, which is ended by its number
    exec python3 - "$1" <<'EOP'
import os, sys, time
os.sched_setaffinity(0, {int(sys.argv[1])})
os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))
while True:
    begin = time.monotonic_ns()
    time.sleep(0.002)
    end = time.monotonic_ns()
    if end - begin > 7000000:
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
for node in 0 1 2 3; do
    kill -0 "$(echo "$daemons" | cut -d' ' -f$((node + 2)))" || { echo "FAIL: the daemon of node $node has ended: $(cat "$work/log")"; exit 1; }
done
python3 - "$work/r0" "$before" "$seconds" "$(grep -c 'no real-time priority' "$work/log")" "$work"/late[0-9]* <<'EOP'
import json, sys
events = [e for e in map(json.loads, open(sys.argv[1])) if e["event"] == "state"][int(sys.argv[2]):]
lost = [e for e in events if e["state"] == "lost"]
known = sys.argv[4] == "0"
watched = [[tuple(map(int, line.split())) for line in open(name)] for name in sys.argv[5:]]
withheld = [end - begin for core in watched for begin, end in core]
def machine(event):  # as much in the time of a silence as a daemon must not be late, and more
    at, most, silence = event["at_ns"], 20000000, 150000000
    return any(sum(end - begin for begin, end in core if begin < at < end + silence) > most for core in watched)
alarms = [e for e in events if e["state_before"] == "normal" and e not in lost]
ours = [e for e in alarms if not machine(e)]
print("%s s, cores overloaded four times, %s real-time priority: %d hosts lost, %d alarms besides, %d of them while the machine withheld "
      "a core (%d times, %.1f ms at most)" % (sys.argv[3], "with" if known else "without", len(lost), len(alarms), len(alarms) - len(ours),
                                             len(withheld), max(withheld, default=0) / 1e6))
for event in lost + ours:
    print("FAIL: %s" % event)
sys.exit(bool(lost) or (known and bool(ours)))
EOP
