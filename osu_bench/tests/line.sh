#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# line_time: a row of sound numbers where there are two cores, a sentence and a status for everything else.
. "$(dirname "$0")/common.sh"

# refuses PATTERN ARGUMENT...
refuses() {
    pattern=$1
    shift
    count=$((count + 1))
    "$programs/line_time" "$@" >"$work/out" 2>"$work/err"
    status=$?
    [ $status -eq 1 ] && grep -Eq -- "$pattern" "$work/err" && return
    fail "line_time $*: status $status, wanted '$pattern' in: $(cat "$work/err")"
}

refuses "-n '0': wanted is a number from 1 to" -n 0
refuses "-r 'many': wanted is a number" -r many
refuses "-l '': wanted is a number" -l ""
refuses "no option -q" -q
refuses "'0' is not an option" 0
refuses "both cores are 0|is not allowed" -a 0 -b 0
refuses "core 1023 does not exist" -a 1023
first=$(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/')
count=$((count + 1))
taskset -c "$first" "$programs/line_time" 2>"$work/err" && fail "one core was enough"
grep -q 'two are needed' "$work/err" || fail "one core: $(cat "$work/err")"

[ "$(nproc)" -ge 2 ] || finish
count=$((count + 1))
# A machine that does something else may need more than one attempt; what is tested is not how long it takes.
for limit in 500 5000 60000; do
    "$programs/line_time" -n 1000 -r 3 -l $limit >"$work/out" 2>"$work/err"
    status=$?
    [ $status -eq 2 ] || break
done
[ $status -eq 0 ] || fail "line_time: status $status: $(cat "$work/err")"
awk '!/^#/ { rows++; if (!(NF == 4 && $1 >= 1 && $1 <= 3 && 0 < $2 && $2 <= $3 && $3 <= $4)) bad = 1 }
     END { exit rows != 1 || bad }' "$work/out" || fail "line_time printed: $(cat "$work/out")"
finish
