#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# faults.sh with the program compiled by prestocc.
. "$(dirname "$0")/presto_common.sh"
needs_presto
compile "$here/../mpi/p2p_soak.c" "$here/../mpi/mt.c" -o "$work/p2p_soak"
[ $failures -eq 0 ] || exit 1
FAULTS_PROGRAM=$work/p2p_soak
export FAULTS_PROGRAM
sh "$here/faults.sh" --bind-to none
