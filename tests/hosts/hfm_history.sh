#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Covers: hfm/lease.c, hfm/history.c, hfm_check.py. Five hosts, three of them candidates, whose links are cut, lossy and healed, whose daemons are stopped
# and killed, masters and others; then a checker reads what all of them have recorded.
. "$(dirname "$0")/common.sh"
needs_hosts
. "$(dirname "$0")/hfm_common.sh"

now() {
    python3 -c 'import time; print(time.monotonic_ns())'
}

# done_to KIND NODE: notes what was done since $from.
done_to() {
    echo "{\"kind\": \"$1\", \"node\": $2, \"from_ns\": $from, \"to_ns\": $(now)}" >>"$work/faults"
}

well() {
    becomes "$1" 's["master"] is not None and all(x["state"] == "normal" for x in n)' "not all is well again after $2"
}

expect 0 "$hosts" up -n 5
configure 5 3 'ping 50' 'silent 6' 'gone 12' 'lease 6' 'grace 5000' 'hold 600'
for node in 0 1 2 3 4; do serve $node; done
for node in 0 1 2 3 4; do well $node "the beginning"; done

for round in 1 2; do
    # a link that is cut, of a master and of another
    for node in $((round - 1)) 3; do
        from=$(now)
        expect 0 "$hosts" cut "h$((node + 1))"
        becomes 4 "n[$node][\"state\"] == \"lost\" and s[\"master\"] not in (None, $node)" "node $node is not missed"
        sleep 4
        expect 0 "$hosts" heal "h$((node + 1))"
        done_to cut "$node"
        well 4 "the link of node $node was healed"
    done

    # half of all that one host sends and gets is lost
    from=$(now)
    expect 0 "$hosts" link h3 loss=50% seed=$round
    sleep 3
    expect 0 "$hosts" link h3 clear
    done_to loss -1
    well 4 "loss ended"

    # a daemon is stopped
    from=$(now)
    signal 4 STOP
    becomes 0 'n[4]["fault"] == "daemon silent"' "node 4 is not missed"
    sleep 4
    signal 4 CONT
    done_to stop 4
    well 4 "it went on"

    # the daemon of the master is killed, and begun again
    holds 4 True
    master=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["master"])' "$work/json")
    from=$(now)
    signal "$master" KILL
    becomes 4 "s[\"master\"] not in (None, $master) and n[$master][\"fault\"] == \"daemon silent\"" "nobody takes over from node $master"
    sleep 4
    rm -f "$work/c$master"
    serve "$master"
    done_to kill "$master"
    well 4 "node $master was begun again"
done
for node in 0 1 2 3 4; do signal $node TERM; done
sleep 1
expect 0 python3 "$here/hfm_check.py" "$work/faults" "$work/r0" "$work/r1" "$work/r2" "$work/r3" "$work/r4"
said=$(tail -n 1 "$work/out")

# the checker finds what is wrong
records="$work/r0 $work/r1 $work/r2 $work/r3"
grep -v '"cut"' "$work/faults" >"$work/fewer"
{ cat "$work/faults"; echo '{"kind": "stop", "node": 3, "from_ns": 1, "to_ns": 9000000000}'; } >"$work/more"
{ cat "$work/r4"; echo '{"event": "master", "acts": true, "at_ns": 1, "until_ns": 1}'; } >"$work/two"
# shellcheck disable=SC2086 # four words
{
    expect 1 python3 "$here/hfm_check.py" "$work/fewer" $records "$work/r4"
    says out "is said to be silent without a cause"
    expect 1 python3 "$here/hfm_check.py" "$work/more" $records "$work/r4"
    says out "nobody told of"
    expect 1 python3 "$here/hfm_check.py" "$work/faults" $records "$work/two"
    says out "two masters: node 4"
}
finish "$said"
