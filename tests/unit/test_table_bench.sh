#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Covers: ni/table/bench/kinds.c ni/table/bench/main.c ni/table/bench/sets.c
# ni/table/bench/table19.c
# osu_bench/ni_table runs with each kind of vector code, prints a whole table, and refuses what it does not understand.
# It checks its own searches. Nothing is said here of times.
. "$(dirname "$0")/bench.sh"
bench ni_table

for simd in auto scalar; do
    for entries in 1 32 100; do
        "$bench" --csv -n $entries -c 8 -s 3 -i 100 -v $simd >"$work/csv" || fail "-n $entries -v $simd: status $?"
        [ "$(wc -l <"$work/csv")" = 45 ] || fail "-n $entries -v $simd: not 44 rows and a heading"
        [ "$(rows "$work/csv" 1 search)" = 20 ] || fail "-n $entries -v $simd: not 20 rows of search"
        [ "$(rows "$work/csv" 4 list)" = 22 ] || fail "-n $entries -v $simd: not 22 rows of the list"
        [ "$(rows "$work/csv" 3 cold)" = 22 ] || fail "-n $entries -v $simd: not 22 rows of a cold cache"
    done
done

"$bench" -c 8 -s 3 -i 100 >"$work/table" || fail "as a table: status $?"
[ "$(grep -c -v '^#' "$work/table")" = 11 ] || fail "as a table: not 11 rows"
"$bench" --help | grep -q -e --entries || fail "--help does not name --entries"

"$bench" --paper -c 8 -s 3 >"$work/paper" || fail "--paper: status $?"
[ "$(grep -c -v '^#' "$work/paper")" = 5 ] || fail "--paper: not 5 rows"
grep -q 'total .* 10433 *11631 *1449$' "$work/paper" || fail "--paper: not the paper's total"

refuse ' 0' -n 0
refuse 12x -n 12x
refuse ' -5' -s -5
refuse 1001 -s 1001
refuse mmx -v mmx
refuse nonsense nonsense
refuse --help --nonsense
finish
