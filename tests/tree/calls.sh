#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The order of the layers, checked from the names that the code uses: no function of a layer above is called or declared.
# What may stay for now is in calls.except, which can only get shorter.
. "$(dirname "$0")/files.sh"

list=$(mktemp) || exit 1
trap 'rm -f "$list"' EXIT
tree_files '*.c' '*.h' '*.inl' | grep -v '^tests/' >"$list"

# The last line of output is the number of failures; the others say what is wrong.
report=$(awk -v list="$list" -v excepted="$src/tests/tree/calls.except" -f "$src/tests/tree/layers.awk" -f "$src/tests/tree/code.awk" -f "$src/tests/tree/calls.awk") ||
    { echo "$report"; exit 1; }
failures=$(printf '%s\n' "$report" | tail -n 1)
printf '%s\n' "$report" | sed '$d'
finish "$(wc -l <"$list")" "source files"
