#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Going on after deaths by mpi-ext.h: revoke, acknowledge, agree, shrink, while ranks die at any time.
set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=mpi_common.sh
. "$here/mpi_common.sh"
compile "$here/mpi_failure.c" "$work/mpi_failure" || exit 1
compile "$here/mpi_pending.c" "$work/mpi_pending" || exit 1
compile "$src/examples/jacobi_survive.c" "$work/jacobi_survive" || exit 1
cases=0

program=$work/mpi_failure

# run CODE LIVING RANKS [MODE [NUMBER]]: ends with CODE, and so many ranks or more say that they have come to the end.
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
    timeout -k 10 240 "$prestorun" -n "$ranks" --keep-going "$program" "$@" >"$work/$cases.out" 2>&1
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
program=$work/mpi_pending
for ranks in 2 4 7; do
    run ' 137 ' $((ranks - 1)) $ranks
done
wait

# A solver that loses ranks has the same result with the rest: one of them, several at once, the first, all but one.
# survives RANKS LEFT DEATHS
survives() {
    cases=$((cases + 1))
    timeout -k 10 240 "$prestorun" -n "$1" --keep-going "$work/jacobi_survive" --size 40 --steps 60 --die "$3" >"$work/out" 2>&1
    status=$?
    { [ $status -eq 137 ] && grep -q "60 steps, $2 ranks at the end, fewer .*: right$" "$work/out"; } && return
    echo "FAIL: the solver on $1 ranks that loses $3: exit status $status"
    cat "$work/out"
}
{
    survives 4 3 2:25
    survives 5 2 1:11,2:11,4:38
    survives 3 2 0:59
    survives 6 1 0:5,1:15,2:25,3:35,4:45
} >"$work/00"

cat "$work"/[0-9] "$work"/[0-9][0-9] | grep . && exit 1
echo "failure_mitigation: $cases cases"
