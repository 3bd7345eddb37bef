#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Covers: dnp/board/fuse.c, dnp/board/fuse_death.c, dnp/board/fuse_mount.c, dnp/board/fuse_wait.c, dnp/board/socket.c, driver/client.c, tools/info_board.c.
# Programs reach a card by its device: what they send comes back, what makes no sense is refused, who is killed leaves
# nothing behind, and programs hear of it when the card has gone.
set -u

board=${APELINK_BUILDDIR:?}/dnp/apelink-board
client=$APELINK_BUILDDIR/tests/unit/dnp_device_client
info=$APELINK_BUILDDIR/tools/apeni-info
[ -x "$board" ] || { echo "skipped: apelink-board was not built, for want of libevent"; exit 77; }
[ "$(id -u)" -eq 0 ] || { echo "skipped: only root may serve a device"; exit 77; }
command -v python3 >/dev/null 2>&1 || { echo "skipped: no python3"; exit 77; }
# ThreadSanitizer makes system calls of its own, and allows no memory where a program wants it: what is about these is not run.
case ${APELINK_SANITIZER-} in *thread*) plain= ;; *) plain=yes ;; esac
work=$(mktemp -d) || exit 1
chmod 755 "$work"
dir=$work/device
device=$dir/apelink0
pid=
held=
end() {
    # Numbers of those that have ended may be others' by now.
    for one in $held; do
        ! grep -q dnp_device "/proc/$one/cmdline" 2>/dev/null || kill -9 "$one"
    done
    [ -z "$pid" ] || kill "$pid" 2>/dev/null
    wait
    umount -l "$dir" 2>/dev/null
    rm -rf "$work"
}
trap end EXIT
failures=0

fail() {
    echo "FAIL: $*"
    failures=$((failures + 1))
}

until_true() { # COMMAND...: within 30 seconds
    tries=0
    until "$@" >/dev/null 2>&1; do
        tries=$((tries + 1))
        [ $tries -lt 300 ] || return 1
        sleep 0.1
    done
}

state() { # EXPRESSION: true of the registers of the board, as r
    python3 - "$work/control" "$1" <<'EOP'
import json, socket, sys
c = socket.socket(socket.AF_UNIX)
c.connect(sys.argv[1])
r = json.loads(b"".join(iter(lambda: c.recv(65536), b"")))["registers"]
sys.exit(not eval(sys.argv[2]))
EOP
}

start() { # MODE
    cat >"$work/config" <<EOC
torus 1x1x1
place 0 0 0
key $work/key
control $work/control
device $dir $1
EOC
    : >"$work/err"
    "$board" "$work/config" 2>"$work/err" &
    pid=$!
    tries=0
    until [ -e "$device" ] && [ -S "$work/control" ]; do
        tries=$((tries + 1))
        if grep -q 'no FUSE passthrough\|only root may serve\|/dev/fuse' "$work/err"; then
            wait "$pid"
            pid=
            echo "skipped: $(cat "$work/err")"
            exit 77
        fi
        if [ $tries -eq 300 ]; then
            fail "the board did not start: $(cat "$work/err")"
            exit 1
        fi
        sleep 0.1
    done
}

stop() { # SIGNAL
    kill "-$1" "$pid"
    wait "$pid"
    status=$?
    pid=
    return $status
}

hold() { # VERB NAME: a client in the background that is ready; its id is in $last
    "$client" "$1" "$device" >"$work/$2" 2>&1 &
    last=$!
    held="$held $last"
    until_true grep -q ready "$work/$2" || fail "$1 $2 does not begin: $(cat "$work/$2")"
}

echo 0123456789abcdefFEDCBA9876543210 >"$work/key"
mkdir "$dir"
start 666
[ "$(ls "$dir")" = apelink0 ] || fail "ls says $(ls "$dir")"
[ "$(stat -c %a "$device")" = 666 ] || fail "the mode is $(stat -c %a "$device")"
"$client" loop "$device" || fail "one program"
[ -z "$plain" ] || "$client" silent "$device" || fail "messages without system calls"
"$client" refused "$device" || fail "what is refused"
"${client%client}memory" changes "$device" || fail "memory that changes"
"${client%client}memory" limited "$device" || fail "no memory may be locked"
sed "s|^control .*|control $work/other|" "$work/config" >"$work/config2"
"$board" "$work/config2" >"$work/out" 2>&1 && fail "two boards serve $dir"
grep -q 'is there already' "$work/out" || fail "two boards: $(cat "$work/out")"

