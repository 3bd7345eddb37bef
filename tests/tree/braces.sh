#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Each body of if, else, for, while and do has braces, in C files that clang-format has laid out. A macro that ends with the
# head of a loop has none: it is the one who uses it who writes it.
. "$(dirname "$0")/files.sh"

files=$(tree_files '*.c' '*.h')
# shellcheck disable=SC2016 # the dollars are of awk
found=$(echo "$files" | xargs -n 64 awk '
    # The line without strings, characters and comments.
    function bare(line) {
        gsub(/\\./, "", line)
        gsub(/"[^"]*"/, "", line)
        gsub(/\047[^\047]*\047/, "", line)
        gsub(/\/\*.*\*\//, "", line)
        sub(/ *\\$/, "", line)
        sub(/ +$/, "", line)
        return line
    }
    function depth(line,    open, shut) {
        open = gsub(/\(/, "", line)
        shut = gsub(/\)/, "", line)
        return open - shut
    }
    FNR == 1 { begun = inside = goes_on = 0 }
    { macro = goes_on; goes_on = (macro || /^ *#/) && /\\$/ }
    inside { inside = $0 !~ /\*\//; next }
    /^ *#/ { next }
    {
        line = bare($0)
        inside = sub(/ *\/\*.*/, "", line)
        if (!begun && line !~ /^ *(\} )?(if|for|while|else|do)( |$)/) next
        if (!begun) { begun = FNR; open = 0; ends_do = line ~ /^ *\} while / }
        open += depth(line)
        if (open > 0) next
        if (macro && !goes_on) { begun = 0; next }
        if (line !~ /\{$/ && !ends_do && line !~ /\) \{.*\}$/) print FILENAME ":" begun
        begun = 0
    }
')
for place in $found; do
    fail "$place: the body has no braces"
done
finish "$(echo "$files" | wc -l)" "C files"
