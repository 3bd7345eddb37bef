#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What each program beside the OSU-style ones says of itself, and to an option that it does not have.
. "$(dirname "$0")/common.sh"

# answers PATTERN ARGUMENT...: with status 0, and in the first lines of its output.
answers() {
    pattern=$1
    shift
    count=$((count + 1))
    "$@" >"$work/out" 2>"$work/err" </dev/null || fail "$*: status $?: $(cat "$work/err")"
    head -n 3 "$work/out" | grep -Eq -- "$pattern" || fail "$*: wanted '$pattern' in: $(cat "$work/out")"
}

for name in line_time ni_commands ni_counters ni_multipath ni_placement ni_put_bw ni_steps ni_stores ni_tasks; do
    program=$programs/$name
    for word in -h --help; do answers "^Usage: .*$name" "$program" $word; done
    for word in -v --version; do answers "^$name \\(apelink\\) [0-9]" "$program" $word; done
    count=$((count + 1))
    "$program" --wrong >"$work/out" 2>"$work/err" </dev/null && fail "$name --wrong: status 0"
    grep -q -e --wrong "$work/err" || fail "$name --wrong: $(cat "$work/err")"
done
for name in osu_steps pr_steps; do
    [ ! -e "$programs/$name" ] || answers "^Usage: $name" "$programs/$name" --help
done
compare=$(dirname "$0")/../compare
answers '^usage: compare ' "$compare" --help
export APELINK_VERSION=1.2.3 # as the installed apelink-compare does
answers '^usage: apelink-compare ' "$compare" --help
for word in -V --version; do answers '^apelink-compare 1\.2\.3$' "$compare" $word; done
unset APELINK_VERSION
answers '^usage: pr_start' "$(dirname "$0")/../pr_start" --help
finish
