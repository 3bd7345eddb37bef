# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# For scripts that need cards: sourced, it starts boards whose devices programs of this host use.

board=${APELINK_BUILDDIR:?}/dnp/apelink-board
[ -x "$board" ] || { echo "skipped: apelink-board was not built, for want of libevent"; exit 77; }
[ "$(id -u)" -eq 0 ] || { echo "skipped: only root may serve a device"; exit 77; }
command -v python3 >/dev/null 2>&1 || { echo "skipped: no python3"; exit 77; }
[ -n "${work-}" ] || work=$(mktemp -d) || exit 1
boards=
relay=
failures=0

fail() {
    echo "FAIL: $*"
    failures=$((failures + 1))
}

# end_boards [SIGNAL]
end_boards() {
    for one in $boards $relay; do
        kill "-${1:-TERM}" "$one" 2>/dev/null
        wait "$one" 2>/dev/null
    done
    boards=
    relay=
    for one in $devices; do
        umount -l "${one%/*}" 2>/dev/null
    done
    devices=
}

clean() {
    end_boards KILL
    rm -rf "$work"
}
trap clean EXIT
trap 'exit 1' INT TERM

until_true() { # COMMAND...: within 30 seconds
    tries=0
    until "$@" >/dev/null 2>&1; do
        tries=$((tries + 1))
        [ $tries -lt 300 ] || return 1
        sleep 0.1
    done
}

free_ports() { # COUNT
    python3 - "$1" <<'EOP'
import socket, sys
s = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for i in range(int(sys.argv[1]))]
for one in s: one.bind(("127.0.0.1", 0))
print(*[one.getsockname()[1] for one in s])
EOP
}

# relay_ports PORT...: of each pair the second gets what comes for the first, from where the boards expect each other: of the
# four ports of a cable the first two are the boards', and the others those to which they send. SIGUSR1: what comes in the
# next second is lost.
relay_ports() {
    exec python3 - "$@" <<'EOP'
import select, signal, socket, sys, time
p = list(map(int, sys.argv[1:]))
to = {}
lost = 0
def lose(*_):
    global lost
    lost = time.monotonic() + 1
signal.signal(signal.SIGUSR1, lose)
for here, there, sent_here, sent_there in zip(*[iter(p)] * 4):
    for at, target in ((sent_here, there), (sent_there, here)):
        s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        s.bind(("127.0.0.1", at))
        s.setblocking(False)
        to[s] = ("127.0.0.1", target)
while True:
    for s in select.select(list(to), [], [])[0]:
        for _ in range(64):
            try:
                data = s.recv(65536)
            except OSError:
                break
            if time.monotonic() < lost:
                continue
            try:
                s.sendto(data, to[s])
            except OSError:
                pass
EOP
}

# state CARD EXPRESSION: true of the registers of a card, as r
state() {
    python3 - "$work/control$1" "$2" <<'EOP'
import json, socket, sys
c = socket.socket(socket.AF_UNIX)
c.connect(sys.argv[1])
r = json.loads(b"".join(iter(lambda: c.recv(65536), b"")))["registers"]
sys.exit(not eval(sys.argv[2]))
EOP
}

is_impossible() { # CARD
    grep -q 'no FUSE passthrough\|only root may serve\|/dev/fuse' "$work/err$1"
}

has_started() { # CARD: or cannot
    is_impossible "$1" || { [ -e "$work/device$1/apelink0" ] && [ -S "$work/control$1" ]; }
}

links_up() { # COUNT LINKS: of each card so many links, at least
    card=0
    while [ "$card" -lt "$1" ]; do
        state $card "sum(r['link_up']) >= $2" || return 1
        card=$((card + 1))
    done
}

