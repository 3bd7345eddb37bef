#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The C files are laid out as .clang-format says.
. "$(dirname "$0")/files.sh"

command -v clang-format >/dev/null 2>&1 || skip "clang-format is not installed (Debian: clang-format)"
version=$(clang-format --version | sed -n 's/.*version \([0-9]*\).*/\1/p')
[ "$version" = 14 ] || skip "clang-format is version ${version:-unknown}; the layout is that of version 14"

count=0
for file in $(tree_files '*.c' '*.h'); do
    count=$((count + 1))
    clang-format --dry-run --Werror "$file" >/dev/null 2>&1 || fail "$file: run clang-format -i $file"
done
finish $count "C files"
