#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# ni_placement: rows of sound numbers for each placement, a sentence and a status for wrong options. It compares the
# data by itself; times are not looked at.
. "$(dirname "$0")/common.sh"

# refuses PATTERN ARGUMENT...
refuses() {
    pattern=$1
    shift
    count=$((count + 1))
    "$programs/ni_placement" "$@" >"$work/out" 2>"$work/err"
    status=$?
    [ $status -eq 1 ] && grep -Eq -- "$pattern" "$work/err" && return
    fail "ni_placement $*: status $status, wanted '$pattern' in: $(cat "$work/err")"
}

refuses "-n '0': wanted is a number from 1" -n 0
refuses "-i '0': wanted is a number from 1 to 64" -i 0
refuses "-i '65': wanted is a number from 1 to 64" -i 65
refuses "-e 'all': wanted is reads, loaded or computing" -e all
refuses "no option -q" -q
refuses "'x' is not an option" x

# prints EXPERIMENT ROWS COLUMNS
prints() {
    count=$((count + 1))
    # shellcheck disable=SC2086 # an experiment and its options
    timeout --kill-after=5 120 "$programs/ni_placement" -e $1 -n 20 >"$work/out" 2>"$work/err" ||
        fail "ni_placement -e $1: status $?: $(cat "$work/err")"
    awk -v rows="$2" -v columns="$3" '!/^#/ { n++; if (NF != columns) bad = 1; for (i = 2; i <= NF; i++) if (!($i >= 0)) bad = 1 }
         END { exit n != rows || bad }' "$work/out" || fail "ni_placement -e $1 printed: $(cat "$work/out")"
}

prints reads 18 7
grep -q "bandwidth (MB/s) by 4, 20 of each size" "$work/out" || fail "ni_placement -e reads does not name its initiators: $(cat "$work/out")"
prints "reads -i 3" 18 7
prints "reads -i 1" 18 7
prints loaded 3 7
prints computing 3 7

# Where the kernel copies nothing, what goes to a process without an engine thread waits for its calls: the row says so.
APENI_SHM_COPY=copy
export APENI_SHM_COPY
count=$((count + 1))
timeout --kill-after=5 120 "$programs/ni_placement" -e computing >"$work/out" 2>"$work/err" ||
    fail "ni_placement -e computing, in packets: status $?: $(cat "$work/err")"
awk '$1 == "tile" { found = NF == 7 && $3 == "waits" && $6 == "waits" } $1 == "edge" || $1 == "split" { n++ } $2 == "waits:" { told = 1 }
     END { exit !found || !told || n != 2 }' "$work/out" || fail "ni_placement -e computing, in packets, printed: $(cat "$work/out")"
finish
