#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A rank dies in the middle of an operation, is stopped for a while, was a thread that has ended, or sends what is no memory: the others end with an error that
# names it, or the job is ended; nobody waits for good.
set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=mpi_common.sh
. "$here/mpi_common.sh"
native=$build/tests/presto/native_fail
cases=0

# Cases mostly wait: several run at once. Each writes to a file of its own, and its failures to another.
failed() {
    { echo "FAIL: $*"; sed 's/^/    /' "$out"; } >"$out.failed"
}

# ends CODE WHAT PATTERN COMMAND...: with CODE (any: but for 0 and a time-out), and each line of its output is like PATTERN.
ends() {
    cases=$((cases + 1))
    out=$work/$cases
    one "$@" &
    [ $((cases % 6)) -ne 0 ] || wait
}

one() {
    code=$1
    what=$2
    pattern=$3
    shift 3
    timeout -k 10 120 "$@" >"$out" 2>&1 </dev/null
    status=$?
    case $code/$status in
    any/0 | any/124) failed "$what: exit status $status" ;;
    any/* | "$status/$status") ;;
    *) failed "$what: exit status $status, not $code" ;;
    esac
    [ -z "$pattern" ] || grep -Eq "$pattern" "$out" || failed "$what: does not say '$pattern'"
    case $pattern in
    '^'*'$') [ "$(wc -l <"$out")" -eq 1 ] || failed "$what: prints more" ;;
    esac
}

goes_on='^prestorun: rank 1 .* was ended by signal 9 .*; the others go on$'
for operation in barrier allreduce allreduce-long alltoall allgather bcast bcast-long gather; do
    ends 137 "$operation" "$goes_on" "$prestorun" -n 5 --keep-going "$native" $operation
done
ends 137 "a job that is ended" '; ending the other ranks' "$prestorun" -n 4 "$native" barrier
ends 0 "a rank that is stopped" '' "$prestorun" -n 4 "$native" stop
ends 1 "a thread that ends" 'presto: rank 1 was a thread that has ended without pr_fini' "$native" thread

compile "$here/mpi_fail.c" "$work/mpi_fail" || exit 1
for operation in barrier allreduce alltoall ibarrier iallgather ssend any write_all read_all ordered; do
    ends 137 "MPI: $operation" "$goes_on" "$prestorun" -n 4 --keep-going "$work/mpi_fail" $operation
done
ends any "MPI: an error that nobody handles" 'An error occurred in MPI_Allreduce' \
    "$prestorun" -n 3 --keep-going "$work/mpi_fail" allreduce fatal
ends any "MPI: its text" 'MPIX_ERR_PROC_FAILED: .*: rank 1 of the job has died' \
    "$prestorun" -n 3 --keep-going "$work/mpi_fail" barrier fatal

# A rank that becomes another program is as dead as others, also while that runs.
compile "$src/tests/mpi/mt.c" "$work/mt.o" -c || exit 1
compile "$src/tests/mpi/bad_exec.c" "$work/bad_exec" "$work/mt.o" || exit 1
for mode in recv get put; do
    ends any "MPI: another program, $mode" 'MPIX_ERR_PROC_FAILED: .*: rank 1 of the job has died' \
        "$prestorun" -n 2 --keep-going "$work/bad_exec" -mode $mode
done

# A rank that dies before it has joined the job, without which the others cannot go on.
# shellcheck disable=SC2016 # the ranks' shells expand it
ends 137 "a death before the start" 'rank 1 .* was ended by signal 9' \
    "$prestorun" -n 3 --keep-going sh -c '[ "$PRESTO_RANK" != 1 ] || kill -9 $$; exec "$0"' "$build/tests/presto/native_p2p"

# No memory to start with.
for nth in 1 6 11; do
    ends 1 "no memory, allocation $nth" '^presto: rank [01] .*: out of memory: raise the limits' \
        env APENI_FAULT=alloc:nth=$nth "$prestorun" -n 2 "$build/tests/presto/native_p2p"
done

# None while a long message is fetched.
ends 0 "no memory for a fetch" '' "$prestorun" -n 2 "$build/tests/presto/native_nomem"

# Buffers that are no memory. Where the kernel copies, both sides are told; elsewhere the rank that touches them is ended, by a signal
# (under a sanitizer by that, with a code of its own). Four ranks broadcast in pieces of 32 KiB, which the kernel shall copy, too.
memory=$build/tests/presto/native_memory
kernel='env APENI_SHM_COPY=process_vm APENI_PATIENCE_US=0 APENI_MATCH_EAGER=16K'
# shellcheck disable=SC2086 # words
if timeout -k 10 60 $kernel "$prestorun" -n 2 "$memory" works >"$work/kernel" 2>&1 </dev/null; then
    compile "$here/mpi_wrong.c" "$work/mpi_wrong" || exit 1
    for n in 2 3 4; do
        ends 0 "memory, $n ranks" '' $kernel "$prestorun" -n $n "$memory" errors
    done
    ends any "MPI: memory" 'MPI_ERR_BUFFER: memory of a message cannot be accessed: see the buffers, counts and datatypes of both its sides' \
        $kernel "$prestorun" -n 2 "$work/mpi_wrong" memory
else
    echo "not shown how the kernel meets bad buffers: it copies none here: $(head -n 1 "$work/kernel")"
fi
if [ -z "${APELINK_SANITIZER-}" ]; then
    for length in short long; do
        ends 139 "$length memory" '^prestorun: rank 0 .* was ended by signal 11 .*; ending the other ranks$' \
            env APENI_SHM_COPY=copy "$prestorun" -n 2 "$memory" $length
    done
fi

# By mpirun, which ends the job. ThreadSanitizer takes libevent's locks for errors.
case ${MPIRUN:+mpirun}/${APELINK_SANITIZER-} in
/* | */*thread*) ;;
*)
    if grep -q 'define NI_HAVE_PMIX' "$build/apelink_config.h"; then
        ends any "by mpirun" '' "$MPIRUN" --oversubscribe --bind-to none -n 3 "$work/mpi_fail" alltoall fatal
    fi
    ;;
esac
wait

cat "$work"/*.failed 2>/dev/null && exit 1
echo "failure: $cases cases"
