#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Covers: ompi_glue/hosts.c
# mpirun on hosts of apelink-hosts starts processes on all of them, and they reach each other over TCP.
. "$(dirname "$0")/common.sh"
needs_hosts
build=${APELINK_BUILDDIR:-.}
[ -x "$build/tests/mpi/p2p_sizes" ] || skip "configure found no Open MPI, so the MPI programs were not built"
[ -z "${APELINK_SANITIZER-}" ] || skip "apelink-hosts and btl tcp are not built with sanitizers"
mpirun=${MPIRUN:-mpirun}

expect 0 "$hosts" run -n 3 timeout -k 10 60 "$mpirun" --hostfile @HOSTFILE@ -n 6 sh -c 'hostname'
[ "$(sort "$work/out" | uniq -c | tr -s ' \n' ' ')" = " 2 h1 2 h2 2 h3 " ] || fail "processes on: $(cat "$work/out")"
expect 0 "$hosts" run -n 2 timeout -k 10 60 "$mpirun" --map-by node --mca pml ob1 --mca btl tcp,self --mca mpi_yield_when_idle 1 \
    -n 2 "$build/tests/mpi/p2p_match"
says out MT-OK
expect 9 "$hosts" run -n 2 timeout -k 10 60 "$mpirun" --map-by node -n 2 sh -c 'exit 9'
finish "mpirun starts processes on all hosts"
