#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Covers: ni/link/dev/card.c, ni/link/dev/end.c, ni/link/dev/endpoint.c, ni/link/dev/fetch.c, ni/link/dev/join.c, ni/link/dev/link.c, ni/link/dev/memory.c, ni/link/dev/progress.c, ni/link/dev/receive.c, ni/link/dev/send.c, ni/link/dev/watch.c, ni/link/far/far.c.
# The suite of the links over APEnet+ cards: one card with loop-back, and two with cables, good and bad.
set -u
failures=0
devices=
work=
# shellcheck source=/dev/null
. "${APELINK_SRCDIR:?}/tests/links/boards.sh"

# suite WHAT ROW PROGRAM...: the programs over a row of suite_links.c
suite() {
    what=$1
    row=$2
    shift 2
    for program in "$@"; do
        SUITE_DEVICES=$devices "$APELINK_BUILDDIR/tests/links/suite_$program" "$row" >"$work/out" 2>&1 || {
            grep -v '^ok' "$work/out"
            fail "$program over $what, $row"
        }
    done
}

# The thread sanitizer sees what the threads of one process do, and slows the cards, which are programs, too.
case ${APELINK_SANITIZER-} in
*thread*)
    start_boards 2
    suite "two cards" dev-threads messages
    end_boards
    echo "$failures failures"
    [ "$failures" -eq 0 ]
    exit
    ;;
esac

# packets: prints how many the first card has sent to the other.
packets() {
    state 0 'print(sum(r["link_sent_packets"])) or True'
}

# ioctls WINDOWS: prints how many ioctls of the driver two processes make that send so many times 4 messages of each kind.
ioctls() {
    strace -f --seccomp-bpf -e trace=ioctl -o "$work/trace" "$APELINK_BUILDDIR/tools/apeni-perf" bw -l dev \
        --devices "${devices% *},${devices#* }" -m 64,64K -o message,write -W 4 -R 1 -x 1 -i "$1" >"$work/out" 2>&1 || {
        cat "$work/out" >&2
        echo failed
        return
    }
    grep -c 'ioctl(.*, 0xb9, ' "$work/trace"
}

# Data goes through no ioctl: what there is of them does not grow with what is sent, and that goes by the cards.
no_ioctls() {
    if [ -n "${APELINK_SANITIZER-}" ] || ! strace -f --seccomp-bpf -e trace=ioctl true 2>/dev/null; then
        echo "not checked whether data goes through an ioctl: no strace here, or a sanitizer"
        return
    fi
    few=$(ioctls 1)
    before=$(packets)
    many=$(ioctls 10)
    sent=$(($(packets) - before))
    echo "ioctls of 4 messages of each kind and of 40: $few, $many; $sent packets for 40"
    case $few in
    "" | 0 | failed) fail "no ioctls were seen: $few" ;;
    "$many") ;;
    *) fail "data goes through ioctls" ;;
    esac
    # Messages of 64 KiB are at least 16 packets of a card each.
    [ "$sent" -ge 640 ] || fail "messages went by no card: $(cat "$work/out")"
}

start_boards 1
suite "one card" dev acks messages portals
suite "one card" dev-processes ends lost messages flow
suite "one card" dev-mixed messages
end_boards
start_boards 2
suite "two cards" dev-threads messages
suite "two cards" dev-processes ends lost
end_boards
start_boards 2 "" tcp
suite "cables by TCP" dev-processes messages
end_boards
start_boards 2 "" memory
suite "cables by memory" dev-processes messages
no_ioctls
end_boards

# What is lost and damaged on the way is made good: of a million words two are lost and one is damaged.
start_boards 2 "lose 2 corrupt 1"
suite "bad cables" dev-processes messages
end_boards

echo "$failures failures"
[ "$failures" -eq 0 ]
