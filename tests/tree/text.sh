#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What every file of the tree has to have, or must not have: no path of one machine, a licence line at the top of
# sources, no tabs and no trailing blanks in C.
. "$(dirname "$0")/files.sh"

# Brackets keep this file from finding itself.
machine='/[w]ork/|/[r]oot/|/[h]ome/[a-z]|/tmp/[o]mpi|/tmp/[b]ash_jobs|/[f]arm/'

list=$(mktemp) || exit 1
trap 'rm -f "$list"' EXIT
tree_files '*' | grep -vE '^(build-aux/|config/m4/)|^(configure|libtool|aclocal\.m4|Makefile\.in)$|\.png$|/corpus/' >"$list"

# refused WHAT LINES: each of them is a failure.
refused() {
    while IFS= read -r line; do
        [ -z "$line" ] || fail "$1: $line"
    done <<END
$2
END
}

refused "a path of one machine" "$(xargs grep -nE "$machine" <"$list" 2>/dev/null)"
refused "no SPDX line at its top" "$(grep -E '\.(c|h|sh|awk|py|mk|m4|ac|am)$' "$list" | xargs awk '
    FNR == 1 { if (file != "" && !said) print file; file = FILENAME; said = 0 }
    FNR <= 2 && /SPDX-License-Identifier: BSD-3-Clause/ { said = 1 }
    FNR == 2 { nextfile }
    END { if (!said) print file }')"
refused "tabs or trailing blanks" "$(grep -E '\.[ch]$' "$list" | xargs grep -nE "$(printf '\t')|[ ]+\$")"
finish "$(wc -l <"$list")" files
