# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh disable=SC2154 # common.sh sets hosts and work
# Sourced after common.sh by the tests of apelink-hfm on hosts: daemons in namespaces, one on each, and what they say.
# $hfm is the program; node N runs on host h(N + 1), its socket is $work/cN, its record $work/rN, its log $work/lN.

hfm=${APELINK_BUILDDIR:-.}/hfm/apelink-hfm
[ -x "$hfm" ] || { echo "skipped: apelink-hfm was not built, for want of libevent"; exit 77; }

# configure NODES MASTERS [SETTING...]: $work/conf, of a ring of hosts, of which the first ones are masters.
configure() {
    nodes=$1
    masters=$2
    shift 2
    od -An -N16 -tx1 /dev/urandom | tr -d ' ' >"$work/key"
    {
        echo "torus ${nodes}x1x1"
        for node in $(seq 0 $((nodes - 1))); do
            role=
            [ "$node" -ge "$masters" ] || role=master
            echo "node $node $("$hosts" exec "h$((node + 1))" hostname -i):7100 h$((node + 1)) $role"
        done
        echo "key $work/key"
        printf '%s\n' "$@"
    } >"$work/conf"
}

# serve NODE: start its daemon; $work/pidN gets what kills it, within its host.
serve() {
    {
        cat "$work/conf"
        echo "control $work/c$1"
        echo "record $work/r$1"
    } >"$work/conf$1"
    "$hosts" exec "h$(($1 + 1))" sh -c "echo \$\$ >'$work/pid$1'; exec '$hfm' run '$work/conf$1'" >>"$work/l$1" 2>&1 &
    until [ -S "$work/c$1" ]; do
        kill -0 $! 2>/dev/null || { fail "the daemon of node $1 ends: $(cat "$work/l$1")"; return; }
        sleep 0.05
    done
}

# signal NODE SIGNAL: to its daemon.
signal() {
    "$hosts" exec "h$(($1 + 1))" kill "-$2" "$(cat "$work/pid$1")"
}

# holds NODE EXPRESSION: true of its status, as s, and of its nodes, as n.
holds() {
    "$hfm" status --json -c "$work/c$1" >"$work/json" 2>&1
    python3 - "$work/json" "$2" <<'EOP'
import json, sys
try:
    s = json.load(open(sys.argv[1]))
except ValueError:
    sys.exit("no JSON: " + open(sys.argv[1]).read())
n = s["nodes"]
if not eval(sys.argv[2]):
    sys.exit("not so: %s of master %s, states %s" % (sys.argv[2], s["master"], [x["fault"] for x in n]))
EOP
}

# becomes NODE EXPRESSION WHAT: within half a minute.
becomes() {
    for _ in $(seq 150); do
        holds "$1" "$2" 2>"$work/why" && return
        sleep 0.2
    done
    fail "node $1: $3: $(cat "$work/why")"
}
