# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# Sourced by the scripts that run a benchmark of ni/ for its tables. Defines work, fail, rows, refuse, finish, and bench,
# which says of which.
set -u

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
    echo "FAIL: $*"
    failures=$((failures + 1))
}

# rows CSV FIELD VALUE: lines of the file whose field has the value.
rows() {
    awk -F, -v field="$2" -v value="$3" '$field == value { n++ } END { print n + 0 }' "$1"
}

# bench NAME
bench() {
    bench=${APELINK_BUILDDIR:-.}/osu_bench/$1
}

# refuse WORD ARGUMENT...: it does, with a message with the word.
refuse() {
    word=$1
    shift
    "$bench" "$@" >/dev/null 2>"$work/errors" && fail "$*: accepted"
    grep -q -e "$word" "$work/errors" || fail "$*: the message does not name $word: $(cat "$work/errors")"
}

finish() {
    [ $failures -eq 0 ]
    exit
}
