#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# faults.sh with the programs compiled by prestocc.
. "$(dirname "$0")/presto_common.sh"
needs_presto
compile "$here/../mpi/p2p_soak.c" "$here/../mpi/mt.c" -o "$work/p2p_soak"
compile -pthread "$here/../mpi/thr_pingpong.c" "$here/../mpi/thr.c" "$here/../mpi/mt.c" -o "$work/thr_pingpong"
[ $failures -eq 0 ] || exit 1
FAULTS_PROGRAMS=$work
export FAULTS_PROGRAMS
sh "$here/faults.sh" --bind-to none
