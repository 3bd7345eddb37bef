#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# apeni-info: its options, what it says about a bad option or a bad environment, its exit status, its JSON.
set -u

build=${APELINK_BUILDDIR:-.}
src=${APELINK_SRCDIR:-.}
tool=$build/tools/apeni-info
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

# Whatever the caller has set must not decide these tests.
for name in $(env | sed -n 's/^\(APENI_[A-Za-z0-9_]*\)=.*/\1/p'); do
    unset "$name"
done

fail() {
    echo "FAIL: $*"
    failures=$((failures + 1))
}

# expect_with VARIABLE=VALUE STATUS ARGUMENT...: runs the tool; the output is in $work/out and $work/err.
expect_with() {
    setting=$1
    wanted=$2
    shift 2
    env "$setting" "$tool" "$@" >"$work/out" 2>"$work/err"
    status=$?
    [ "$status" -eq "$wanted" ] || fail "apeni-info $*: exit status $status instead of $wanted"
}

expect() {
    expect_with LC_ALL=C "$@"
}

# says FILE TEXT: the file has the text.
says() {
    grep -qF -- "$2" "$work/$1" || {
        fail "no \"$2\" in:"
        sed 's/^/    /' "$work/$1"
    }
}

# names MACRO FILE: the first arguments of the rows of a table, into $work/names.
names() {
    sed -n "s/^$1(\([a-z0-9_]*\),.*/\1/p" "$src/ni/base/$2" >"$work/names"
    [ -s "$work/names" ] || fail "no rows in $2"
}

silent() {
    [ ! -s "$work/err" ] || {
        fail "unexpected on standard error:"
        sed 's/^/    /' "$work/err"
    }
}

expect 0 --help
says out 'usage: apeni-info'
silent
expect 0 --version
says out 'apeni-info '
expect 0
says out 'Build'
says out 'links'
says out 'process vm siblings'
says out 'dev shm'
silent

# every row of the tables is there, with its default and its help
expect 0 --params
silent
names NI_PARAM_ROW params.def
while read -r name; do
    says out "$name = "
done <"$work/names"
says out 'shm_ring_size = 32K (default)'
says out 'accepted  4K to 1M bytes'
expect 0 --stats
names NI_STAT_ROW stats.def
while read -r name; do
    says out "$name "
done <"$work/names"

# values from the environment, with their origin
expect_with APENI_SHM_RING_SIZE=65536 0 --params
says out 'shm_ring_size = 64K (environment)'
expect_with APENI_SIMD=scalar 0 --host
says out 'vector code            scalar'

# a bad environment is named, and everything else is still printed
expect_with APENI_SHM_RING_SIZE=32Q 1 --params
says err 'environment variable APENI_SHM_RING_SIZE = "32Q": there is something other than K, M or G'
says err 'accepted: 4K to 1M bytes'
says out 'shm_ring_size = 32K (default)'
expect_with APENI_SHM_RNG_SIZE=32K 1
says err 'APENI_SHM_RNG_SIZE names no parameter; did you mean APENI_SHM_RING_SIZE?'
says out 'Build'
expect_with APENI_FAULT=drip:nth=1 1
says err 'APENI_FAULT = "drip:nth=1": "drip": there is no such point'

# a bad option is named
expect 2 --parms
says err 'unknown option "--parms"'
expect 2 -px
says err 'unknown option "-x"'
expect 2 --json=yes
says err 'this option takes no argument: "--json=yes"'
expect 2 surplus
says err 'unexpected argument "surplus"'
expect 2 --markdown
says err '--markdown'
expect 2 --markdown --stats

