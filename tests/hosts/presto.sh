#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Presto's programs on several hosts, started by mpirun: presto.sh [--all]. With --all also those that take longer.
. "$(dirname "$0")/presto_common.sh"
needs_presto
native=$build/tests/presto
presto=$(cd "$here/../presto" && pwd)
mpi=$(cd "$here/../mpi" && pwd)
runs=0

# run COMMAND...: two ranks on each host, neighbours on different ones.
run() {
    runs=$((runs + 1))
    expect 0 "$hosts" exec h1 timeout -k 10 100 "${MPIRUN:-mpirun}" --map-by node --bind-to none "$@"
}

expect 0 "$hosts" up -n 3
run -n 4 "$native/native_p2p"
run -n 6 "$native/native_p2p"
compile "$presto/mpi_calls.c" -I"$mpi" -o "$work/mpi_calls"
run -n 4 "$work/mpi_calls"
says out MT-OK
# Across hosts no window is in shared memory, and what asks for it is refused; on one it is as ever.
for part in "$presto"/rma_calls*.c; do
    compile "$part" -I"$mpi" -c -o "$work/$(basename "$part" .c).o"
done
compile "$work"/rma_calls*.o -o "$work/rma_calls"
run -n 2 -x PRESTO_RMA_SHARED=0 "$work/rma_calls"
says out MT-OK
programs="rma_putget rma_atomic rma_windows"
if [ "${1-}" = --all ]; then
    run -n 6 "$native/native_coll"
    programs="$programs rma_sync rma_soak p2p_soak p2p_sizes p2p_cancel_send coll_all coll_mixed thr_fanin"
fi
for part in mt coll dt thr rma; do
    compile "$mpi/$part.c" -c -o "$work/part_$part.o"
done
for program in $programs; do
    compile "$mpi/$program.c" "$work"/part_*.o -I"$mpi" -o "$work/$program"
    run -n 4 "$work/$program"
    says out MT-OK
done
expect 0 "$hosts" exec h2 find /dev/shm -type f
[ ! -s "$work/out" ] || fail "left on h2: $(cat "$work/out")"
finish "$runs runs on several hosts"
