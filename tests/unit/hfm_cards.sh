#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Covers: hfm/daemon/cables.c, hfm/daemon/card.c, hfm/daemon/main.c, hfm/daemon/notify.c, hfm/setup.c, hfm/watchdog.c, driver/client.c.
# Eight nodes, each a card with its cables and a daemon, in real time: the example of APEnet+ 2.1.3.6 (Figures 4 to 6) step by
# step, a card that stops, a node of which nothing works any more, an alarm of a sensor, a daemon that ends.
set -u

board=${APELINK_BUILDDIR:?}/dnp/apelink-board
hfm=$APELINK_BUILDDIR/hfm/apelink-hfm
{ [ -x "$board" ] && [ -x "$hfm" ]; } || { echo "skipped: the card and the daemon were not built, for want of libevent"; exit 77; }
[ "$(id -u)" -eq 0 ] || { echo "skipped: only root may serve a device"; exit 77; }
command -v python3 >/dev/null 2>&1 || { echo "skipped: no python3"; exit 77; }
work=$(mktemp -d) || exit 1
failures=0
pids=
board5='' board6='' daemon1='' daemon5='' daemon7='' # set below, by number
end() {
    for pid in $pids; do
        kill -CONT "$pid" 2>/dev/null
        kill "$pid" 2>/dev/null
    done
    wait
    for node in 0 1 2 3 4 5 6 7; do
        umount -l "$work/d$node" 2>/dev/null
    done
    rm -rf "$work"
}
trap end EXIT

fail() {
    echo "FAIL: $*"
    failures=$((failures + 1))
}

# Configurations of all boards and one of the daemons; nothing is known by silence alone.
echo 0123456789abcdefFEDCBA9876543210 >"$work/key"
python3 - "$work" <<'EOP'
import os, socket, sys
work = sys.argv[1]
socks = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for i in range(8 * 7)]
for s in socks: s.bind(("127.0.0.1", 0))
port = [s.getsockname()[1] for s in socks]
names = ["X+", "X-", "Y+", "Y-", "Z+", "Z-"]
for node in range(8):
    at = [node & 1, node >> 1 & 1, node >> 2]
    with open("%s/board%d" % (work, node), "w") as out:
        print("torus 2x2x2\nplace %d %d %d\nkey %s/key" % (*at, work), file=out)
        print("control %s/b%d\ndevice %s/d%d" % (work, node, work, node), file=out)
        if node == 4: print("set fault_emulation 0x4000", file=out)
        for link in range(6):
            there = node ^ 1 << link // 2
            print("cable %s 127.0.0.1:%d 127.0.0.1:%d" % (names[link], port[node * 7 + link], port[there * 7 + (link ^ 1)]), file=out)
    os.mkdir("%s/d%d" % (work, node))
with open(work + "/conf", "w") as out:
    print("torus 2x2x2\nkey %s/key\nwatchdog 20 40\nping 40\nsilent 300\ngone 1000\nlease 25\nask 0" % work, file=out)
    print("set link_timeout 2000000", file=out)
    for node in range(8):
        print("node %d 127.0.0.1:%d n%d %s" % (node, port[node * 7 + 6], node, "master" if node == 0 else ""), file=out)
EOP

for node in 0 1 2 3 4 5 6 7; do
    "$board" "$work/board$node" 2>"$work/be$node" &
    eval "board$node=$!"
    pids="$pids $!"
done
for node in 0 1 2 3 4 5 6 7; do
    until [ -e "$work/d$node/apelink0" ]; do
        if grep -q 'no FUSE passthrough\|only root may serve\|/dev/fuse' "$work/be$node"; then
            echo "skipped: $(cat "$work/be$node")"
            exit 77
        fi
        sleep 0.1
    done
    { cat "$work/conf"; echo "device $work/d$node/apelink0"; echo "control $work/c$node"; echo "record $work/r$node"; } >"$work/conf$node"
done

# Node 7's systemd is a socket.
python3 - "$work/notify" >"$work/notified" <<'EOP' &
import os, socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
s.settimeout(300)
while True:
    text = s.recv(4096).decode()
    print(text, flush=True)
    if text == "STOPPING=1": break
EOP
pids="$pids $!"
until [ -S "$work/notify" ]; do sleep 0.05; done
for node in 0 1 2 3 4 5 6 7; do
    if [ $node = 7 ]; then
        NOTIFY_SOCKET=$work/notify WATCHDOG_USEC=400000 "$hfm" run --node 7 "$work/conf7" 2>"$work/he7" &
    else
        "$hfm" run --node $node "$work/conf$node" 2>"$work/he$node" &
    fi
    eval "daemon$node=$!"
    pids="$pids $!"
done

holds() { # NODE EXPRESSION: true of its status, as s, and of its nodes, as n
    "$hfm" status --json -c "$work/c$1" >"$work/json" 2>&1
    python3 - "$work/json" "$2" <<'EOP'
import json, sys
try:
    s = json.load(open(sys.argv[1]))
except ValueError:
    sys.exit("no JSON: " + open(sys.argv[1]).read())
n = s["nodes"]
if not eval(sys.argv[2]):
    sys.exit("master %s, card %s, states %s" % (s["master"], s["card"], [(x["fault"], x.get("path")) for x in n]))
EOP
}

becomes() { # NODE EXPRESSION WHAT: within a minute
    for _ in $(seq 120); do
        holds "$1" "$2" 2>"$work/why" && return
        sleep 0.5
    done
    fail "node $1: $3: $(cat "$work/why")"
}

