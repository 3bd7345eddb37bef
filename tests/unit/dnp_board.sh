#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Covers: dnp/board/main.c, dnp/board/board.c, dnp/board/wire.c,
# dnp/board/wire_open.c, dnp/board/realtime.c, dnp/board/writer.c. A board between two cards of a test, over good and over bad cables; its
# state; strangers; what it says about configurations that cannot be used.
set -u

board=${APELINK_BUILDDIR:?}/dnp/apelink-board
ends=$APELINK_BUILDDIR/tests/unit/dnp_board_ends
src=${APELINK_SRCDIR:?}
[ -x "$board" ] || { echo "skipped: apelink-board was not built, for want of libevent"; exit 77; }
command -v python3 >/dev/null 2>&1 || { echo "skipped: no python3"; exit 77; }
work=$(mktemp -d) || exit 1
pid=
trap '[ -z "$pid" ] || kill "$pid" 2>/dev/null; rm -rf "$work"' EXIT
failures=0

fail() {
    echo "FAIL: $*"
    failures=$((failures + 1))
}

state() { # EXPRESSION: true of the JSON of the board, as s
    python3 - "$work/control" "$1" <<'EOP'
import json, socket, sys
c = socket.socket(socket.AF_UNIX)
c.connect(sys.argv[1])
text = b"".join(iter(lambda: c.recv(65536), b""))
s = json.loads(text)
if not eval(sys.argv[2]):
    print(text.decode())
    sys.exit(1)
EOP
}

echo 0123456789abcdefFEDCBA9876543210 >"$work/key"
echo 'board_temperature 45000' >"$work/sensors"
echo 61000 >"$work/temp1_input"

in_time() { # priority and memory of the board, or why it has them not
    python3 - "$pid" <<'EOP' >"$work/how"
import os, sys
pid = int(sys.argv[1])
if os.sched_getscheduler(pid) == os.SCHED_RR and os.sched_getparam(pid).sched_priority == 7: print("priority")
if any(line.startswith("VmLck:") and int(line.split()[1]) > 0 for line in open("/proc/%d/status" % pid)): print("memory")
threads = [int(t) for t in os.listdir("/proc/%d/task" % pid) if int(t) != pid]
if any(os.sched_getscheduler(t) != os.SCHED_OTHER for t in threads) or not threads: print("others")
EOP
    grep -q priority "$work/how" || grep -q 'apelink-board: no real-time priority 7: .*CAP_SYS_NICE, or set realtime 0' "$work/err" || fail "no real-time priority, and no word of it"
    grep -q memory "$work/how" || [ -n "${APELINK_SANITIZER-}" ] || grep -q 'apelink-board: its memory cannot be locked' "$work/err" || fail "no memory is locked, and no word of it"
    if grep -q others "$work/how"; then fail "threads for sensors and log have not the ordinary priority"; fi
}

run() { # good|lossy FAULTS [tcp|""] [SETTING]
    way=${3-}
    setting=${4-}
    ports=$(python3 -c 'import socket
s = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for i in range(4)]
for one in s: one.bind(("127.0.0.1", 0))
print(*[one.getsockname()[1] for one in s])')
    # shellcheck disable=SC2086 # four words
    set -- "$1" "$2" $ports
    cat >"$work/config" <<EOC
torus 4x1x1
place 1 0 0
key $work/key
cable X- $way 127.0.0.1:$4 127.0.0.1:$3 $2
cable X+ $way 127.0.0.1:$5 127.0.0.1:$6 $2
control $work/control
sensors $work/sensors
sensor core_temperature $work/temp1_input
fifo 1024
$setting
EOC
    "$board" "$work/config" 2>"$work/err" &
    pid=$!
    tries=0
    until [ -S "$work/control" ] || [ $tries -eq 150 ]; do
        tries=$((tries + 1))
        sleep 0.2
    done
    # shellcheck disable=SC2086 # a word or none
    "$ends" "$3" "$4" "$5" "$6" "$1" $way || fail "PUTs over $1 cables $way"
    state 's["registers"]["board_place"] == 1 and s["registers"]["sensor_board_temperature"] == 45000' || fail "registers"
    state 's["registers"]["sensor_core_temperature"] == 61000' || fail "a sensor of the host"
    state 's["registers"]["link_thresholds"] == 1024 | (1024 - 258) << 16' || fail "not all of a FIFO is used"
    state 's["registers"]["link_packets"][1] > 50 and s["registers"]["link_sent_packets"][0] > 50' || fail "packets"
    state 'all(s["cables"]["X-"][k] > 0 for k in ("good", "malformed", "stranger", "misplaced"))' || fail "strangers"
    state 's["cables"]["Y+"] is None and s["cables"]["X+"]["known"]' || fail "cables"
    grep -q 'the cable at X- leads to a card that says it is at 0 0 0' "$work/err" || fail "a misplaced card is not named"
    [ -z "$setting" ] || in_time
    kill "$pid"
    wait "$pid" || fail "the board ended with $?"
    pid=
    [ ! -e "$work/control" ] || fail "its socket is left behind"
}
run good '' tcp
run lossy 'lose 1000 corrupt 1000 delay 2000' tcp
run good ''
run lossy 'lose 1000 corrupt 1000 delay 2000'
run good '' '' 'realtime 7'

