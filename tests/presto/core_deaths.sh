#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# core_deaths, in each of its cases: see there.
set -u
build=${APELINK_BUILDDIR:-.}
program=$build/tests/presto/core_deaths
prestorun=$build/presto/tools/prestorun
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
    echo "FAIL: $*"
    cat "$work/out"
    failures=$((failures + 1))
}

# run CODE COMMAND...
run() {
    code=$1
    shift
    timeout -k 10 60 "$@" >"$work/out" 2>&1 </dev/null
    status=$?
    [ $status -eq "$code" ] || fail "$*: exit status $status, not $code"
}

for ranks in 2 3 5; do
    run 0 "$program" threads $ranks revoke
done

# One that others cannot reach ends, and says why; the others go on.
# suspect RANKS CASE RANK: RANK suspects it
suspect() {
    run 1 "$prestorun" -n "$1" --keep-going "$program" "$2" "$3"
    [ "$(grep -c 'goes on$' "$work/out")" -eq $(($1 - 1)) ] || fail "$*: not all others go on"
    grep -q 'lives, but ranks that have lost their connection with it take it for dead' "$work/out" || fail "$*: it does not say why"
}
suspect 2 suspect 0
suspect 2 leader 1
for rank in 0 1 2; do
    suspect 4 suspect $rank
done
for rank in 1 2 3; do
    suspect 4 leader $rank
done

# Ranks that live are waited for at the end.
for ranks in 3 4 5 7; do
    rm -f "$work/notes"
    run 137 "$prestorun" -n $ranks --keep-going "$program" leave "$work/notes"
    [ "$(head -n 1 "$work/notes")" = late ] || fail "$ranks ranks: some left before one that lives"
    [ "$(grep -c left "$work/notes")" -eq $((ranks - 1)) ] || fail "$ranks ranks: not all left"
done
[ $failures -eq 0 ]
