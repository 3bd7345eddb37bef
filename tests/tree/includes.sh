#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The order of the layers, checked from the include lines: a file includes only from its own layer and those below.
# Also: only ompi_glue asks for versions of Open MPI, and only the components include its internal headers.
. "$(dirname "$0")/files.sh"

list=$(mktemp) || exit 1
trap 'rm -f "$list"' EXIT
tree_files '*.c' '*.h' '*.inl' >"$list"

# The last line of output is the number of failures; the others say what is wrong.
report=$(awk -v list="$list" -v excepted="$src/tests/tree/includes.except" -f "$src/tests/tree/layers.awk" -f "$src/tests/tree/includes.awk") || { echo "$report"; exit 1; }
failures=$(printf '%s\n' "$report" | tail -n 1)
printf '%s\n' "$report" | sed '$d'
finish "$(wc -l <"$list")" "source files"
