#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The C files are laid out as .clang-format says.
. "$(dirname "$0")/files.sh"

# Debian names it with and without its version, by package.
tool=clang-format-14
command -v $tool >/dev/null 2>&1 || tool=clang-format
command -v $tool >/dev/null 2>&1 || skip "clang-format is not installed (Debian: clang-format-14)"
version=$($tool --version | sed -n 's/.*version \([0-9]*\).*/\1/p')
[ "$version" = 14 ] || skip "clang-format is version ${version:-unknown}; the layout is that of version 14"

# One process for many files: most of its time is its start.
files=$(tree_files '*.c' '*.h')
said=$(echo "$files" | xargs -n 64 $tool --dry-run --Werror 2>&1) || {
    for file in $(echo "$said" | sed -n 's/^\([^:]*\):[0-9]*:[0-9]*: .*/\1/p' | sort -u); do
        fail "$file: run $tool -i $file"
    done
    # What could not be read at all is named in no line of that form.
    [ $failures -gt 0 ] || fail "$tool failed: $said"
}
finish "$(echo "$files" | wc -l)" "C files"
