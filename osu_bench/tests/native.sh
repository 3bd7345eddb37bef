#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The programs with Presto's native interface: rows of sound numbers, checked data, a sentence for what does not fit. Times
# are not looked at.
. "$(dirname "$0")/common.sh"
prestorun=${APELINK_BUILDDIR:-.}/presto/tools/prestorun

# native RANKS WORD...: run a program; its output goes to $work/out and $work/err, its status is returned.
native() {
    ranks=$1
    shift
    count=$((count + 1))
    timeout --kill-after=5 60 "$prestorun" -n "$ranks" "$@" >"$work/out" 2>"$work/err" </dev/null
}

# rows COUNT COLUMNS: rows of numbers, which may be 0.00 on a machine that does something else, and a verdict.
rows() {
    awk -v rows="$1" -v columns="$2" '!/^#/ { n++; if (NF != columns || !($2 >= 0) || $NF != "Pass") bad = 1 }
        END { exit n != rows || bad }' "$work/out" || fail "$what printed: $(cat "$work/out" "$work/err")"
}

what="pr_latency"
native 2 "$programs/pr_latency" -c -m 1:65536 -i 3 -x 1 || fail "$what: status $?"
rows 17 3
what="pr_bw"
native 2 "$programs/pr_bw" -c -m 1:65536 -i 2 -x 1 -W 8 || fail "$what: status $?"
rows 17 3
what="pr_mbw_mr"
native 4 "$programs/pr_mbw_mr" -c -m 8:8192 -i 2 -x 1 -W 8 || fail "$what: status $?"
rows 11 4

native 3 "$programs/pr_latency" -m 8:8 && fail "pr_latency: three ranks were accepted"
grep -q '^pr_latency: 3 ranks: it needs exactly two ranks' "$work/err" || fail "pr_latency with three ranks says: $(cat "$work/err")"
native 2 "$programs/pr_bw" -W 0 && fail "pr_bw: an empty window was accepted"

count=$((count + 1))
"${APELINK_SRCDIR:-.}/osu_bench/pr_start" -i x 2>"$work/err" && fail "pr_start: -i x was accepted"
"${APELINK_SRCDIR:-.}/osu_bench/pr_start" -i 3 9 2>"$work/more" && fail "pr_start: a further word was accepted"
grep -q "^pr_start: unexpected argument '9'" "$work/more" || fail "pr_start says: $(cat "$work/more")"
grep -q "^pr_start: -i 'x': wanted is a number" "$work/err" || fail "pr_start says: $(cat "$work/err")"

# What reads its table wants a point, also where the language has a comma.
if localedef -i de_DE -f UTF-8 "$work/de_DE.UTF-8" >/dev/null 2>&1; then
    count=$((count + 1))
    LOCPATH=$work LC_ALL=de_DE.UTF-8 "${APELINK_SRCDIR:-.}/osu_bench/pr_start" -i 1 -m none -d "$programs" >"$work/out" 2>"$work/err"
    grep -Eq '^prestorun +[0-9]+\.[0-9][0-9]$' "$work/out" || fail "pr_start prints in German: $(cat "$work/out" "$work/err")"
else
    echo "pr_start was not run in German: localedef cannot make that (Debian: locales)"
fi
finish
