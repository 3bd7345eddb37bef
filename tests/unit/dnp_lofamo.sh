#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Covers: dnp/board/board.c, dnp/board/config.c, dnp/lofamo/manager.c. A ring of three boards: the first has a host that
# writes nothing, the third a broken core, which is emulated; what each knows of the others; then the first stops, and goes on.
set -u

board=${APELINK_BUILDDIR:?}/dnp/apelink-board
[ -x "$board" ] || { echo "skipped: apelink-board was not built, for want of libevent"; exit 77; }
command -v python3 >/dev/null 2>&1 || { echo "skipped: no python3"; exit 77; }
work=$(mktemp -d) || exit 1
pids=
end() {
    for pid in $pids; do
        kill -CONT "$pid" 2>/dev/null
        kill "$pid" 2>/dev/null
    done
    wait
    rm -rf "$work"
}
trap end EXIT
failures=0

fail() {
    echo "FAIL: $*"
    failures=$((failures + 1))
}

state() { # BOARD EXPRESSION: true of its registers, as r
    python3 - "$work/control$1" "$2" <<'EOP'
import json, socket, sys
c = socket.socket(socket.AF_UNIX)
c.connect(sys.argv[1])
r = json.loads(b"".join(iter(lambda: c.recv(65536), b"")))["registers"]
if not eval(sys.argv[2]):
    print({k: v for k, v in r.items() if "fault" in k or "watchdog" in k or "link_up" in k})
    sys.exit(1)
EOP
}

becomes() { # BOARD EXPRESSION WHAT: within a minute
    tries=0
    until state "$1" "$2" >"$work/out" 2>&1; do
        tries=$((tries + 1))
        if [ $tries -eq 300 ]; then
            fail "$3"
            cat "$work/out"
            return
        fi
        sleep 0.2
    done
}

echo 0123456789abcdefFEDCBA9876543210 >"$work/key"
ports=$(python3 -c 'import socket
s = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for i in range(6)]
for one in s: one.bind(("127.0.0.1", 0))
print(*[one.getsockname()[1] for one in s])')

# Cards 0, 1 and 2 have ports 1 - 2, 3 - 4 and 5 - 6, that of X- first. Links along Y and Z, which have no cables, are masked.
port() { # NUMBER
    echo "$ports" | cut -d ' ' -f "$1"
}
start() { # X SETTING...
    x=$1
    shift
    cat >"$work/config$x" <<EOC
torus 3x1x1
place $x 0 0
key $work/key
cable X- 127.0.0.1:$(port $((2 * x + 1))) 127.0.0.1:$(port $((2 * ((x + 2) % 3) + 2)))
cable X+ 127.0.0.1:$(port $((2 * x + 2))) 127.0.0.1:$(port $((2 * ((x + 1) % 3) + 1)))
control $work/control$x
set link_timeout 2000000
$(printf 'set %s\n' "$@")
set fault_mask 0x7f8001
EOC
    "$board" "$work/config$x" 2>"$work/err$x" &
    pids="$pids $!"
}
start 0 'fault_timer 0x00080005'
start 1 'fault_timer 0x00000005'
start 2 'fault_timer 0x00000005' 'fault_emulation 0x100'

becomes 0 'r["dnp_watchdog"] & 1 and r["dnp_watchdog"] >> 7 & 3 == 0' "card 0 does not write its register"
becomes 1 'r["remote_fault"][1] == 0x8000002a' "card 1 does not know that the host of 0 is lost"
becomes 2 'r["remote_fault"][0] == 0x8000002a' "card 2 does not know that the host of 0 is lost"
becomes 1 'r["dnp_watchdog"] >> 1 & 0x3f == 0x10' "card 1 does not name X- as the neighbour that fails"
becomes 2 'r["dnp_watchdog"] >> 7 & 3 == 2' "the emulated fault of card 2 is not shown"
state 1 'r["remote_fault"][0] == 0' || fail "card 2 told of a fault that its host can tell"
for x in 0 1 2; do
    becomes $x 'r["dnp_watchdog"] >> 31 == 0' "messages of card $x are not sent"
    state $x 'sum(r["link_sent_words"]) == 0' || fail "card $x sent packets"
done

first=${pids# }
first=${first%% *}
kill -STOP "$first"
becomes 1 'r["dnp_watchdog"] >> 23 & 3 == 2 and r["link_up"][1] == 0' "card 1 does not know that card 0 is silent"
becomes 2 'r["dnp_watchdog"] >> 25 & 3 == 2 and r["link_up"][0] == 0' "card 2 does not know that card 0 is silent"
kill -CONT "$first"
becomes 1 'r["link_up"][1] == 1' "card 1 does not know that card 0 has come back"
state 0 'r["dnp_watchdog"] >> 23 & 0xf == 0 and r["link_up"][:2] == [1, 1]' || fail "card 0 says that links are broken which it was not there to hear"
for pid in $pids; do
    kill "$pid"
    wait "$pid" || fail "a board ended with $?"
done
pids=
cat "$work"/err*
echo "$failures failures"
[ "$failures" -eq 0 ]