# the torus: from the number of nodes, from its shape, from a file of hosts
expect 0 --topology --nodes 16 --route 0,15
silent
says out 'shape                  4x2x2'
says out 'most hops              4'
says out '        5  -                    1   1   0      6     4     1     1    13    13'
says out '- 12 -- 13 -- 14 -- 15 -'
says out 'route of 3 hops: node 0, X- to 3, Y+ to 7, Z+ to 15'
expect_with APENI_TORUS=3x5 0 -t
says out 'shape                  3x5x1'
printf 'a 0 0 0\nb 1 0 0\nc 0 1 0\n%s 1 1 0\n' "$(hostname)" >"$work/hosts"
expect_with APENI_TORUS_HOSTS="$work/hosts" 0 --topology --route=b,c
says out 'this host is node      3'
says out 'route of 2 hops: node 1, X+ to 0, Y+ to 2'
expect_with APENI_TORUS_HOSTS="$work/hosts" 0 --topology=svg
says out '<title>node 1 at 1 0 0, host b</title>'
[ "$(grep -c '<circle' "$work/out")" = 4 ] || fail "the drawing does not have 4 nodes"
expect_with APENI_TORUS=4x4x2 0 --topology=svg --route 0,31
if command -v python3 >/dev/null 2>&1; then
    python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$work/out" || fail "the drawing is not XML"
fi
expect_with APENI_TORUS=4x4x 1 --topology
says err 'APENI_TORUS: "4x4x": a size is missing; a shape such as'
expect_with APENI_TORUS_HOSTS=/nonexistent 1 --topology
says err 'APENI_TORUS_HOSTS: /nonexistent: cannot be read'
echo 'a 0 0 0' >>"$work/hosts"
expect_with APENI_TORUS_HOSTS="$work/hosts" 1 --topology
says err 'hosts:5: host a is in line 1 already'
expect_with APENI_TORUS=4 1 --topology --nodes 4
says err 'leave one of them out'
expect 1 --topology --nodes 0
says err '--nodes "0": a number from 1 to 1048576 is wanted'
expect 1 --topology --nodes 4 --route 0,4
says err '"4" is no node; a number from 0 to 3 is wanted'
expect 1 --topology --nodes 4 --route 0
says err '--route "0": two nodes joined by a comma are wanted'
expect 2 --topology=png
says err '"png"'
expect 2 --nodes 4
says err '--topology is needed for "--nodes"'
expect 2 --topology=svg --json
says err '--topology=svg'
expect 2 --topology --route
says err 'needs a value: "--route"'

# a full disk is an error
if [ -w /dev/full ]; then
    "$tool" --params >/dev/full 2>"$work/err"
    [ $? -eq 2 ] || fail "apeni-info does not notice that it cannot write"
    says err 'standard output'
    "$tool" --help >/dev/full 2>"$work/err"
    [ $? -eq 2 ] || fail "apeni-info does not notice that it cannot write its help"
fi

# every combination of sections is one JSON object
if command -v python3 >/dev/null 2>&1; then
    for sections in "" --build --host --params --stats "--build --stats" "--params --host" "--host --topology"; do
        # shellcheck disable=SC2086 # several options
        expect 0 --json $sections
        python3 -c 'import json, sys
data = json.load(sys.stdin)
names = {"--build": ["build"], "--host": ["processor", "host"], "--params": ["parameters"], "--stats": ["statistics"], "--topology": ["topology"]}
wanted = [n for s in (sys.argv[1].split() or set(names) - {"--topology"}) for n in names[s]]
assert sorted(data) == sorted(wanted), (sorted(data), wanted)
for row in data.get("parameters", []):
    assert row["name"] and row["help"] and row["environment"] == "APENI_" + row["name"].upper(), row' \
            "$sections" <"$work/out" || fail "the JSON of \"$sections\" is not as it should be"
    done
else
    echo "JSON not checked: no python3"
fi

# the table of the documentation is the one that this tool prints, wherever and however it is set
expect_with APENI_SPIN=5 0 --params --markdown
cmp -s "$work/out" "$src/docs/parameters.md" ||
    fail "docs/parameters.md is not up to date with ni/base/params.def: run make parameters and commit it"

if command -v mandoc >/dev/null 2>&1; then
    mandoc -T lint -W warning "$src/docs/man/apeni-info.1" || fail "remarks on docs/man/apeni-info.1"
fi

[ $failures -eq 0 ] && echo "apeni-info does what its manual says"
exit $((failures > 0))
