#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Covers: presto/core/launch_alone.c presto/core/launch_prestorun.c presto/core/start.c presto/core/interface.c
# presto/core/meet.c presto/core/peer.c
# Covers: presto/core/environment.c presto/core/stats.c
# The native interface's programs, over each link and started in each way.
set -u
build=${APELINK_BUILDDIR:-.}
programs=$build/tests/presto
prestorun=$build/presto/tools/prestorun
errors=$(mktemp) || exit 1
trap 'rm -f "$errors"' EXIT
failures=0

run() { # WHAT COMMAND...
    what=$1
    shift
    timeout -k 10 120 "$@" </dev/null || { echo "FAIL: $what: exit status $?"; failures=$((failures + 1)); }
}

fails() { # WHAT CODE PATTERN COMMAND...: it ends with this code and says so
    what=$1
    code=$2
    pattern=$3
    shift 3
    timeout -k 10 120 "$@" >"$errors" 2>&1 </dev/null
    status=$?
    [ $status -eq "$code" ] && { [ -z "$pattern" ] || grep -q "$pattern" "$errors"; } && return
    echo "FAIL: $what: exit status $status, not $code; it printed:"
    cat "$errors"
    failures=$((failures + 1))
}

for program in native_p2p native_coll; do
    run "$program alone" "$programs/$program"
    for n in 2 5; do
        run "$program in $n threads" "$programs/$program" threads $n
        run "$program in $n processes" "$prestorun" -n $n "$programs/$program"
    done
done
run "native_p2p in 16 processes" "$prestorun" -n 16 "$programs/native_p2p"
run "native_coll in 16 threads" "$programs/native_coll" threads 16
run "native_p2p numbered by the environment" env PRESTO_THREADS=1 "$programs/native_p2p"
run "native_threads in 3 processes" "$prestorun" -n 3 "$programs/native_threads"

# An aborted job is no success, whatever is left of the code in an exit status.
aborts() { # WHAT COMMAND...
    what=$1
    shift
    while read -r code status; do
        fails "$what aborts with code $code" "$status" "aborts the job with code $code\>" env ABORT_CODE="$code" "$@" "$programs/native_abort"
    done <<END
0 1
256 1
-65536 1
300 44
-1 255
7 7
END
}
aborts "a job of one rank" env
aborts "a job of threads" env PRESTO_THREADS=1
aborts "prestorun" "$prestorun" -n 3
ABORT_CODE=512 fails "threads that abort" 1 'aborts the job with code 512 (exit status 1)' "$programs/native_abort" threads 3

# Launchers that say nothing of PMIx or PMI-2: no jobs of one rank each, unless they are asked for; prestorun works within.
fails "srun without PMIx" 1 'one of 3 processes that srun has started without PMIx or PMI-2.*srun --mpi=pmix or --mpi=pmi2' env SLURM_STEP_NUM_TASKS=3 "$programs/native_p2p"
fails "a PMI launcher" 1 'one of 2 processes that a PMI launcher has started without PMIx or PMI-2.*prestorun' env PMI_SIZE=2 "$programs/native_p2p"
run "one rank of srun" env SLURM_STEP_NUM_TASKS=1 "$programs/native_p2p"
run "jobs of one rank by srun" env SLURM_STEP_NUM_TASKS=3 PRESTO_THREADS=1 "$programs/native_p2p"
run "what a rank hears of prestorun's end by" "$prestorun" -n 3 "$programs/native_watch"
run "prestorun within srun" env SLURM_STEP_NUM_TASKS=3 "$prestorun" -n 2 "$programs/native_p2p"

