#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What the documents point to is there: files and headings behind links, files that are named by their path, and
# functions, tests and programs that are named; so are the sources that comments of the core name. The versions in docs/wire.md
# are those of the sources. Documents that everybody reads stay short, and what was measured is not in docs/architecture.md.
. "$(dirname "$0")/files.sh"

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
tree_files '*' >"$work/files"
grep '\.md$' "$work/files" >"$work/documents"

# One line each: document, kind, target. Links are relative to their document; anchors are what GitHub makes of headings;
# paths are words in code that begin with a folder of the tree, or names of sources without one; words have our prefixes.
folders=$(sed -n 's|/.*||p' "$work/files" | sort -u | grep '^[a-z]' | tr '\n' '|')
# shellcheck disable=SC2046 # the names of documents have no blanks
awk -v folders="^(${folders%|})/" '
    function say(kind, target) { print FILENAME "\t" kind "\t" target }
    function words(code,    part, n, i, word) {
        n = split(code, part, /[ ,;()="'\'']+/)
        for (i = 1; i <= n; i++) {
            word = part[i]
            sub(/^(\.\.?\/)+/, "", word)
            if (word ~ folders && word !~ /[A-Z<>{}$\[]/) say("path", word)
            else if (n == 1 && word ~ /^[a-z0-9_]+\.[ch]$/ && !foreign[word]) say("name", word)
            else if (word ~ /^(ni|pr|suite|test|model|fuzz)_[a-z0-9_]+$/) say("word", word)
            else if (word ~ /^apeni\/[a-z0-9_]+\.h$/) say("path", "ni/include/" word)
        }
    }
    BEGIN { foreign["apelink_config.h"] = foreign["portals4.h"] = 1 } # made by configure; of the specification
    FNR == 1 { fenced = 0 }
    /^```/ { fenced = !fenced; next }
    fenced { next }
    /^#+ / {
        slug = tolower($0)
        sub(/^#+ /, "", slug)
        gsub(/[^a-z0-9 _-]/, "", slug)
        gsub(/ /, "-", slug)
        say("heading", slug)
    }
    {
        rest = $0
        while (match(rest, /\]\([^)]*\)/)) {
            target = substr(rest, RSTART + 2, RLENGTH - 3)
            rest = substr(rest, RSTART + RLENGTH)
            if (target !~ /^[a-z]+:/) say("link", target)
        }
        n = split($0, piece, "`")
        for (i = 2; i <= n; i += 2) words(piece[i])
    }
    /^    / && !/`/ { words($0) }
' $(cat "$work/documents") >"$work/found"

# Comments of the core name sources, too.
# shellcheck disable=SC2016 # the dollars are of awk
tree_files 'ni/*.[ch]' | xargs awk '
    FNR == 1 { inside = 0 }
    !inside && /^ *#/ { next }
    {
        text = $0
        if (!inside && !sub(/.*\/\*/, "", text)) next
        inside = text !~ /\*\//
        while (match(text, /[a-z][a-z0-9_]*\.[ch]/)) {
            name = substr(text, RSTART, RLENGTH)
            text = substr(text, RSTART + RLENGTH)
            if (text !~ /^[a-z0-9_]/ && name != "ctype.h") print FILENAME "\tname\t" name
        }
    }
' >>"$work/found"

# is_there PATH: a file, a folder, a pattern of files, or what makes a program of that name.
is_there() {
    path=${1%/}
    path=${path%.}
    # shellcheck disable=SC2231 # a pattern is wanted here
    for file in $path $path.*; do
        [ -e "$file" ] && return
    done
    return 1
}

grep -E '\.([ch]|def|sh|mk|py)$' "$work/files" | tr '\n' '\0' | xargs -0 cat | tr -cs 'A-Za-z0-9_' '\n' | LC_ALL=C sort -u >"$work/words"
sed 's|.*/||' "$work/files" >"$work/names"
tab=$(printf '\t')
grep -v "${tab}heading$tab" "$work/found" >"$work/named"
count=$(wc -l <"$work/named")

# lacks KIND FILE: which of the names of this kind the file does not have, and who names them.
lacks() {
    awk -F "$tab" -v kind="$1" -v list="$2" '
        BEGIN { while ((getline name <list) > 0) there[name] = 1 }
        $2 == kind && !($3 in there) { print $1 " names " $3 }
    ' "$work/named"
}
{
    lacks word "$work/words" | sed 's/$/, which no source has/'
    lacks name "$work/names" | sed 's/$/, which no folder has/'
} >"$work/lacking"
while IFS= read -r complaint; do
    fail "$complaint"
done <"$work/lacking"
while IFS=$tab read -r document kind target; do
    case $kind in
    link)
        file=./${target%%#*}
        [ "${document%/*}" = "$document" ] || file=${document%/*}/${target%%#*}
        [ "${target#\#}" = "$target" ] || file=$document
        [ -e "$file" ] || { fail "$document links to $target, which is not there"; continue; }
        case $target in
        *\#*)
            file=$(realpath --relative-to=. "$file")
            grep -qxF "$file${tab}heading${tab}${target#*\#}" "$work/found" ||
                fail "$document links to $target: there is no such heading"
            ;;
        esac
        ;;
    path) is_there "$target" || fail "$document names $target, which is not there" ;;
    esac
done <"$work/named"
[ "$count" -gt 100 ] || fail "only $count links and names were found"

# version_is FILE NAME BEFORE AFTER: docs/wire.md has between the two the number that the file gives to the name.
version_is() {
    count=$((count + 1))
    number=$(sed -n "s/.*\\b$2 = \\([0-9][0-9]*\\).*/\\1/p" "$1")
    tr '\n' ' ' <docs/wire.md | grep -qF "$3${number:-?}$4" ||
        fail "docs/wire.md does not have '$3$number$4', but $1 has $2 = $number"
}
version_is ni/engine/core/address.c BLOB_VERSION 'address blob (' ')'
version_is ni/engine/core/address.c BLOB_VERSION ', version (1 byte, ' ')'
version_is ni/link/shm/layout.h NI_SHM_VERSION 'segment of shared memory (' ')'
version_is ni/link/ucx/wire.h NI_UCX_VERSION 'link between hosts (' ')'
version_is ni/link/ucx/wire.h NI_UCX_VERSION '| version, ' ' |'

# at_most LINES FILE
at_most() {
    lines=$(wc -l <"$2")
    count=$((count + 1))
    [ "$lines" -le "$1" ] || fail "$2 has $lines lines, which is more than $1"
}
at_most 200 docs/figures.md
at_most 60 NEWS.md
found=$(grep -nE '[0-9] ?(ns|µs|MB/s|GB/s|MiB/s|%)([^a-z]|$)|(twice|times) as fast|(half|third) of the time' docs/architecture.md) &&
    fail "docs/architecture.md has figures, which belong to docs/figures.md or docs/lab: $found"
finish "$count" "links and names in documents"
