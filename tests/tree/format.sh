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

count=0
for file in $(tree_files '*.c' '*.h'); do
    count=$((count + 1))
    $tool --dry-run --Werror "$file" >/dev/null 2>&1 || fail "$file: run clang-format -i $file"
done
finish $count "C files"