# By launchers with PMI-2: ours, and MPICH's where it is installed. Two hosts are this one, over UCX.
pmi2=$programs/pmi2_launcher
run "native_p2p by PMI-2" "$pmi2" 3 "$programs/native_p2p"
run "native_coll by PMI-2, which says where ranks are" "$pmi2" --hosts "(vector,(0,1,4))" 4 "$programs/native_coll"
run "native_p2p by PMI-2 that wants to hear of what job ranks are" "$pmi2" --job 6.0 3 "$programs/native_p2p"
run "a job of one rank by PMI-2" "$pmi2" 1 "$programs/native_p2p"
# As Slurm says it of ranks dealt out in turn: a block for each round.
rounds=$(printf ',(0,1,1)%.0s' $(seq 150))
run "native_p2p by PMI-2 with a long mapping" "$pmi2" --hosts "(vector$rounds)" 4 "$programs/native_p2p"
# What a rank starts is a job of its own; what srun starts in it, without PMI-2, is one of several all the same.
run "a program that a rank starts" "$pmi2" 2 "$programs/native_child" "$programs/native_p2p"
fails "srun that a rank starts" 1 'one of 2 processes that a PMI launcher has started' "$pmi2" 2 "$programs/native_child" env SLURM_STEP_ID=another "$programs/native_p2p"
if [ -x "$programs/native_keys" ] && [ -z "${APELINK_SANITIZER-}" ]; then
    run "native_p2p by PMI-2 on two hosts" "$pmi2" --hosts "(vector,(0,2,1))" 4 "$programs/native_p2p"
fi
fails "an abort by PMI-2" 1 'pmi2_launcher: a rank aborts: pr_abort with code 1' "$pmi2" 2 "$programs/native_death"
ABORT_CODE=256 fails "an abort with code 256 by PMI-2" 1 'pmi2_launcher: a rank aborts' "$pmi2" 2 "$programs/native_abort"
fails "a death by PMI-2" 137 '' "$pmi2" 3 "$programs/native_death"
fails "PMI-1 alone" 1 'presto: the launcher .* has another version of PMI; use srun --mpi=pmi2 or --mpi=pmix' "$pmi2" --old 2 "$programs/native_p2p"
for command in fullinit job-getid info-getjobattr kvs-put kvs-fence kvs-get; do
    fails "PMI-2 without $command" 1 'presto: the launcher (srun --mpi=pmi2, mpiexec?) does not answer as PMI-2 wants it' "$pmi2" --deny $command 2 "$programs/native_p2p"
done
fails "no mapping of hosts" 1 'PMI_process_mapping is no vector' "$pmi2" --hosts "(vector,(0,x,1))" 2 "$programs/native_p2p"
if [ -z "${APELINK_SANITIZER-}" ] && mpiexec.mpich --version >/dev/null 2>&1; then
    run "native_p2p by MPICH's mpiexec" mpiexec.mpich -n 3 "$programs/native_p2p"
    run "native_coll by MPICH's mpiexec" mpiexec.mpich -n 4 "$programs/native_coll"
    fails "a death under MPICH's mpiexec" 9 '' mpiexec.mpich -n 3 "$programs/native_death"
fi

# Over the link to other hosts, where there is UCX, on this one. What a sanitizer sees in it the suites of tests/links show.
if [ -x "$programs/native_keys" ] && [ -z "${APELINK_SANITIZER-}" ]; then
    for program in native_p2p native_coll; do
        run "$program over ucx" env APENI_LINKS=ucx "$prestorun" -n 3 "$programs/$program"
    done
fi

# By mpirun, where that and PMIx are there. ThreadSanitizer knows nothing of how libevent, which PMIx runs in, makes its locks.
case ${APELINK_SANITIZER-} in
*thread*) echo "not by mpirun: ThreadSanitizer takes libevent's locks for an error" ;;
*)
    keys=$programs/native_keys # where there is UCX
    [ -x "$keys" ] && run "keys of 2 processes" env APENI_LINKS=both "$prestorun" -n 2 "$keys"
    # By another PMIx launcher, which ends the job when a rank aborts or dies.
    launcher=$programs/pmix_launcher
    if [ -x "$launcher" ]; then
        run "native_p2p by a PMIx launcher" "$launcher" 3 "$programs/native_p2p"
        run "native_coll by a PMIx launcher" "$launcher" 2 "$programs/native_coll"
        fails "an abort under a PMIx launcher" 1 'pmix_launcher: rank [01] aborts with code 1' "$launcher" 2 "$programs/native_death"
        ABORT_CODE=256 fails "an abort with code 256 under a PMIx launcher" 1 'pmix_launcher: rank 1 aborts with code 1' "$launcher" 2 "$programs/native_abort"
        fails "a death under a PMIx launcher" 137 '' "$launcher" 3 "$programs/native_death"
    fi
    if [ -n "${MPIRUN-}" ] && grep -q 'define NI_HAVE_PMIX' "$build/apelink_config.h"; then
        run "native_p2p by mpirun" "$MPIRUN" --oversubscribe --bind-to none -n 3 "$programs/native_p2p"
        ABORT_CODE=256 fails "an abort with code 256 under mpirun" 1 'aborts the job with code 256' "$MPIRUN" --oversubscribe --bind-to none -x ABORT_CODE -n 2 "$programs/native_abort"
        [ -x "$keys" ] && run "keys of 2 processes by mpirun" "$MPIRUN" --oversubscribe --bind-to none -x APENI_LINKS=both -n 2 "$keys"
    fi
    ;;