routes() { # NODE TABLE WHAT: what the card's router knows becomes this, within a minute
    for _ in $(seq 120); do
        python3 - "$work/b$1" "$2" >"$work/why" 2>&1 <<'EOP' && return
import json, socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1])
text = b"".join(iter(lambda: s.recv(65536), b""))
table = json.loads(text)["registers"]["route_reach"]
if table != eval(sys.argv[2]): sys.exit("route_reach %s" % table)
EOP
        sleep 0.5
    done
    fail "card $1: $3: $(cat "$work/why")"
}

# A: all are healthy, but for an alarm of the sensors of node 4, which its own daemon tells
for node in 0 1 2 3 4 5 6 7; do
    becomes $node 's["card"] == "works" and s["master"] == 0' "its card does not work"
done
becomes 0 'n[4]["fault"] == "temperature alarm" and all(x["state"] == "normal" for x in n if x["node"] != 4)' "the alarm is not known, or more is"
holds 0 'n[4]["state"] == "broken" and n[4]["via"] == 4 and "dnp_watchdog" in n[4]["path"]' || fail "the alarm became known by another way"
{ grep -q READY=1 "$work/notified" && grep -q WATCHDOG=1 "$work/notified"; } || fail "systemd does not hear of the daemon"

# B, C: the host of node 7 breaks down; its card tells its neighbours' cards, these their hosts, these the master
kill -STOP "$daemon7"
becomes 0 'n[7]["state"] == "lost" and "host lost" in n[7]["fault"] and n[7]["via"] in (3, 5, 6) and "remote_fault" in n[7]["path"]' \
    "the master does not know by a neighbour's card that host 7 is lost"
becomes 1 'n[7]["state"] == "lost"' "node 1 has no news of host 7"
holds 1 'sum(x["state"] != "normal" for x in n) == 2' || fail "more is known than what fails"
kill -CONT "$daemon7"
becomes 0 'n[7]["state"] == "normal"' "host 7 has come back, and the master does not know"

# a card stops: its host knows
kill -STOP "$board6"
becomes 0 'n[6]["state"] == "broken" and "card lost" in n[6]["fault"] and n[6]["via"] == 6' "the master does not know that card 6 has stopped"
kill -CONT "$board6"
becomes 0 'n[6]["state"] == "normal"' "card 6 goes on, and the master does not know"

# nothing of node 5 works any more: its neighbours' links and its silence together
kill -STOP "$daemon5" "$board5"
becomes 0 'n[5]["state"] == "lost" and "node gone" in n[5]["fault"] and "daemon silent" in n[5]["fault"]' "the master does not know that node 5 is gone"
becomes 0 '"link X+ broken" in n[4]["fault"]' "node 4 does not miss the credits of node 5"
routes 4 '[0x80000000, 0, 0]' "its router does not know which cables are broken"
routes 0 '[0, 0, 0]' "its router believes that cables are broken which are whole"
grep -q 'cables are broken at X+ of node 4 and at X- of node 4' "$work/he4" || fail "node 4 does not say which cables part its ring: $(cat "$work/he4")"
kill -CONT "$board5" "$daemon5"
becomes 0 'all(x["state"] == "normal" for x in n if x["node"] != 4)' "node 5 has come back, and the master does not know"
routes 4 '[0, 0, 0]' "its router goes on without cables that are whole again"

# a daemon that is told to end is no failure, and its card accuses nobody
kill -TERM "$daemon7"
wait "$daemon7" || fail "a daemon ended with $?"
becomes 0 'n[7]["fault"] == "daemon stopped"' "a daemon that was ended is taken for a failure"
grep -q STOPPING=1 "$work/notified" || fail "systemd does not hear that the daemon ends"

# what cannot be used is said
says() { # TEXT SETTING...
    text=$1
    shift
    { cat "$work/conf"; printf '%s\n' "$@"; } >"$work/bad"
    { ! "$hfm" check --node 1 "$work/bad" >"$work/out" 2>&1 && grep -qF -- "$text" "$work/out"; } || fail "no \"$text\": $(cat "$work/out")"
}
lines=$(wc -l <"$work/conf")
says "line $((lines + 1)): \"pong\" is no setting" pong
says "line $((lines + 2)): \"0\" is no number from 1 to 60000" 'align 5' 'ping 0'
says "is not a key of 32 hexadecimal digits; one is made by" "key $work/conf"
"$hfm" check --node 1 "$work/conf" >"$work/out" 2>&1 || fail "a good configuration is refused: $(cat "$work/out")"
sed 's/torus 2x2x2/torus 8x1x1/' "$work/conf1" >"$work/elsewhere"
kill -TERM "$daemon1"
wait "$daemon1"
timeout 2 "$hfm" run --node 1 "$work/elsewhere" >"$work/out" 2>&1
grep -q 'the card is at 1 0 0 of a torus of 2x2x2, where the configuration has node 1 at 1 0 0 of 8x1x1' "$work/out" || fail "a card of another torus is taken: $(cat "$work/out")"
"$hfm" status -c "$work/nobody" >"$work/out" 2>&1
{ [ $? = 3 ] && grep -q 'no daemon answers' "$work/out"; } || fail "a daemon that is not there: $(cat "$work/out")"

[ $failures -eq 0 ] || tail -n 5 "$work"/he*
echo "$failures failures"
[ "$failures" -eq 0 ]
