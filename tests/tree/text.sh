#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What every file of the tree has to have, or must not have: no path of one machine, a licence line at the top of
# sources, no tabs and no trailing blanks in C.
. "$(dirname "$0")/files.sh"

# Brackets keep this file from finding itself.
machine='/[w]ork/|/[r]oot/|/[h]ome/[a-z]|/tmp/[o]mpi|/tmp/[b]ash_jobs|/[f]arm/'

count=0
for file in $(tree_files '*'); do
    case $file in
    build-aux/* | config/m4/* | configure | libtool | aclocal.m4 | Makefile.in | *.png | */corpus/*) continue ;;
    esac
    count=$((count + 1))
    found=$(grep -nE "$machine" "$file" 2>/dev/null) && fail "$file names a path of one machine: $found"
    case $file in
    *.c | *.h | *.sh | *.awk | *.py | *.mk | *.m4 | *.ac | *.am)
        head -n 2 "$file" | grep -q 'SPDX-License-Identifier: BSD-3-Clause' ||
            fail "$file has no SPDX line at its top"
        ;;
    esac
    case $file in
    *.c | *.h)
        found=$(grep -nE "$(printf '\t')|[ ]+\$" "$file") && fail "$file has tabs or trailing blanks: $found"
        ;;
    esac
done
finish $count files
