#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Each public header compiles by itself, as C11 and as C++17, without a warning and without extensions. To g++ a function
# with the name of a struct hides its constructor (-Wshadow).
. "$(dirname "$0")/files.sh"

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

compile() { # LANGUAGE COMPILER FLAGS...
    language=$1
    compiler=$2
    shift 2
    # shellcheck disable=SC2086 # a compiler may come with flags of its own
    $compiler "$@" -Wall -Wextra -Wshadow -Werror -Wundef -fsyntax-only -Ini/include -Ipresto/include -x "$language" "$work/one" 2>"$work/errors" && return
    fail "$header does not compile by itself as $language"
    cat "$work/errors"
}

cxx=${CXX:-c++}
# shellcheck disable=SC2086
$cxx --version >/dev/null 2>&1 || { echo "no C++ compiler ($cxx): checked as C only"; cxx=; }

count=0
for header in $(tree_files 'ni/include/*.h' 'presto/include/presto.h'); do
    count=$((count + 1))
    # Twice: a header must also bear being included again.
    printf '#include "%s"\n#include "%s"\n' "${header#*/include/}" "${header#*/include/}" >"$work/one"
    compile c "${CC:-cc}" -std=c11 -Wpedantic -Wstrict-prototypes
    [ -z "$cxx" ] || compile c++ "$cxx" -std=c++17 -Wpedantic
done
[ $count -gt 0 ] || skip "no public headers yet"
finish $count "public headers"
