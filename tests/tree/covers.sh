#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Each suite names the sources that it is about, which are there, and each source is named by one; those of covers.except
# are not yet. That list can only get shorter.
. "$(dirname "$0")/files.sh"

list=$(mktemp) || exit 1
trap 'rm -f "$list"' EXIT
tree_files '*.c' '*.h' '*.def' '*.awk' '*.py' '*.sh' >"$list"

# The last line of output is the number of failures; the others say what is wrong.
report=$(awk -v list="$list" -v excepted="$src/tests/tree/covers.except" -f "$src/tests/tree/covers.awk") || { echo "$report"; exit 1; }
failures=$(printf '%s\n' "$report" | tail -n 1)
printf '%s\n' "$report" | sed '$d'
finish "$(wc -l <"$list")" "files"
