#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Each function that is declared is defined, and each that is not its file's own or a public header's is named somewhere.
# Covers: declared.awk code.awk
. "$(dirname "$0")/files.sh"

list=$(mktemp) || exit 1
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$list" "$folder"' EXIT

# declared LIST: the last line of output is the number of failures; the others say what is wrong.
declared() {
    awk -v list="$1" -f "$src/tests/tree/code.awk" -f "$src/tests/tree/declared.awk"
}

# Files of our own have what must be found, and nothing else: heads on two lines and attributes, but no types, variables,
# macros, callbacks, public functions and names in comments and strings.
cat >"$folder/a.h" <<'EOF'
typedef int (*call)(int);
extern int (*hook)(void);
extern const int place;
int lost(int at);
struct found *gone(
    int (*with)(void)); /* lost() */
__attribute__((format(printf, 1, 2))) void left(const char *text);
int kept(void);
MADE(kept, int);
EOF
cat >"$folder/a.c" <<'EOF'
int kept(void)
{
    return "unused()"[0];
}
__attribute__((noinline)) int
unused(void)
{
    return kept();
}
static int own(void)
{
    return 0;
}
void left(const char *text)
{
    left(text);
}
EOF
printf '%s\n' a.h a.c >"$folder/list"
got=$(cd "$folder" && declared list | LC_ALL=C sort)
want='3
a.c:5: nobody calls unused(): strike it
a.h:4: lost() is defined nowhere: strike it
a.h:5: gone() is defined nowhere: strike it'
[ "$got" = "$want" ] || fail "declared.awk should say
$want
and not
$got"

tree_files '*.[ch]' '*.[fF]90' '*.list' '*.def' '*.h.in' '*.awk' >"$list"
report=$(declared "$list") || { echo "$report"; exit 1; }
failures=$((failures + $(printf '%s\n' "$report" | tail -n 1)))
printf '%s\n' "$report" | sed '$d'
finish "$(wc -l <"$list")" "files"
