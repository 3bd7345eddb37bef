#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The shell scripts give shellcheck nothing to remark, and those that are started have their run bit.
. "$(dirname "$0")/files.sh"

command -v shellcheck >/dev/null 2>&1 || skip "shellcheck is not installed (Debian: shellcheck)"

count=0
for file in $(tree_files '*'); do
    case $file in
    build-aux/* | config/m4/* | configure | libtool) continue ;; # not ours
    esac
    line=$(head -n 1 "$file" | tr -d '\0')
    case $line in
    '#!/bin/sh'* | '#!/bin/bash'* | '#!/usr/bin/env bash'* | '#!/usr/bin/env sh'*)
        case $file in
        *.in) ;;
        *) [ -x "$file" ] || fail "$file begins with #! but cannot be run: chmod +x $file" ;;
        esac
        ;;
    *)
        case $file in
        *.sh) ;;
        *) continue ;;
        esac
        ;;
    esac
    count=$((count + 1))
    # Sourced files are found beside the script that sources them.
    (cd "$(dirname "$file")" && shellcheck --external-sources --source-path=SCRIPTDIR "$(basename "$file")") ||
        fail "$file: see the remarks of shellcheck above"
done
finish $count "shell scripts"