# Two cards whose FIFOs differ refuse each other, and both say so.
ports=$(python3 -c 'import socket
s = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for i in range(2)]
for one in s: one.bind(("127.0.0.1", 0))
print(*[one.getsockname()[1] for one in s])')
one=127.0.0.1:${ports% *}
two=127.0.0.1:${ports#* }
printf 'torus 4x1x1\nplace 1 0 0\nkey %s\nfifo 1024\ncable X+ %s %s\n' "$work/key" "$one" "$two" >"$work/small"
printf 'torus 4x1x1\nplace 2 0 0\nkey %s\nfifo 2048\ncable X- %s %s\n' "$work/key" "$two" "$one" >"$work/large"
"$board" "$work/small" 2>"$work/err" &
pid=$!
"$board" "$work/large" 2>"$work/err2" &
other=$!
tries=0
until { grep -q 'at X+ has FIFOs of 2048 words, and this one of 1024' "$work/err" &&
    grep -q 'at X- has FIFOs of 1024 words, and this one of 2048' "$work/err2"; } || [ $tries -eq 150 ]; do
    tries=$((tries + 1))
    sleep 0.2
done
[ $tries -lt 150 ] || { fail "FIFOs of two sizes"; cat "$work/err" "$work/err2"; }
kill "$pid" "$other"
wait "$pid" "$other"
pid=

# A board whose log nobody reads has something to say, and works on.
echo "control $work/control" >>"$work/small"
"$board" "$work/large" 2>"$work/err2" &
other=$!
python3 - "$board" "$work" <<'EOP' || fail "a log that nobody reads holds up the card"
import fcntl, json, os, socket, subprocess, sys, time
read, write = os.pipe2(os.O_CLOEXEC)
fcntl.fcntl(write, 1031, 4096)  # F_SETPIPE_SZ
os.set_blocking(write, False)
try:
    while True: os.write(write, b"x" * 4096)
except BlockingIOError: pass
try:
    while True: os.write(write, b"x")
except BlockingIOError: pass
os.set_blocking(write, True)
board = subprocess.Popen([sys.argv[1], sys.argv[2] + "/small"], stderr=write)
def refused():
    with socket.socket(socket.AF_UNIX) as s:
        s.settimeout(5)
        s.connect(sys.argv[2] + "/control")
        return json.loads(b"".join(iter(lambda: s.recv(65536), b"")))["cables"]["X+"]["misfit"]
status, seen = 1, []
for _ in range(150):
    try:
        seen.append(refused())
    except (ConnectionError, FileNotFoundError):
        pass
    except TimeoutError:
        break
    if len(set(seen)) > 3:
        status = 0
        break
    time.sleep(0.1)
os.read(read, 4096)  # it can end
board.terminate()
board.wait(20)
sys.exit(status)
EOP
kill "$other"
wait "$other"

# A cable that delays: the first credit comes no sooner.
sed "s|^fifo .*|control $work/control|; s|^cable .*|& delay 1000000|" "$work/small" >"$work/late"
sed '/^fifo/d' "$work/large" >"$work/early"
begun=$(date +%s%N)
"$board" "$work/early" 2>"$work/err2" &
other=$!
"$board" "$work/late" 2>"$work/err" &
pid=$!
tries=0
until state 's["registers"]["link_up"][0] == 1' >/dev/null 2>&1 || [ $tries -eq 150 ]; do
    tries=$((tries + 1))
    sleep 0.1
done
[ $tries -lt 150 ] || { fail "nothing comes by a cable that delays"; cat "$work/err" "$work/err2"; }
[ $(($(date +%s%N) - begun)) -ge 1000000000 ] || fail "a cable does not delay"
kill "$pid" "$other"
wait "$pid" "$other"
pid=

says() { # STATUS TEXT ARGUMENT...
    status=$1
    text=$2
    shift 2
    "$board" "$@" >"$work/out" 2>&1
    got=$?
    [ "$got" -eq "$status" ] || fail "apelink-board $*: exit status $got, wanted $status"
    grep -q -e "$text" "$work/out" || { fail "apelink-board $* does not say '$text' but:"; cat "$work/out"; }
}
says 0 'usage: apelink-board CONFIGURATION' --help
says 2 'one argument is wanted'
says 2 'one argument is wanted' --state
says 1 'No such file' "$work/none"
sed "s|^key .*|key $work/sensors|" "$work/config" >"$work/bad"
says 1 'is not a key of 32 hexadecimal digits' "$work/bad"
sed 's|^torus .*|torus 1x1x1|' "$work/config" >"$work/bad"
says 1 'the place is not in the torus' "$work/bad"
sed "s|^sensors .*|sensors $work/key|" "$work/config" >"$work/bad"
says 1 'names no sensor' "$work/bad"
sed "s|^sensor .*|sensor core_temperature $work/key|" "$work/config" >"$work/bad"
says 1 "$work/key of core_temperature: wanted is one number" "$work/bad"
sed 's|^cable X+ *[^ ]*|cable X+ 203.0.113.1:9|' "$work/config" >"$work/bad"
says 1 'the cable at X+ cannot have the address 203.0.113.1:9' "$work/bad"
sed 's|^cable X+ .*|cable X+ tcp 203.0.113.1:9 127.0.0.1:9|' "$work/config" >"$work/bad"
says 1 'the cable at X+ cannot have the address 203.0.113.1:9' "$work/bad"
if command -v mandoc >/dev/null 2>&1; then
    mandoc -T lint -W warning "$src/docs/man/apelink-board.1" || fail "remarks on docs/man/apelink-board.1"
fi
echo "$failures failures"
[ "$failures" -eq 0 ]
