#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# ni_counters, ni_multipath and ni_stores: the rows that they promise, of sound numbers, with threads and with processes, a sentence and
# a status for wrong options. Times are not looked at.
. "$(dirname "$0")/common.sh"

# refuses PROGRAM PATTERN ARGUMENT...
refuses() {
    program=$1
    pattern=$2
    shift 2
    count=$((count + 1))
    "$programs/$program" "$@" >"$work/out" 2>"$work/err"
    status=$?
    [ $status -eq 1 ] && grep -Eq -- "$pattern" "$work/err" && return
    fail "$program $*: status $status, wanted '$pattern' in: $(cat "$work/err")"
}

# prints PROGRAM MEMBERS ROWS: each row has a size or number first, and no time below zero behind it.
prints() {
    count=$((count + 1))
    timeout --kill-after=5 100 "$programs/$1" -m "$2" -n 5 >"$work/out" 2>"$work/err" ||
        fail "$1 with $2: status $?: $(cat "$work/err")"
    awk -v wanted="$3" '!/^#/ { rows++; for (i = 1; i <= NF; i++) if ($i != "-" && !($i >= 0)) bad = 1 }
        END { exit rows != wanted || bad }' "$work/out" || fail "$1 with $2 printed: $(cat "$work/out")"
}

for program in ni_counters ni_multipath ni_stores; do
    refuses "$program" "-n '0': wanted is a number from 1" -n 0
    refuses "$program" "-m 'ranks': wanted is threads or processes" -m ranks
    refuses "$program" "no option -q" -q
    refuses "$program" "'x' is not an option" x
done
for members in threads processes; do
    prints ni_counters "$members" 9
    prints ni_multipath "$members" 9
    prints ni_stores "$members" 18
    # Of Fig. 7 the text has nine points: the paper's columns have them, over its write of 4 bytes, too.
    awk '!/^#/ { rows++ } !/^#/ && rows <= 9 { for (i = 0; i < 5; i++) c[$1, i] = $(12 + i) }
         !/^#/ && rows > 9 { for (i = 0; i < 5; i++) r[$1, i] = $(3 + 2 * i) }
         END { if (c[4, 0] != 18 || c[4, 1] != 21 || c[4, 2] != 21 || c[4, 3] != 38 || c[4, 4] != 39) exit 1
               if (c[64, 2] != 28 || c[512, 2] != 92 || c[64, 4] != 46 || c[512, 4] != 110 || c[48, 0] != "-") exit 1
               exit r[4, 2] != "1.00" || r[512, 2] != "4.38" || r[4, 3] != "1.81" }' "$work/out" ||
        fail "ni_stores with $members has other points of the paper's: $(cat "$work/out")"
    # Buffers of both ways go in packets of 256 bytes, of which flags take 8 each; the paper's ratios stand beside ours.
    timeout --kill-after=5 100 "$programs/ni_counters" -m "$members" -n 5 >"$work/out" 2>"$work/err" || fail "ni_counters: $(cat "$work/err")"
    awk 'BEGIN { f[200] = 1; c[200] = 1; f[500] = 3; c[500] = 2; f[1000] = 5; c[1000] = 4; f[2000] = 9; c[2000] = 8 }
         !/^#/ && $1 in f { n++; if (NF != 9 || $5 != f[$1] || $6 != c[$1]) bad = 1 }
         END { exit n != 4 || bad }' "$work/out" || fail "ni_counters with $members sent other packets: $(cat "$work/out")"
done
finish
