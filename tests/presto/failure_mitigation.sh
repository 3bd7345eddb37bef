#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Going on after deaths by mpi-ext.h: revoke, acknowledge, agree, shrink, while ranks die at any time.
set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=mpi_common.sh
. "$here/mpi_common.sh"
compile "$here/mpi_failure.c" "$work/mpi_failure" || exit 1
cases=0

# run CODE LIVING RANKS MODE [NUMBER]: ends with CODE, and so many ranks or more say that they have come to the end.
run() {
    cases=$((cases + 1))
    one "$@" >"$work/$cases" 2>&1 </dev/null &
    [ $((cases % 3)) -ne 0 ] || wait
}

one() {
    code=$1
    living=$2
    ranks=$3
    shift 3
    timeout -k 10 240 "$prestorun" -n "$ranks" --keep-going "$work/mpi_failure" "$@" >"$work/$cases.out" 2>&1
    status=$?
    lived=$(grep -c '^rank .* ends$' "$work/$cases.out")
    case $code in
    *" $status "*) [ "$lived" -ge "$living" ] && return ;;
    esac
    echo "FAIL: $ranks ranks, $*: exit status $status, $lived ranks came to the end"
    grep -v 'ends$' "$work/$cases.out" | head -n 20
}

for way in 0 1 2 3 4 5 6; do
    run ' 0 ' 4 4 revoke $way
done
run ' 0 ' 3 3 early
run ' 137 ' 2 4 acknowledge
run ' 137 ' 4 6 acknowledge
for ranks in 2 4 7; do
    run ' 137 ' $((ranks - 1)) $ranks some
done
# Who is to die may have come to the end before.
for seed in 1 2 3 4 5 6; do
    run ' 0 137 ' $((seed % 2 + 1)) $((seed % 2 * 3 + 4)) agree $seed
    run ' 0 137 ' $((seed % 2 + 1)) $((seed % 2 * 4 + 4)) work $seed
done
wait

cat "$work"/[0-9] "$work"/[0-9][0-9] | grep . && exit 1
echo "failure_mitigation: $cases cases"
