#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Two cards in one torus, with work under way: one of them ends, then the cables between them lose what a process says at last, and break.
set -u
failures=0
boards=
devices=
relay=
work=
# shellcheck source=/dev/null
. "${APELINK_SRCDIR:?}/tests/links/boards.sh"
program=$APELINK_BUILDDIR/tests/links/suite_cards
# Under the thread sanitizer, which slows the cards as well, what is shown is that they have no race.
rows="dev-processes dev-threads"
APENI_DEV_TIMEOUT_S=6
case ${APELINK_SANITIZER-} in
*thread*)
    rows=dev-threads
    APENI_DEV_TIMEOUT_S=60
    ;;
esac
export APENI_DEV_TIMEOUT_S

# run ROW CASE TEXT: it passes, and its log has the text.
run() {
    SUITE_DEVICES=$devices "$program" "$1" "$2" >"$work/out" 2>&1 || {
        cat "$work/out"
        fail "$2, $1"
    }
    grep -qF -- "$3" "$work/out" || {
        cat "$work/out"
        fail "$2, $1: no \"$3\""
    }
}

for row in $rows; do
    start_boards 2
    SUITE_BOARD=${boards# }
    SUITE_BOARD=${SUITE_BOARD%% *}
    export SUITE_BOARD
    run $row card_ends 'has gone: all peers that are reached by it are lost. See what became of apelink-board'
    end_boards
done

[ "$rows" = dev-threads ] || {
    start_boards 2 "" relayed
    SUITE_CABLE=$relay
    export SUITE_CABLE
    run dev-processes polls_lend_the_core ''
    run dev-processes bye_is_lost ''
    run dev-processes cables_break 'has not answered for 6 s: a process there is given up. See whether the cables between are whole'
    end_boards
}

echo "$failures failures"
[ "$failures" -eq 0 ]