# start_card CARD: the board of $work/config$1; adds its device to $devices.
start_card() {
    rm -f "$work/control$1"
    mkdir -p "$work/device$1"
    [ -f "$work/key" ] || echo 0123456789abcdefFEDCBA9876543210 >"$work/key"
    printf 'key %s\ncontrol %s\ndevice %s 666\n' "$work/key" "$work/control$1" "$work/device$1" >>"$work/config$1"
    "$board" "$work/config$1" 2>"$work/err$1" &
    boards="$boards $!"
    devices="$devices${devices:+ }$work/device$1/apelink0"
}

# await_cards COUNT LINKS: until all have started, and have so many links each.
await_cards() {
    card=0
    while [ "$card" -lt "$1" ]; do
        started=yes
        until_true has_started "$card" || started=no
        if is_impossible "$card"; then
            echo "skipped: $(cat "$work/err$card")"
            exit 77
        fi
        if [ $started = no ]; then
            echo "FAIL: a board did not start: $(cat "$work/err$card")"
            exit 1
        fi
        card=$((card + 1))
    done
    until_true links_up "$1" "$2" || fail "cables are not up"
}

# start_square: four cards, card n at n % 2, n / 2 of a torus of 2x2, with cables of memory.
start_square() {
    devices=
    for card in 0 1 2 3; do
        printf 'torus 2x2x1\nplace %d %d 0\n' $((card % 2)) $((card / 2)) >"$work/config$card"
        printf 'cable %s memory %s\n' X+ "$work/x$card" X- "$work/x$((card ^ 1))" Y+ "$work/y$card" \
            Y- "$work/y$((card ^ 2))" >>"$work/config$card"
        start_card $card
    done
    await_cards 4 4
}

# start_boards COUNT [FAULTS [relayed|apart|memory|tcp]]: so many cards in a ring, or one alone; FAULTS of all cables are as in
# a configuration; with `relayed` the process $relay is the cables, with `apart` each is one of the processes $relay, that from
# card 0 to 1 first; with `memory` files are, with `tcp` they go by TCP.
# Names their devices in $devices.
start_boards() {
    count=$1
    faults=${2-}
    # Four ports for each cable: its ends', and those to which they send.
    ports=$(free_ports $((4 * count)))
    if [ "${3-}" = relayed ]; then
        # shellcheck disable=SC2086 # numbers
        relay_ports $ports &
        relay=$!
    elif [ "${3-}" = apart ]; then
        # shellcheck disable=SC2086 # numbers
        set -- "$count" "$faults" apart $ports
        while [ $# -gt 3 ]; do
            relay_ports "$4" "$5" "$6" "$7" &
            relay="$relay${relay:+ }$!"
            shift 7
            set -- "$count" "$faults" apart "$@"
        done
    fi
    devices=
    card=0
    while [ "$card" -lt "$count" ]; do
        {
            printf 'torus %dx1x1\nplace %d 0 0\n' "$count" "$card"
            if [ "$count" -gt 1 ]; then
                # Cable number n is from X+ of card n to X- of the next; its ports are 4n to 4n + 3 of the list.
                before=$(((card + count - 1) % count))
                [ "${3-}" = memory ] && printf 'cable X+ memory %s %s\ncable X- memory %s %s\n' "$work/cable$card" "$faults" \
                    "$work/cable$before" "$faults"
                [ "${3-}" = memory ] || echo "$ports" | awk -v c=$card -v b=$before -v f="$faults" -v r="$relay" \
                    -v w="$([ "${3-}" != tcp ] || echo tcp)" '{
                    printf "cable X+ %s 127.0.0.1:%s 127.0.0.1:%s %s\n", w, $(4 * c + 1), r ? $(4 * c + 3) : $(4 * c + 2), f
                    printf "cable X- %s 127.0.0.1:%s 127.0.0.1:%s %s\n", w, $(4 * b + 2), r ? $(4 * b + 4) : $(4 * b + 1), f
                }'
            fi
        } >"$work/config$card"
        start_card "$card"
        card=$((card + 1))
    done
    await_cards "$count" $((count > 1 ? 2 : 0))
}
