#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# ni_commands: rows of sound numbers for each link, a sentence and a status for wrong options. It compares the data by
# itself; times are not looked at.
. "$(dirname "$0")/common.sh"

# refuses PATTERN ARGUMENT...
refuses() {
    pattern=$1
    shift
    count=$((count + 1))
    "$programs/ni_commands" "$@" >"$work/out" 2>"$work/err"
    status=$?
    [ $status -eq 1 ] && grep -Eq -- "$pattern" "$work/err" && return
    fail "ni_commands $*: status $status, wanted '$pattern' in: $(cat "$work/err")"
}

refuses "-n '0': wanted is a number from 1" -n 0
refuses "-m '63': wanted is a number from 64" -m 63
refuses "-m '-64': wanted is a number" -m -64
refuses "-l 'ib': wanted is inproc or shm" -l ib
refuses "no option -q" -q
refuses "'x' is not an option" x

for link in inproc shm; do
    count=$((count + 1))
    timeout --kill-after=5 60 "$programs/ni_commands" -l $link -n 20 >"$work/out" 2>"$work/err" ||
        fail "ni_commands over $link: status $?: $(cat "$work/err")"
    # A machine that does something else may come down to 0.0 MB/s.
    awk '!/^#/ { rows++; for (i = 2; i <= 7; i++) if (!(i < 5 ? $i >= 0 : $i > 0)) bad = 1; if (NF != 7) bad = 1 }
         END { exit rows != 14 || bad }' "$work/out" || fail "ni_commands over $link printed: $(cat "$work/out")"
done
finish
