#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The words that docs/glossary.md has struck are in no name of the code, and in no comment, or nowhere at all; files that have
# one still are in words.except. That list can only get shorter.
# Covers: words.awk
. "$(dirname "$0")/files.sh"

list=$(mktemp) || exit 1
trap 'rm -f "$list"' EXIT
tree_files 'ni/*.[ch]' 'presto/*.[ch]' 'record/*.[ch]' '*_match/*.[ch]' 'btl_apelink/*.[ch]' 'ompi_glue/*.[ch]' 'pml_hooks/*.[ch]' >"$list"

# words FILES EXCEPTED: the last line of output is the number of failures; the others say what is wrong.
words() {
    awk -v list="$1" -v glossary="$src/docs/glossary.md" -v excepted="$2" -f "$src/tests/tree/words.awk"
}

# everywhere FILES: where a word is that the glossary refuses in files of whatever kind.
everywhere() {
    # shellcheck disable=SC2016 # the quotes are the document's
    for word in $(sed -n 's/^| \(`[^|]*`\) | everywhere | .*/\1/p' "$src/docs/glossary.md" | tr -d '`'); do
        xargs grep -inwI -e "$word" /dev/null <"$1" | sed "s/^\([^:]*:[0-9]*\):.*/\1: it has \"$word\"/"
    done
}

# A file of our own has what must be found, and nothing else: parts of names, comments and whole names of functions, but no
# strings, no includes and no parts of words.
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$list" "$folder"' EXIT
mkdir -p "$folder/ni/base"
cat >"$folder/ni/base/seen.c" <<'EOF'
#include "errand.h"
/* A chore, /* and errands at length
 * on two lines. */
int ni_errandless = 0; /* unusual */ static int ni_errand_run(const char *firing);
static const char *text = "chore owed \" pace";
static int take(int tell) { return it->take(tell) + leave_it(); }
EOF
echo "ni/base/seen.c" >"$folder/list"
echo "ni/base/seen.c gone" >"$folder/except"
got=$(cd "$folder" && words list except | sed -E 's/; say .*//')
want='ni/base/seen.c:2: the comment has "chore"
ni/base/seen.c:2: the comment has "errands"
ni/base/seen.c:4: the comment has "unusual"
ni/base/seen.c:4: the name has "errand"
ni/base/seen.c:4: the name has "firing"
ni/base/seen.c:6: the function has "take"
except: ni/base/seen.c has no "gone" any more: strike it
7'
[ "$got" = "$want" ] || fail "words.awk should say
$want
and not
$got"

# Nor in documents and scripts; but in the glossary, and here.
printf 'So be it.\nWhoever\n' >"$folder/seen.md"
echo "seen.md" >"$folder/list"
got=$(cd "$folder" && everywhere list)
[ "$got" = 'seen.md:2: it has "whoever"' ] || fail "words.sh should find the word in seen.md, and says: $got"
tree_files '*' | grep -vE '^(build-aux/|config/m4/)|^(configure|libtool|aclocal\.m4|Makefile\.in)$|\.png$|/corpus/' |
    grep -vxE 'docs/glossary\.md|tests/tree/words\.sh' >"$folder/all"
for place in $(everywhere "$folder/all" | cut -d ' ' -f 1); do
    fail "$place has a word that docs/glossary.md refuses everywhere"
done

report=$(words "$list" tests/tree/words.except) || { echo "$report"; exit 1; }
failures=$((failures + $(printf '%s\n' "$report" | tail -n 1)))
printf '%s\n' "$report" | sed '$d'
finish "$(wc -l <"$list")" "source files"
