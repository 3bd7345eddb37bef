#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Covers: ni/match/bench/kinds.c ni/match/bench/lists.c ni/match/bench/main.c ni/match/bench/plot.c
# ni/match/bench/single.c
# osu_bench/ni_match_list runs with each kind of vector code, prints all of its tables, draws a plot where there is
# gnuplot, and refuses what it does not understand. It checks its own searches. Nothing is said here of times.
. "$(dirname "$0")/bench.sh"
bench ni_match_list

for simd in auto avx2 scalar; do
    "$bench" --csv -l 1,10,300 -m 1000 -s 3 -v $simd >"$work/csv" || fail "-v $simd: status $?"
    [ "$(wc -l <"$work/csv")" = 164 ] || fail "-v $simd: not 163 rows and a heading"
    [ "$(rows "$work/csv" 1 list)" = 99 ] || fail "-v $simd: not 99 rows of the list benchmark"
    [ "$(rows "$work/csv" 2 linear)" = 33 ] || fail "-v $simd: not 33 rows of the linear list"
    [ "$(rows "$work/csv" 1 search)" = 48 ] || fail "-v $simd: not 48 rows of searches"
    [ "$(rows "$work/csv" 1 renew)" = 16 ] || fail "-v $simd: not 16 rows of removing and appending"
    [ "$(rows "$work/csv" 3 1000)" = 16 ] || fail "-v $simd: not 16 rows of 1000 entries"
done

"$bench" -l 10,30 -m 10 -s 3 >"$work/table" || fail "as a table: status $?"
[ "$(grep -c ' %' "$work/table")" = 22 ] || fail "as a table: not 22 positions"
[ "$(grep -c '^posted\|^unexpected' "$work/table")" = 8 ] || fail "as a table: not 8 single lists"
"$bench" -l 10 -m 0 -s 1 | grep -q '^posted' && fail "-m 0: single operations all the same"
"$bench" --help | grep -q -e --lists || fail "--help does not name --lists"

# The words that each kind of picture begins with.
if command -v gnuplot >/dev/null; then
    for kind in svg png; do
        "$bench" -l 10,30 -m 0 -s 3 --plot "$work/it's.$kind" >/dev/null || fail "--plot .$kind: status $?"
        [ -s "$work/it's.$kind" ] || fail "--plot .$kind: no file"
    done
    grep -q '<svg' "$work/it's.svg" || fail "--plot .svg: not a picture"
else
    "$bench" -l 10 -m 0 -s 1 --plot "$work/plot.svg" >/dev/null 2>"$work/errors" && fail "--plot without gnuplot: accepted"
    grep -q gnuplot-nox "$work/errors" || fail "--plot without gnuplot: $(cat "$work/errors")"
fi

refuse ' 0' -l 0
refuse 12x -l 10,12x
refuse 'wants a number' -l 10,
refuse 'at most 16' -l 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17
refuse ' -5' -s -5
refuse 1001 -s 1001
refuse mmx -v mmx
refuse .png --plot plot.pdf
refuse nonsense nonsense
refuse --help --nonsense
finish
