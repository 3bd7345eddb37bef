#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Presto's programs on several hosts, started by mpirun: presto.sh [--all]. With --all also those that take longer.
. "$(dirname "$0")/common.sh"
needs_hosts
build=$(cd "${APELINK_BUILDDIR:-.}" && pwd) || exit 1
native=$build/tests/presto
presto=$(cd "$here/../presto" && pwd)
mpi=$(cd "$here/../mpi" && pwd)
grep -q 'define NI_HAVE_PMIX' "$build/apelink_config.h" || skip "configure found no PMIx, with which mpirun starts Presto's programs"
grep -q 'define NI_HAVE_UCX' "$build/apelink_config.h" || skip "configure found no UCX, so there is no link between hosts"
command -v "${MPIRUN:-mpirun}" >/dev/null 2>&1 || skip "there is no mpirun (Debian: openmpi-bin)"
[ -z "${APELINK_SANITIZER-}" ] || skip "apelink-hosts is not built with sanitizers"
OMPI_ALLOW_RUN_AS_ROOT=1
OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
PRESTO_INCLUDEDIR=$(cd "$here/../../presto/include" && pwd)
PRESTO_LIBDIR=$build/presto/.libs
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM PRESTO_INCLUDEDIR PRESTO_LIBDIR
runs=0

compile() {
    "$build/presto/tools/prestocc" -g -D_GNU_SOURCE -Wall -Wextra -Werror "$@" || fail "$* does not compile"
}

# run COMMAND...: two ranks on each host, neighbours on different ones.
run() {
    runs=$((runs + 1))
    expect 0 "$hosts" exec h1 timeout 100 "${MPIRUN:-mpirun}" --map-by node --bind-to none "$@"
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
if [ "${1-}" = --all ]; then
    run -n 6 "$native/native_coll"
    for part in mt coll dt thr rma; do
        compile "$mpi/$part.c" -c -o "$work/part_$part.o"
    done
    for program in p2p_soak p2p_sizes coll_all coll_mixed rma_putget rma_atomic rma_windows thr_fanin; do
        compile "$mpi/$program.c" "$work"/part_*.o -I"$mpi" -o "$work/$program"
        run -n 4 "$work/$program"
    done
fi
expect 0 "$hosts" exec h2 find /dev/shm -type f
[ ! -s "$work/out" ] || fail "left on h2: $(cat "$work/out")"
finish "$runs runs on several hosts"
