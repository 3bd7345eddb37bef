#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The shell scripts give shellcheck nothing to remark, and those that are started have their run bit.
. "$(dirname "$0")/files.sh"

command -v shellcheck >/dev/null 2>&1 || skip "shellcheck is not installed (Debian: shellcheck)"

list=$(mktemp) || exit 1
trap 'rm -f "$list"' EXIT
# What they begin with; build-aux and what libtool brings are not ours.
tree_files '*' | grep -vE '^(build-aux/|config/m4/)|^(configure|libtool)$' | xargs awk '
    FNR == 1 {
        shell = /^#!(\/bin\/(sh|bash)|\/usr\/bin\/env (bash|sh))/
        if (shell || FILENAME ~ /\.sh$/) print shell + 0, FILENAME
        nextfile
    }' >"$list"
while read -r runs file; do
    case $runs$file in
    0* | *.in) ;;
    *) [ -x "$file" ] || fail "$file begins with #! but cannot be run: chmod +x $file" ;;
    esac
done <"$list"
# Sourced files are found beside the script that sources them.
cut -d ' ' -f 2 "$list" | xargs -n 40 -P 2 shellcheck --external-sources --source-path=SCRIPTDIR ||
    fail "see the remarks of shellcheck above"
finish "$(wc -l <"$list")" "shell scripts"
