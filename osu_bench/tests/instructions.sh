#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# instructions: counts for each call and library, and sentences for what cannot be counted.
. "$(dirname "$0")/common.sh"

command -v valgrind >/dev/null 2>&1 || { echo "valgrind is not installed (Debian: valgrind)" && exit 77; }
command -v python3 >/dev/null 2>&1 || { echo "python3 is not installed (Debian: python3)" && exit 77; }
grep -q -e __asan_init -e __tsan_init "$programs/osu_steps" &&
    echo "valgrind cannot run programs with a sanitizer in them" && exit 77
tool=$(dirname "$0")/../instructions
PATH=$programs/../presto/tools:$PATH # prestorun

# counts TRANSPORT LIBRARY: the parts are there and make the whole, and the library has a share of it.
counts() {
    count=$((count + 1))
    "$tool" --programs "$programs" --messages 200 --transports "$1" >"$work/out" 2>"$work/err" ||
        fail "$1: status $?: $(cat "$work/err")"
    awk -v library="$2" '
        /(MPI_(Send|Irecv|Wait)|pr_(send_bytes|irecv_bytes|wait)) / { parts += $2; calls++ }
        $1 == "all" { all = $2 }
        $1 == "in" { sum += $3; if ($2 == library) share = $3 }
        END { exit !(calls == 3 && all > 100 && share > 10 &&
                     parts > 0.95 * all && parts < 1.05 * all && sum > 0.95 * all && sum < 1.05 * all) }' "$work/out" ||
        fail "$1 printed: $(cat "$work/out")"
}

# refuses PATTERN ARGUMENT...
refuses() {
    pattern=$1
    shift
    count=$((count + 1))
    "$tool" --programs "$programs" "$@" >"$work/out" 2>"$work/err"
    status=$?
    [ $status -eq 1 ] && grep -Eq -- "$pattern" "$work/err" && return
    fail "instructions $*: status $status, wanted '$pattern' in: $(cat "$work/err")"
}

counts vader mca_btl_vader
counts native libpresto
refuses "there is no 'nowhere'" --transports nowhere
refuses "ni runs neither" --transports ni
refuses "give a number of at least 1" --messages 0
finish
