#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Covers: ompi_glue/map.c
# The parameter show_links of btl apelink and mtl match: one process of each host prints by which links it has reached others, and why.
. "$(dirname "$0")/common.sh"
needs_hosts
. "$here/components.sh"

# run ARGUMENT...: two processes on each of two hosts, and everybody talks to everybody.
run() {
    expect 0 "$hosts" exec h1 timeout -k 10 100 "${MPIRUN:-mpirun}" --bind-to none --map-by slot --hostfile @HOSTFILE@ -n 4 -N 2 \
        --mca mpi_yield_when_idle 1 "$@" "$build/tests/mpi/p2p_all"
    says out MT-OK
    cat "$work/out" "$work/err" | grep reached >"$work/reached"
}

# lines NUMBER
lines() {
    [ "$(wc -l <"$work/reached")" = "$1" ] || fail "$(wc -l <"$work/reached") lines of links instead of $1: $(cat "$work/reached")"
}

expect 0 "$hosts" up -n 2
run --mca pml ob1 --mca btl apelink,self
lines 0
run --mca pml ob1 --mca btl apelink,self --mca btl_apelink_show_links yes
says reached 'btl apelink: process 0 on h1 reached others by shm 1 (the first link that reaches them; long messages go by process_vm_readv); ucx 2-3 (out of reach of the first; long messages go by packets)'
says reached 'btl apelink: process 2 on h2 reached others by ucx 0-1 (out of reach of the first; long messages go by packets); shm 3 (the first link that reaches them; long messages go by process_vm_readv)'
lines 2
run --mca pml ob1 --mca btl apelink,self --mca btl_apelink_show_links yes --mca btl_apelink_links ucx
says reached 'btl apelink: process 0 on h1 reached others by ucx 1-3 (the only link; long messages go by packets)'
says reached 'btl apelink: process 2 on h2 reached others by ucx 0-1, 3 (the only link; long messages go by packets)'
lines 2
run --mca pml cm --mca mtl match --mca mtl_match_show_links yes
says reached 'mtl match: process 0 on h1 reached others by shm 1 (the first link that reaches them; long messages go by process_vm_readv); ucx 2-3 (out of reach of the first; long messages go by packets)'
says reached 'mtl match: process 2 on h2 reached others by ucx 0-1 (out of reach of the first; long messages go by packets); shm 3 (the first link that reaches them; long messages go by process_vm_readv)'
lines 2
finish "two processes tell by which links they reached others"
