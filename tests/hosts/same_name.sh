#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Covers: ompi_glue/locality.c
# Two hosts have one name, which a message names: windows over osc/rdma are refused, and all else works, shared windows too, over
# the BTL and the MTL.
. "$(dirname "$0")/common.sh"
needs_hosts
. "$here/components.sh"

# job PROGRAM ARGUMENT...: two processes on each host, for mpirun; its exit status is in status.
job() {
    program=$build/tests/mpi/$1
    shift
    "$hosts" exec h1 timeout -k 10 100 "${MPIRUN:-mpirun}" --host h1:2,h2:2 --map-by node --bind-to none -n 4 \
        --mca mpi_yield_when_idle 1 "$@" "$program" >"$work/out" 2>&1 </dev/null
    status=$?
    says out "Name of the hosts: twin"
}

works() {
    job "$@"
    [ $status = 0 ] || fail "$*: exit status $status"
    says out MT-OK
}

refused() {
    job "$@"
    case $status in 0 | 124 | 137 | 139) fail "$*: exit status $status" ;; esac
    says out "a window is made by"
    says out "Give each host a name of its own"
}

expect 0 "$hosts" up -n 2
for host in h1 h2; do
    expect 0 "$hosts" exec $host hostname twin
done
works p2p_order --mca pml ob1 --mca btl apelink,self
works rma_windows --mca pml ob1 --mca btl apelink,self --mca osc pt2pt,sm
works rma_windows --mca pml cm --mca mtl match --mca osc pt2pt,sm
refused rma_putget --mca pml ob1 --mca btl apelink,self --mca osc rdma,sm
finish "hosts of one name are told apart"
