#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# ni_tasks: a row for each pool of Table 2 with sound numbers, between threads and between processes; a sentence and a
# status for wrong options. It checks by itself that each task is done once; times are not looked at.
. "$(dirname "$0")/common.sh"

# refuses PATTERN ARGUMENT...
refuses() {
    pattern=$1
    shift
    count=$((count + 1))
    "$programs/ni_tasks" "$@" >"$work/out" 2>"$work/err"
    status=$?
    [ $status -eq 1 ] && grep -Eq -- "$pattern" "$work/err" && return
    fail "ni_tasks $*: status $status, wanted '$pattern' in: $(cat "$work/err")"
}

refuses "-n '0': wanted is a number from 1" -n 0
refuses "-s '12': wanted is a power of two from 8" -s 12
refuses "-q '3': wanted is a power of two" -q 3
refuses "-m 'fibres': wanted is threads or processes" -m fibres
refuses "-p 'all': wanted is distributed or central" -p all
refuses "no option -x" -x
refuses "'x' is not an option" x

for mode in threads processes; do
    count=$((count + 1))
    timeout --kill-after=5 60 "$programs/ni_tasks" -m $mode -n 200 -r 2 -q 16 -w 5 >"$work/out" 2>"$work/err" ||
        fail "ni_tasks between $mode: status $?: $(cat "$work/err")"
    # Three times and a ratio; of a central pool also those of a request for each task, and tasks for each packet of
    # the workers: 1 there, less what they send at the end of a round, and 3 in batches of half a window of 5.
    awk '!/^#/ { rows++; for (i = 2; i <= 4; i++) if (!($i > 0)) bad = 1; if (!($5 >= 0)) bad = 1 }
         /^# Central/ { central = 1 }
         !/^#/ && !central { if (NF < 6) bad = 1 }
         !/^#/ && central { queues++; if (NF < 10 || !($7 > 0) || !($6 > 0.8 && $6 <= 1) || !($9 > 2 && $9 < 4)) bad = 1 }
         END { exit rows != 7 || queues != 4 || bad }' "$work/out" || fail "ni_tasks between $mode printed: $(cat "$work/out")"
done
finish
