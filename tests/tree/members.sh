#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# struct ni and struct ni_peer have at most 25 members each beside one substructure for each folder of the engine,
# each folder is told of a peer's end, and one file writes what waits for a peer.
. "$(dirname "$0")/files.sh"

# members STRUCT FILE: the members of a struct, one a line: its type and its name.
members() {
    awk -v struct="struct $1 {" '
        $0 == struct { inside = 1; next }
        inside && /^};/ { exit }
        inside {
            gsub(/\/\*[^*]*(\*[^\/][^*]*)*\*\//, "")
            if (comment && sub(/^.*\*\//, "")) comment = 0
            if (comment) next
            if (sub(/\/\*.*/, "")) comment = 1
            text = text " " $0
            while ((at = index(text, ";")) > 0) {
                n = split(substr(text, 1, at - 1), names, ",")
                text = substr(text, at + 1)
                for (i = 1; i <= n; i++) print names[i]
            }
        }' "$2"
}

# Of a file of our own: comments on several lines, two names in one line, a substructure.
sample=$(mktemp) || exit 1
trap 'rm -f "$sample"' EXIT
cat >"$sample" <<'EOF'
struct seen {
    int one; /* and; not this */
    /* Nor; this,
     * nor that; */
    unsigned two, three;
    struct ni_core_part core;
    struct ni_list
        four;
};
EOF
[ "$(members seen "$sample" | wc -l)" -eq 5 ] || fail "members of a sample: $(members seen "$sample")"

check() {
    own=$(members "$1" "$2" | grep -Ecv 'struct ni_(peer_)?(core|send|bulk|object|arrive|drive|life)_part ')
    parts=$(members "$1" "$2" | grep -Eo 'struct ni_(peer_)?[a-z]+_part ' | sort)
    [ "$own" -ge 1 ] || fail "$2 has no struct $1"
    [ "$own" -le 25 ] || fail "struct $1 has $own members beside its substructures, and may have 25"
    [ "$parts" = "$(printf '%s\n' "$parts" | sort -u)" ] || fail "struct $1 has a substructure twice"
    echo "struct $1: $own members, $(printf '%s\n' "$parts" | wc -l) substructures"
}
check ni "$src/ni/engine/core/ni.h"
check ni_peer "$src/ni/engine/core/peer.h"

# Each folder with a substructure of peers says what it does with that at their end; core/ has what all need until then.
for folder in $(members ni_peer "$src/ni/engine/core/peer.h" | sed -nE 's/.*struct ni_peer_([a-z]+)_part .*/\1/p'); do
    row="NI_FOLDER_$(echo "$folder" | tr '[:lower:]' '[:upper:]')"
    [ "$folder" = core ] || grep -rq "ni_peer_ops_register(ni, $row, &" "ni/engine/$folder" ||
        fail "ni/engine/$folder has a part of struct ni_peer, and registers no $row (core/peer_ops.h)"
done
# What waits for a peer is written in one file, by the two functions that it has for that.
found=$(tree_files 'ni/*.[ch]' | xargs grep -lE '(->|\.)waiting [|&^]?= |&peer->waiting\b' | grep -vx ni/engine/core/peer.h)
[ -z "$found" ] || fail "struct ni_peer's waiting is to be written in ni/engine/core/peer.h alone, and is in: $found"
finish 2 "structs"
