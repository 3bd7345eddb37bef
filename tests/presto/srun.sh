#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A real Slurm of two nodes, both on this machine: srun --mpi=pmi2 and --mpi=pmix start Presto's programs and hear how they end.
# SLURM_FOLDER=FOLDER: where its packages were unpacked (Debian: slurmctld, slurmd, slurm-client, slurm-wlm-basic-plugins; dpkg -x), if they are
# not installed.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=${SLURM_FOLDER-}
PATH=$root/usr/sbin:$root/usr/bin:$PATH
export PATH

skip() {
    echo "skipped: $*"
    exit 77
}

# The first of these commands that is there.
first_of() {
    for name in "$@"; do
        command -v "$name" && return
    done
}

[ -z "${APELINK_SANITIZER-}" ] || skip "Slurm's processes have no sanitizer"
[ "$(id -u)" -eq 0 ] || skip "Slurm's daemons are root's"
control=$(first_of slurmctld-wlm slurmctld)
daemon=$(first_of slurmd-wlm slurmd)
step=$(first_of slurmstepd-wlm slurmstepd)
plugins=
for folder in "$root"/usr/lib/*/slurm-wlm "$root"/usr/lib/*/slurm "$root"/usr/lib64/slurm; do
    [ ! -e "$folder/mpi_pmi2.so" ] || plugins=$folder
done
{ [ -n "$control" ] && [ -n "$daemon" ] && [ -n "$step" ] && [ -n "$plugins" ] && command -v srun >/dev/null; } ||
    skip "there is no Slurm (Debian: slurmctld, slurmd, slurm-client); SLURM_FOLDER says where it was unpacked"

# shellcheck source=mpi_common.sh
. "$here/mpi_common.sh"
mpi=$src/tests/mpi
failures=0
started=
cleanup() {
    # shellcheck disable=SC2086 # a list
    [ -z "$started" ] || kill $started 2>/dev/null
    wait
    rm -rf "$work"
}
trap cleanup EXIT
LD_LIBRARY_PATH=$plugins${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH

fail() {
    echo "FAIL: $*"
    sed 's/^/    /' "$work/out"
    failures=$((failures + 1))
}

# A folder for each node, whose processes would meet in /tmp otherwise.
port=$((20000 + $$ % 10000 * 3))
host=$(uname -n)
mkdir -p "$work/state"
for node in 1 2; do
    mkdir -p "$work/conf$node" "$work/tmp$node" "$work/spool/n$node"
    cat >"$work/conf$node/slurm.conf" <<END
ClusterName=small
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/none
CredType=cred/none
PluginDir=$plugins
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/builtin
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool/%n
SlurmctldPidFile=$work/control.pid
SlurmdPidFile=$work/%n.pid
SlurmctldLogFile=$work/control.log
SlurmdLogFile=$work/%n.log
SlurmctldPort=$port
SlurmdParameters=config_overrides
NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 1)) CPUs=4
NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 2)) CPUs=4
PartitionName=all Nodes=ALL Default=YES State=UP
END
    echo "PMIxCliTmpDirBase=$work/tmp$node" >"$work/conf$node/mpi.conf"
done
SLURM_CONF=$work/conf1/slurm.conf
export SLURM_CONF
"$control" -D -f "$SLURM_CONF" >"$work/out" 2>&1 &
started="$started $!"
for node in 1 2; do
    SLURM_CONF=$work/conf$node/slurm.conf "$daemon" -D -c -N n$node -f "$work/conf$node/slurm.conf" -d "$step" >"$work/out" 2>&1 &
    started="$started $!"
done
for _ in $(seq 300); do
    [ "$(sinfo -h -N -t idle -o %N 2>/dev/null | sort -u | wc -l)" -lt 2 ] || break
    sleep 0.2
done
[ "$(sinfo -h -N -t idle -o %N 2>/dev/null | sort -u | wc -l)" -eq 2 ] || {
    tail -n 3 "$work"/*.log
    skip "Slurm's daemons do not start here"
}

cat >"$work/near.c" <<'END'
#include <mpi.h>
#include <stdio.h>

/* How many ranks there are, and on this host; with an argument rank 1 aborts. */
int main(int argc, char **argv)
{
    MPI_Comm near;
    int rank, size, on_host;

    (void)argv;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &near);
    MPI_Comm_size(near, &on_host);
    printf("rank %d of %d, %d near\n", rank, size, on_host);
    fflush(stdout);
    if (argc > 1 && rank == 1) {
        MPI_Abort(MPI_COMM_WORLD, 7);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_free(&near);
    MPI_Finalize();
    return 0;
}
END
compile "$work/near.c" "$work/near" || exit 1
compile "$here/mpi_calls.c" "$work/mpi_calls" -I"$mpi" || exit 1
compile "$here/mpi_files.c" "$work/mpi_files" -I"$mpi" "$mpi/mt.c" || exit 1
hosts=no
! grep -q 'define NI_HAVE_UCX' "$build/apelink_config.h" || hosts=yes

# on WHAT ARGUMENT...: what srun says is in out, its status in rc.
on() {
    what=$1
    shift
    timeout -k 10 120 srun "$@" >"$work/out" 2>&1 </dev/null
    rc=$?
}

kinds=pmi2
[ ! -e "$plugins/mpi_pmix.so" ] || ! grep -q 'define NI_HAVE_PMIX' "$build/apelink_config.h" || kinds="pmi2 pmix"
for kind in $kinds; do
    on "$kind, one node" --mpi="$kind" -N 1 -n 3 "$work/mpi_calls"
    { [ $rc -eq 0 ] && grep -q '^MT-OK' "$work/out"; } || fail "$what: exit status $rc"
    on "$kind, one rank" --mpi="$kind" -n 1 "$work/near"
    { [ $rc -eq 0 ] && grep -qx 'rank 0 of 1, 1 near' "$work/out"; } || fail "$what: exit status $rc"
    [ $hosts = yes ] || continue
    on "$kind, two nodes" --mpi="$kind" -N 2 -n 4 --ntasks-per-node=2 "$work/near"
    { [ $rc -eq 0 ] && [ "$(grep -c '^rank [0-3] of 4, 2 near$' "$work/out")" -eq 4 ]; } || fail "$what: exit status $rc"
    on "$kind, files of two nodes" --mpi="$kind" -N 2 -n 4 env TMPDIR="$work" "$work/mpi_files"
    { [ $rc -eq 0 ] && grep -q '^MT-OK' "$work/out"; } || fail "$what: exit status $rc"
    on "$kind, an abort" --mpi="$kind" -N 2 -n 4 "$work/near" abort
    { [ $rc -ne 0 ] && [ $rc -ne 124 ] && grep -q 'rank 1 (pid [0-9]*) aborts the job with code 7' "$work/out"; } || fail "$what: exit status $rc"
    on "$kind, a rank that is killed" --mpi="$kind" --kill-on-bad-exit=1 -N 2 -n 4 "$work/mpi_files" kill "$work/killed"
    { [ $rc -ne 0 ] && [ $rc -ne 124 ]; } || fail "$what: exit status $rc"
done
echo "srun with $kinds: $failures failures"
[ $failures -eq 0 ]