# What the card says of itself.
"$info" --board="$device" >"$work/info" || fail "apeni-info --board"
{ grep -q '^  place            0 0 0 of a torus of 1x1x1$' "$work/info" && grep -q '^  channels         4, of which 4 are free$' "$work/info" &&
    grep -q '^  board_place *0 (x 0, y 0, z 0)$' "$work/info"; } || fail "apeni-info --board says: $(cat "$work/info")"
"$info" --board="$device" --json | python3 -c 'import json, sys
b = json.load(sys.stdin)["board"]
r = b["registers"]
assert r["board_magic"] == 0x4e455041 and r["rx_bytes"] > 0 and len(r["link_up"]) == 6
assert b["torus"] == [1, 1, 1] and not b["kernel"] and "X+" in b["links"]' || fail "apeni-info --board --json"
"$info" --board="$work/none" >"$work/out" 2>&1 && fail "apeni-info --board of no device"
grep -q 'see whether apelink-board serves a device there' "$work/out" || fail "no device: $(cat "$work/out")"

APENI_LINKS=dev APENI_DEV_DEVICE=$device "$info" --links >"$work/info" || fail "apeni-info --links"
grep -q 'job.on.several.hosts.*dev (processes of hosts in one torus of APEnet+ cards)' "$work/info" || fail "apeni-info --links says: $(cat "$work/info")"

# perf WORD DEVICES: apeni-perf board over cards says this, with two rows of four values, of which only reading may be missing.
perf() {
    "$APELINK_BUILDDIR/tools/apeni-perf" board --devices "$2" -m 8,10000 -i 8 -R 1 >"$work/perf" 2>&1 || fail "apeni-perf board: $(cat "$work/perf")"
    { grep -q "$1" "$work/perf" && grep -q 'Register and deregister 1 MiB: [0-9.]* us of new memory' "$work/perf" &&
        grep -q 'below us' "$work/perf" && [ "$(grep -Ec '^ +(8|10000) +(-|[0-9.]+) +[0-9.]+ +[0-9.]+ +[0-9.]+$' "$work/perf")" -eq 2 ]; } ||
        fail "apeni-perf board says: $(cat "$work/perf")"
}
perf 'no axis without cables' "$device"

# Four at once, each with a channel of its own.
jobs=
while [ "$(echo "$jobs" | wc -w)" -lt 4 ]; do
    "$client" loop "$device" &
    jobs="$jobs $!"
done
for job in $jobs; do
    wait "$job" || fail "one of four programs"
done
until_true state 'r["event_ring_size"] == [0] * 4 and r["tx_ring_size"] == [0] * 4' || fail "channels are left behind"

# All channels are in use; who is killed in the middle of it leaves one, and no harm.
hold hold first
first=$last
hold hold second
hold idle third
third=$last
hold hold fourth
"$client" loop "$device" >"$work/out" 2>&1 && fail "five channels of four"
grep -q busy "$work/out" || fail "five channels: $(cat "$work/out")"
kill -9 "$first"
until_true "$client" loop "$device" || fail "after a program was killed"
kill -9 "$third"
until_true state 'r["event_ring_size"].count(0) == 2' || fail "a program that slept was killed"
"$client" loop "$device" || fail "after another was killed"
[ "$(cat "$work/second" "$work/fourth" | tr '\n' ' ')" = 'ready ready ' ] || fail "the others: $(cat "$work/second" "$work/fourth")"

