#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# ni_steps: each operation is one packet there, and one back where it is answered; a sentence and a status for wrong
# options.
. "$(dirname "$0")/common.sh"

# takes OPERATION THERE BACK
takes() {
    count=$((count + 1))
    timeout --kill-after=5 60 "$programs/ni_steps" "$1" 50 >"$work/out" 2>"$work/err" ||
        fail "ni_steps $1: status $?: $(cat "$work/err")"
    grep -Eqx "$1: $2.000 packets there, $3.000 back, of each of 50" "$work/out" || fail "ni_steps $1: $(cat "$work/out")"
}

takes poll 0 0
takes message 1 0
takes write 1 0
takes store 1 0
takes load 1 1
takes read 1 1
takes single 1 0
takes multi 1 0
takes add 1 0
for wrong in jump 'write 0' 'write x'; do
    count=$((count + 1))
    # shellcheck disable=SC2086
    "$programs/ni_steps" $wrong >"$work/out" 2>"$work/err" && fail "ni_steps $wrong: status 0"
    grep -q Usage "$work/err" || fail "ni_steps $wrong: $(cat "$work/err")"
done
finish