esac

# Rank 1 dies: with --keep-going the others finish, without it prestorun ends them.
timeout -k 10 120 "$prestorun" -n 6 --keep-going "$programs/native_death" 2>"$errors"
status=$?
[ $status -eq 137 ] || { echo "FAIL: native_death: exit status $status, not 137"; failures=$((failures + 1)); }
grep -Eq '^prestorun: rank 1 \(pid [0-9]+\) was ended by signal 9 \(Killed\); the others go on$' "$errors" || {
    echo "FAIL: native_death: prestorun does not name the rank"
    failures=$((failures + 1))
}
[ "$(wc -l <"$errors")" -eq 1 ] || { echo "FAIL: native_death printed:"; cat "$errors"; failures=$((failures + 1)); }

# It has said where it is, and dies before any other has connected to it.
what=native_absent
gone=$(mktemp -u) || exit 1
fails $what 137 'rank 1 (pid [0-9]*) was ended by signal 9 (Killed); the others go on' "$prestorun" -n 4 --keep-going "$programs/$what" "$gone"
[ "$(wc -l <"$errors")" -eq 1 ] || { echo "FAIL: $what printed:"; cat "$errors"; failures=$((failures + 1)); }
rm -f "$gone"

# A number of threads that is none is not taken for a job of one rank.
for number in x 0 4097 2x; do
    fails "PRESTO_THREADS=$number" 1 "PRESTO_THREADS=$number: it has to be a number from 1 to 4096" env PRESTO_THREADS=$number "$programs/native_p2p"
done

# What each rank has counted, and how the first reaches the others, at the start and at the end.
fails "PRESTO_STATS=1" 0 '^presto: rank 0 reaches others by shm 1-2 ' env PRESTO_STATS=1 "$prestorun" -n 3 "$programs/native_p2p"
if [ "$(grep -c '^presto: rank [0-2] of 3: .*[a-z_]* [1-9]' "$errors")" != 3 ] || ! grep -q '^presto: rank 0 reached others by shm 1-2 ' "$errors"; then
    echo "FAIL: PRESTO_STATS=1 printed: $(cat "$errors")"
    failures=$((failures + 1))
fi

# A wish for statistics that is none is told once for all ranks.
fails "PRESTO_STATS=yes" 0 '' env PRESTO_STATS=yes "$prestorun" -n 3 "$programs/native_p2p"
[ "$(grep -c 'PRESTO_STATS=yes: it has to be a number from 0 to 1$' "$errors")" = 1 ] || {
    echo "FAIL: PRESTO_STATS=yes is not told once: $(cat "$errors")"
    failures=$((failures + 1))
}

# Threads that never come.
fails "a thread that waits" 1 'rank 0 of 4: for 1 s no thread has joined as rank 1, 2, 3 by pr_init (MPI_Init); giving up' \
    env PRESTO_THREADS=4 PRESTO_THREADS_TIMEOUT_S=1 "$programs/native_p2p"
fails "a thread that waits long" 1 'rank 0 of 20: for 5 s no thread has joined as rank 1, 2, 3, 4, 5, 6, 7, 8 and 11 more by .*; still waiting' \
    env PRESTO_THREADS=20 PRESTO_THREADS_TIMEOUT_S=6 "$programs/native_p2p"

echo "native: $failures failures"
[ $failures -eq 0 ]
