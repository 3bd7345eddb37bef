#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# No two files of ni/ have a function of their own of the same name, so that a name that is looked for is found once; those of
# statics.except still have. That list can only get shorter.
# Covers: statics.awk
. "$(dirname "$0")/files.sh"

list=$(mktemp) || exit 1
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$list" "$folder"' EXIT

# statics LIST EXCEPTED: the last line of output is the number of failures; the others say what is wrong.
statics() {
    awk -v list="$1" -v excepted="$2" -f "$src/tests/tree/statics.awk"
}

# Files of our own have what must be found, and nothing else: a head on two lines, a type, an attribute, but no
# declarations, variables and second bodies of the same file.
cat >"$folder/a.c" <<'EOF'
static int look(int at);
static const int place = 1;
static int look(int at)
{
    return at;
}
#if 1
static struct found *find(int in)
{
#else
static struct found *find(void)
{
#endif
}
NI_ALWAYS_INLINE void step(void)
{
}
EOF
cat >"$folder/b.c" <<'EOF'
static int place(void);
static __attribute__((format(printf, 1, 2))) void look(
    const char *text)
{
}
static struct found
find(void)
{
}
static NI_COLD bool *step(void)
{
}
EOF
printf '%s\n' a.c b.c >"$folder/list"
printf '%s\n' "b.c step" "b.c gone" >"$folder/except"
got=$(cd "$folder" && statics list except)
want='b.c:2: look() is a function of a.c:3 too: have the name say of what it is
b.c:6: find() is a function of a.c:8 too: have the name say of what it is
except: b.c shares no gone() any more: strike it
3'
[ "$got" = "$want" ] || fail "statics.awk should say
$want
and not
$got"

tree_files 'ni/*.[ch]' >"$list"
report=$(statics "$list" tests/tree/statics.except) || { echo "$report"; exit 1; }
failures=$((failures + $(printf '%s\n' "$report" | tail -n 1)))
printf '%s\n' "$report" | sed '$d'
finish "$(wc -l <"$list")" "files"
