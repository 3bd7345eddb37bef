#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Covers: ni/engine/drive/faults.c, hfm/daemon/files.c.
# What apelink-hfm knows ends what waits for a host: its link is cut, so that TCP says nothing for a minute, and ranks that wait for
# one there have an error that names node, component and path, and go on. Presto, and over the MTL Open MPI. Daemons that are
# stopped, killed, or end are no reason, for longer than the hold time.
. "$(dirname "$0")/presto_common.sh"
needs_presto_hosts
. "$(dirname "$0")/hfm_common.sh"
compile "$here/lost_host.c" -o "$work/lost_host"
[ $failures -eq 0 ] || exit 1

# await TEXT [COUNT]: until so many lines say it. The parameter ucx_timeout_s is a minute.
await() {
    for _ in $(seq 300); do
        [ "$(grep -cF -- "$1" "$work/said")" -ge "${2-1}" ] && return
        kill -0 $job 2>/dev/null || break
        sleep 0.1
    done
    fail "not ${2-1} times \"$1\": $(cat "$work/said")"
}

begin_again() {
    rm -f "$work/c$1"
    serve "$1"
    becomes 0 "n[$1][\"state\"] == \"normal\"" "node $1 does not begin again"
}

why='its host has failed, node 2 (h3): node gone, daemon silent; known by no ping heard by node 0 over the service network'
expect 0 "$hosts" up -n 3
configure 3 1 'grace 3000' 'ping 20' 'hold 600' 'page /dev/shm/apelink-faults'
for node in 0 1 2; do serve $node; done
becomes 1 's["master"] == 0 and all(x["state"] == "normal" for x in n)' "it does not know the master"

"$hosts" exec h1 timeout -k 10 300 "$build/presto/tools/prestorun" -H h1,h2,h3 --keep-going "$work/lost_host" >"$work/said" 2>&1 &
job=$!
await ready 3
sleep 0.2 # pages are looked at
signal 2 STOP
becomes 0 'n[2]["fault"] == "daemon silent"' "node 2 is not missed"
sleep 1
signal 2 CONT
becomes 0 'n[2]["state"] == "normal"' "node 2 does not go on"
signal 2 KILL
becomes 0 'n[2]["fault"] == "daemon silent"' "node 2 is not missed"
sleep 1
begin_again 2
signal 1 TERM
becomes 0 'n[1]["fault"] == "daemon stopped"' "node 1 does not leave"
begin_again 1
signal 0 STOP # the master
sleep 1
signal 0 CONT
for node in 0 1 2; do
    becomes $node 's["master"] == 0 and all(x["state"] == "normal" for x in n)' "not all is well again"
done
sleep 0.7 # pages of daemons that were begun again are opened
grep -v -e ready -e "where peers of this process are" "$work/said" && fail "a rank is lost with a daemon"
kill -0 $job || fail "the job has ended"
expect 0 "$hosts" cut h3
await "$why"
await "goes on: 0, 1" 2
grep -q 'rank [01]: MPIX_ERR_PROC_FAILED: .*rank 2 of the job has died' "$work/said" || fail "no error of its class: $(cat "$work/said")"
expect 0 "$hosts" heal h3
becomes 1 'n[2]["state"] == "normal"' "node 2 does not come back"
kill $job 2>/dev/null
wait $job

mpirun=${MPIRUN:-mpirun}
if command -v "$mpirun" >/dev/null 2>&1 && [ -x "$build/tests/mpi/bad_silent" ] && [ -e "$build/mtl_match/.libs/mca_mtl_match.so" ]; then
    . "$here/components.sh"
    "$hosts" exec h1 timeout -k 10 100 "$mpirun" --host h1,h3 --bind-to none -n 2 --mca mpi_yield_when_idle 1 --mca pml cm --mca mtl match \
        "$build/tests/mpi/bad_silent" -mode idle -ms 6000 >"$work/said" 2>&1 &
    job=$!
    await ready
    sleep 0.5
    expect 0 "$hosts" cut h3
    await "$why"
    expect 0 "$hosts" heal h3
    wait $job
fi
finish "ranks that wait for a host that failed are told why"
