#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Programs of prestocc on several hosts, started by prestorun: data is checked, also in files, ranks of one host share memory and others do not, a rank
# or a host that dies ends the job or, if asked for, only what waits for it. Who is late for a rank of another host is in the record, by the
# clocks of both.
# Covers: presto/core/recorder_hosts.c
. "$(dirname "$0")/presto_common.sh"
needs_presto_hosts
command -v python3 >/dev/null 2>&1 || skip "there is no python3 (Debian: python3), which reads records"
mpi=$(cd "$here/../mpi" && pwd)
run=$build/presto/tools/prestorun

# job STATUS ARGUMENT...: on h1 to h3, h1 being this one.
job() {
    wanted=$1
    shift
    expect "$wanted" "$hosts" exec h1 timeout -k 10 100 "$run" "$@"
}

expect 0 "$hosts" up -n 3
compile "$mpi/p2p_soak.c" "$mpi/mt.c" -o "$work/p2p_soak"
for places in "-H h1:2,h2:2,h3:2" "-H h2:2,h3:2 --fanout 1" "-H h3,h2,h1 --map-by node -n 5"; do
    # shellcheck disable=SC2086 # a list
    job 0 $places "$work/p2p_soak" -n 100 -seed 6
    says out MT-OK
done
for part in mt coll dt thr rma; do
    compile "$mpi/$part.c" -c -o "$work/part_$part.o"
done
for program in rma_putget rma_windows coll_mixed; do
    compile "$mpi/$program.c" "$work"/part_*.o -I"$mpi" -o "$work/$program"
    job 0 -H h1:2,h2:2 "$work/$program"
    says out MT-OK
done
# Files in a folder that all hosts see: collective accesses by others, shared pointers without shared memory.
for program in file_calls file_model file_views; do
    compile "$mpi/$program.c" "$work"/part_*.o -I"$mpi" -o "$work/$program"
    job 0 -H h1:2,h2:2,h3:1 -x TMPDIR="$work" "$work/$program"
    says out MT-OK
done
cat >"$work/shared.c" <<'END'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

/* How many ranks share a host, by what MPI says and by what prestorun has said. */
int main(int argc, char **argv)
{
    MPI_Comm near;
    int size, rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &near);
    MPI_Comm_size(near, &size);
    printf("%d %d %s\n", rank, size, getenv("PRESTO_HOST_RANKS"));
    fflush(stdout);
    MPI_Comm_free(&near);
    if (argc > 1 && rank == atoi(argv[1])) {
        MPI_Abort(MPI_COMM_WORLD, 9);
    }
    if (argc > 1) {
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
END
compile "$work/shared.c" -o "$work/shared"
job 0 -H h1:3,h2:1,h3:2 "$work/shared"
[ "$(sort -n "$work/out")" = "$(printf '0 3 3\n1 3 3\n2 3 3\n3 1 1\n4 2 2\n5 2 2')" ] || fail "ranks that share a host: $(cat "$work/out")"
job 9 -H h1:2,h2:2,h3:2 "$work/shared" 5
says err "rank 5"

# The record of a job that is ended has all ranks, and nothing of it is left on any host.
PRESTO_REPORT_PROGRAM=$work/report
printf '#!/bin/sh\nexec python3 "%s" "$@"\n' "$(cd "$here/../.." && pwd)/pml_hooks/report" >"$PRESTO_REPORT_PROGRAM"
chmod +x "$PRESTO_REPORT_PROGRAM"
export PRESTO_REPORT_PROGRAM
for fanout in 1 2; do
    job 9 -H h1:2,h2:2,h3:2 --fanout $fanout --report "$work/report.json" "$work/shared" 3
    "$PRESTO_REPORT_PROGRAM" "$work/report.json" >"$work/out" 2>"$work/err" || fail "there is no record: $(cat "$work/err")"
    says out "6 ranks on 3 hosts"
    for host in h1 h2 h3; do
        expect 0 "$hosts" exec $host find /dev/shm -type f
        [ ! -s "$work/out" ] || fail "left on $host: $(cat "$work/out")"
    done
    rm -f "$work/report.json"
done

# The second host's monotonic clock is an hour ahead; each rank but the first waits for the one before, on the other host.
cat >"$work/ahead" <<'END'
[ "$(hostname)" != h2 ] || exec unshare --time --monotonic 3600 --fork "$@"
exec "$@"
END
if unshare --time --monotonic 1 --fork true 2>/dev/null; then
    compile "$here/../hooks/hooks_costs.c" -o "$work/hooks_costs"
    for try in 1 2 3; do # where the machine is busy the clocks may not be read in time
        job 0 -H h1:2,h2:2 --map-by node --report "$work/report.json" sh "$work/ahead" "$work/hooks_costs" chain
        python3 "$here/../hooks/clockscheck.py" "$work/report.json" "$work/out" >"$work/said" && break
        [ "$try" -lt 3 ] || fail "clocks of two hosts: $(cat "$work/said")"
    done
fi

# A host dies in the middle: the job ends, and names it.
"$hosts" exec h1 timeout -k 10 400 "$run" -H h1:2,h2:2,h3:2 "$work/p2p_soak" -n 10000000 -seed 6 >"$work/out" 2>"$work/err" &
pid=$!
for _ in $(seq 2400); do
    "$hosts" exec h3 sh -c "grep -sl p2p_soak /proc/[0-9]*/comm" >"$work/there" && break
    sleep 0.05
done
sleep 0.5
expect 0 "$hosts" kill h3
wait $pid
status=$?
case $status in 0 | 124) fail "a host is killed: exit status $status" ;; esac
"$hosts" exec h1 sh -c "grep -sl p2p_soak /proc/[0-9]*/comm" >"$work/there" && fail "a host is killed: ranks are left on h1"
"$hosts" exec h2 sh -c "grep -sl p2p_soak /proc/[0-9]*/comm" >"$work/there" && fail "a host is killed: ranks are left on h2"
expect 0 "$hosts" exec h2 find /dev/shm -type f
[ ! -s "$work/out" ] || fail "left on h2: $(cat "$work/out")"
finish "Presto's programs run on several hosts without another launcher"
