#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Covers: hfm/daemon/cables.c.
# Four cards in a ring, each with its fault manager and a process: two cables break, for a while and for good, and between some
# of the cards there is no way.
set -u
failures=0
boards=
devices=
relay=
work=
hfm=${APELINK_BUILDDIR:?}/hfm/apelink-hfm
# shellcheck source=/dev/null
. "${APELINK_SRCDIR:?}/tests/links/boards.sh"
if [ -n "${APELINK_SANITIZER-}" ]; then
    echo "skipped: a sanitizer slows the cards and their fault managers, whose bounds are tens of milliseconds"
    exit 77
fi

start_boards 4 "" apart
# shellcheck disable=SC2086 # numbers
set -- $relay
SUITE_CABLE=$1
SUITE_CABLE_2=$3

# All four are of this host, and have its name; processes know them by the number that their page has.
# shellcheck disable=SC2046 # numbers
set -- $(free_ports 4)
printf 'torus 4x1x1\nkey %s\nwatchdog 200 600\nping 40\nsilent 300\ngone 1000\nlease 25\nset link_timeout 1500000\n' "$work/key" \
    >"$work/conf"
for node in 0 1 2 3; do
    echo "node $node 127.0.0.1:$1 $(uname -n) $([ $node != 0 ] || echo master)" >>"$work/conf"
    shift
done
SUITE_PAGES=
for node in 0 1 2 3; do
    printf 'device %s\ncontrol %s\npage %s\n' "$work/device$node/apelink0" "$work/hfm$node" "$work/page$node" |
        cat "$work/conf" - >"$work/conf$node"
    "$hfm" run --node $node "$work/conf$node" 2>"$work/hfm_err$node" &
    boards="$! $boards" # ends before the cards do
    SUITE_PAGES="$SUITE_PAGES${SUITE_PAGES:+ }$work/page$node"
done

# knows_all NODE: its card is watched, and it hears the master.
knows_all() {
    "$hfm" status --json -c "$work/hfm$1" | python3 -c '
import json, sys
s = json.load(sys.stdin)
sys.exit(s["card"] != "works" or s["master"] != 0 or any(n["state"] != "normal" for n in s["nodes"]))'
}

for node in 0 1 2 3; do
    until_true knows_all $node || fail "node $node: $(cat "$work/hfm_err$node")"
done
SUITE_DEVICES=$devices
APENI_DEV_TIMEOUT_S=0
export SUITE_CABLE SUITE_CABLE_2 SUITE_PAGES SUITE_DEVICES APENI_DEV_TIMEOUT_S

# run CASE MS: with fault_parted_ms.
run() {
    APENI_FAULT_PARTED_MS=$2 "$APELINK_BUILDDIR/tests/links/suite_cards" dev-processes "$1" >"$work/out" 2>&1 ||
        fail "$1: $(cat "$work/out" "$work"/hfm_err*)"
}

run cables_heal 600000
run cables_part 100
"$APELINK_BUILDDIR/tools/apeni-info" --faults="$work/page0" >"$work/out"
grep -q "node 2  *its card has no way to this one's or back: cables are broken at X+ of node 0 and at X- of node 3" "$work/out" ||
    fail "apeni-info says: $(cat "$work/out")"
grep -q 'cables are broken at X+ of node 2 and at X- of node 1: this card reaches nothing between them' "$work/hfm_err1" ||
    fail "node 1 does not say which cables part its ring: $(cat "$work/hfm_err1")"
"$APELINK_BUILDDIR/tools/apeni-info" --faults="$work/page1" --json | python3 -c '
import json, sys
n = json.load(sys.stdin)["faults"]["nodes"]
assert [i for i in range(4) if n[i]["parted"]] == [0, 3], n' || fail "apeni-info --faults --json"

# A link that has no cable, as configured, parts a ring as a broken one does. Node 3's daemon was started last.
daemon=${boards%% *}
kill "$daemon"
wait "$daemon" 2>/dev/null
printf 'links X-\nalign 100\n' >>"$work/conf3"
"$hfm" run --node 3 "$work/conf3" 2>"$work/hfm_err3" &
boards="$! ${boards#* }"
until_true grep -q 'cables are broken at X+ of node 3 and at X- of node 3: this card reaches nothing' "$work/hfm_err3" ||
    fail "node 3 takes a link without a cable for whole: $(cat "$work/hfm_err3")"
end_boards

echo "$failures failures"
[ "$failures" -eq 0 ]
