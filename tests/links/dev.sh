#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Covers: ni/link/dev/card.c, ni/link/dev/end.c, ni/link/dev/endpoint.c, ni/link/dev/fetch.c, ni/link/dev/join.c, ni/link/dev/link.c, ni/link/dev/memory.c, ni/link/dev/progress.c, ni/link/dev/receive.c, ni/link/dev/send.c, ni/link/dev/watch.c.
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

start_boards 1
suite "one card" dev acks messages portals
suite "one card" dev-processes ends lost messages flow
suite "one card" dev-mixed messages
end_boards
start_boards 2
suite "two cards" dev-threads messages
suite "two cards" dev-processes ends lost
end_boards

# What is lost and damaged on the way is made good: of a million words two are lost and one is damaged.
start_boards 2 "lose 2 corrupt 1"
suite "bad cables" dev-processes messages
end_boards

echo "$failures failures"
[ "$failures" -eq 0 ]