# A child that has the file open does not keep the channel of a process that was killed.
hold orphan orphan
child=$(sed -n 's/^child //p' "$work/orphan")
held="$held $child"
state 'r["event_ring_size"].count(0) == 1' || fail "three programs do not have three channels"
kill -9 "$last"
until_true state 'r["event_ring_size"].count(0) == 2' || fail "a child keeps its dead parent's channel"
until_true grep -q 'the channel has ended' "$work/orphan" || fail "a child does not hear that the channel has ended"
"$client" loop "$device" || fail "after the parent of a child was killed"
kill -9 "$child"

# The card goes: programs hear of it, and do not hang.
stop TERM || fail "the board ended with $status"
until_true grep -q 'the card has gone' "$work/second" || fail "the card has gone, but: $(cat "$work/second")"
until_true grep -q 'the card has gone' "$work/fourth" || fail "the card has gone, but: $(cat "$work/fourth")"
[ -z "$(ls "$dir")" ] || fail "the device is still mounted"

# A board that was killed leaves a dead mount, which the next one removes. Only its users may open this one.
start 600
hold hold fifth
stop KILL
until_true grep -q 'the card has gone' "$work/fifth" || fail "the card was killed, but: $(cat "$work/fifth")"
rm -f "$work/control"
start 600
"$client" loop "$device" || fail "after the board was killed"
[ "$("$client" open "$device" 65534)" = 'Permission denied' ] || fail "mode 600 lets others in"
stop TERM || fail "the board ended with $status"
start 666
[ "$("$client" open "$device" 65534)" = opened ] || fail "mode 666 does not let others in, or to registers"
stop TERM || fail "the board ended with $status"

# Two cards with a cable, each with a device.
ports=$(python3 -c 'import socket
s = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for i in range(2)]
for one in s: one.bind(("127.0.0.1", 0))
print(*[one.getsockname()[1] for one in s])')
mkdir "$work/device0" "$work/device1"
pids=
for x in 0 1; do
    # shellcheck disable=SC2086 # two words
    set -- $ports
    [ $x = 0 ] && cable="X+ 127.0.0.1:$1 127.0.0.1:$2" || cable="X- 127.0.0.1:$2 127.0.0.1:$1"
    printf 'torus 3x2x1\nplace %d 0 0\nkey %s\ncable %s\ncontrol %s\ndevice %s\n' \
        $x "$work/key" "$cable" "$work/control$x" "$work/device$x" >"$work/config$x"
    "$board" "$work/config$x" &
    pids="$pids $!"
done
held="$held $pids"
until_true ls "$work/device0/apelink0" "$work/device1/apelink0" || fail "no two boards"
link_up() {
    python3 - "$work/control0" "$work/control1" <<'EOP'
import json, socket, sys
for path, link in zip(sys.argv[1:], (0, 1)):
    c = socket.socket(socket.AF_UNIX)
    c.connect(path)
    if json.loads(b"".join(iter(lambda: c.recv(65536), b"")))["registers"]["link_up"][link] != 1:
        sys.exit(1)
EOP
}
until_true link_up || fail "the cable is not up"
"$client" cross "$work/device0/apelink0" "$work/device1/apelink0" || fail "between two cards"
perf 'The card at 0 0 0 to that at 1 0 0' "$work/device0/apelink0,$work/device1/apelink0"
grep -q '^ *8 *[0-9]' "$work/perf" || fail "reading alone is not measured: $(cat "$work/perf")"
[ -z "$plain" ] || {
    "${client%client}pair" "$work/device0/apelink0" &
    last=$!
    held="$held $last"
    "${client%client}pair" "$work/device1/apelink0" || fail "between two programs, at 1 0 0"
    wait "$last" || fail "between two programs, at 0 0 0"
}
for one in $pids; do
    kill "$one"
    wait "$one" || fail "one of two boards ended with $?"
done

says() { # TEXT DEVICE...: a board with this device does not start and says why
    text=$1
    shift
    sed "s|^device .*|device $*|" "$work/config" >"$work/bad"
    "$board" "$work/bad" >"$work/out" 2>&1 && fail "device $* is accepted"
    grep -q -e "$text" "$work/out" || fail "device $*: no '$text' but: $(cat "$work/out")"
}
says 'No such file' "$work/none"
says 'is no directory' "$work/key"
echo "$failures failures"
[ "$failures" -eq 0 ]
