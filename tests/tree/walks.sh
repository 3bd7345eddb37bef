#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Each step of the three walks in docs/architecture.md is a function that is defined in the file which it names, and no walk has more
# steps than it may have.
. "$(dirname "$0")/files.sh"

walks=$(sed -n '/^## Three walks/,/^## [^T]/p' docs/architecture.md)
# shellcheck disable=SC2016 # the quotes are the document's
steps=$(printf '%s\n' "$walks" | grep -Eo '`[a-z_0-9]+` \(`[a-z_0-9/]+\.[ch]`\)' | tr -d '`()')
count=0
while read -r name file; do
    count=$((count + 1))
    if [ ! -f "$file" ]; then
        fail "docs/architecture.md: $file, where $name is to be, is not there"
    elif ! awk -v name="$name" '
            $0 ~ "(^|[ *])" name "\\(" && $0 !~ /^[ \t]/ { inside = 1 }
            inside && /;[ \t]*$/ { inside = 0 }
            inside && /^\{/ { found = 1; exit }
            END { exit !found }' "$file"; then
        fail "docs/architecture.md: $name is not defined in $file"
    fi
done <<EOF
$steps
EOF

# most WALK STEPS
most() {
    got=$(printf '%s\n' "$walks" | awk -v walk="**$1**" '
        index($0, "**") == 1 { inside = index($0, walk) == 1 }
        inside && /^[0-9]+\. / { n++ }
        END { print n + 0 }')
    [ "$got" -ge 1 ] || fail "docs/architecture.md has no walk \"$1\""
    [ "$got" -le "$2" ] || fail "docs/architecture.md: \"$1\" has $got steps, and may have $2"
}
most "A small message over the BTL" 9
most "A long message over the MTL" 11
most "A notification" 6
finish "$count" "steps"
