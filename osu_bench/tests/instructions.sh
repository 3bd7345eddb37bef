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

# counts TRANSPORT LIBRARY [CALLS HOW-MANY]: the parts are there and make the whole, and the library has a share of it.
counts() {
    count=$((count + 1))
    "$tool" --programs "$programs" --messages 200 --transports "$1" --calls "${3:-posted}" >"$work/out" 2>"$work/err" ||
        fail "$1 ${3-}: status $?: $(cat "$work/err")"
    awk -v library="$2" -v want="${4:-3}" '
        /(MPI_(I?send|Send|I?recv|Recv|Start|Wait)|pr_(send_bytes|irecv_bytes|wait)) / { parts += $2; calls++ }
        $1 == "all" { all = $2 }
        $1 == "in" { sum += $3; if ($2 == library) share = $3 }
        END { exit !(calls == want && all > 100 && share > 10 &&
                     parts > 0.95 * all && parts < 1.05 * all && sum > 0.95 * all && sum < 1.05 * all) }' "$work/out" ||
        fail "$1 ${3-} printed: $(cat "$work/out")"
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
counts vader mca_btl_vader nonblocking 3
counts vader mca_btl_vader blocking 2
counts vader mca_btl_vader persistent 2
counts vader mca_btl_vader late 2
counts native libpresto
refuses "there is no 'nowhere'" --transports nowhere
refuses "ni runs neither" --transports ni
refuses "native has only posted" --transports native --calls blocking
refuses "give a number of at least 1" --messages 0
finish
