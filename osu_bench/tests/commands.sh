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
    # MiB/s of each size are those of its time: that of a descriptor times their number. A machine that does something
    # else may come down to 0.0 MiB/s.
    awk '!/^#/ { rows++; if (NF != 8) bad = 1
             pieces = $1 > 4096 ? $1 / 4096 : 1
             for (i = 2; i <= 4; i++) {
                 if (!($i >= 0) || !($(i + 3) > 0)) { bad = 1; continue }
                 mib = $1 / 1048576 / ($(i + 3) * pieces / 1e6)
                 if (mib - $i > 0.06 + mib / 100 || $i - mib > 0.06 + mib / 100) bad = 1
             } }
         END { exit rows != 14 || bad }' "$work/out" || fail "ni_commands over $link printed: $(cat "$work/out")"
    # 21 transfers of each size: v1 starts and looks once for each, v2 for each descriptor, v3 starts each and looks once for four.
    awk '$2 ~ /^v[123]:$/ && $4 == "descriptors," { n++; if ($3 != 21 * 261) bad = 1
             starts = $2 == "v1:" ? 21 * 14 : 21 * 261; looks = $2 == "v1:" ? 21 * 14 : $2 == "v2:" ? 21 * 261 : 21 * 71
             if ($5 != starts || $8 != looks) bad = 1 }
         END { exit n != 3 || bad }' "$work/out" || fail "ni_commands over $link counted: $(cat "$work/out")"
done
finish
