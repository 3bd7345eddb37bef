#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# ni_put_bw: rows of sound numbers, a sentence and a status for wrong options. It compares the data by itself; times are
# not looked at.
. "$(dirname "$0")/common.sh"

# refuses PATTERN ARGUMENT...
refuses() {
    pattern=$1
    shift
    count=$((count + 1))
    "$programs/ni_put_bw" "$@" >"$work/out" 2>"$work/err"
    status=$?
    [ $status -eq 1 ] && grep -Eq -- "$pattern" "$work/err" && return
    fail "ni_put_bw $*: status $status, wanted '$pattern' in: $(cat "$work/err")"
}

refuses "-n '1': wanted is a number from 2" -n 1
refuses "-m '31': wanted is a number from 32" -m 31
refuses "no option -q" -q
refuses "'x' is not an option" x

count=$((count + 1))
timeout --kill-after=5 60 "$programs/ni_put_bw" -n 20 -m 262144 >"$work/out" 2>"$work/err" ||
    fail "ni_put_bw: status $?: $(cat "$work/err")"
# A machine that does something else may come down to 0.0 MB/s.
awk '!/^#/ { rows++; if (NF != 3 || !($2 >= 0) || !($3 >= 0)) bad = 1 } END { exit rows != 14 || bad }' "$work/out" ||
    fail "ni_put_bw printed: $(cat "$work/out")"
finish
