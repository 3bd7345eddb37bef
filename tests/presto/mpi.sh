#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# MPI programs, unchanged, compiled with prestocc: mpi.sh [--all]. mpi_list has the runs; with --all also those that take
# longer, and each program of mpi_lacks has to be refused by the compiler with the name of a function.
set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=mpi_common.sh
. "$here/mpi_common.sh"
mpi=$src/tests/mpi
status=0
runs=0
all=${1-}

failed() {
    echo "FAIL: $*"
    status=1
}

for part in mt coll dt thr rma dyn; do
    compile "$mpi/$part.c" "$work/$part.o" -c || exit 1
done

# program NAME: compiled the first time.
program() {
    [ -x "$work/$1" ] && return
    dir=$mpi
    [ -e "$here/$1.c" ] && dir=$here
    libs="$work/mt.o $work/coll.o $work/dt.o $work/thr.o $work/rma.o $work/dyn.o"
    [ "$dir" = "$mpi" ] || libs=$(ls "$here/$1"_*.c 2>/dev/null)
    # shellcheck disable=SC2086 # a list
    compile "$dir/$1.c" "$work/$1" -I"$mpi" $libs
}

# run LAUNCHER...: it has to end well, and to have said that it checked something.
run() {
    runs=$((runs + 1))
    timeout -k 10 300 "$@" >"$work/out" 2>&1 </dev/null
    rc=$?
    if [ $rc -ne 0 ] || ! grep -q '^MT-OK .*checks=[1-9]' "$work/out"; then
        failed "$* (exit status $rc)"
        cat "$work/out"
    fi
}

while read -r n name arguments; do
    case $n in
    '#'* | '') continue ;;
    more)
        [ "$all" = --all ] || continue
        n=$name
        name=${arguments%% *}
        case $arguments in
        *' '*) arguments=${arguments#* } ;;
        *) arguments= ;;
        esac
        ;;
    esac
    program "$name" || { failed "$name does not compile"; continue; }
    # shellcheck disable=SC2086 # words
    run "$prestorun" -n "$n" "$work/$name" $arguments
done <"$here/mpi_list"

run "$work/mpi_calls"

# A job of several commands.
compile "$here/mpi_apps.c" "$work/mpi_apps" || failed "mpi_apps does not compile"
run "$work/mpi_apps"
run "$prestorun" -n 1 "$work/mpi_apps" 0 6 : -n 2 "$work/mpi_apps" 1 6 : --wdir / -n 3 "$work/mpi_apps" 2 6

# A tool's thread beside ranks that are threads.
run env PRESTO_THREADS=2 "$work/mpi_tools" threads

# Windows of ranks that are threads; and as if ranks could not share memory.
for shared in 1 0; do
    run env PRESTO_RMA_SHARED=$shared "$work/rma_calls" threads 4
    run env PRESTO_RMA_SHARED=$shared "$prestorun" -n 3 "$work/rma_calls"
done

# Windows for which there is no memory.
compile "$here/rma_limits.c" "$work/rma_limits" || failed "rma_limits does not compile"
run "$prestorun" -n 4 "$work/rma_limits"

# A rank that waits for one that dies, or accesses it, gets an error.
compile "$here/rma_death.c" "$work/rma_death" || failed "rma_death does not compile"
for shared in 1 0; do
    PRESTO_RMA_SHARED=$shared timeout -k 10 120 "$prestorun" --keep-going -n 6 "$work/rma_death" >"$work/out" 2>&1 </dev/null
    rc=$?
    if [ $rc -ne 137 ] || [ "$(grep -vc '^prestorun: rank 1 ' "$work/out")" -ne 0 ]; then
        failed "rma_death, PRESTO_RMA_SHARED=$shared (exit status $rc, not 137): $(cat "$work/out")"
    fi
done

# Files where something goes wrong below. Who is killed while it writes for others ends the job, and has written nothing that is wrong.
compile "$here/mpi_files.c" "$work/mpi_files" -I"$mpi" "$work/mt.o" || failed "mpi_files does not compile"
for n in 1 3; do
    run "$prestorun" -n $n "$work/mpi_files"
done
timeout -k 10 120 "$prestorun" -n 3 "$work/mpi_files" kill "$work/killed" >"$work/out" 2>&1 </dev/null
rc=$?
[ $rc -eq 137 ] || failed "mpi_files kill (exit status $rc, not 137): $(cat "$work/out")"
run "$work/mpi_files" look "$work/killed" 3
# shellcheck disable=SC2016 # the inner shell expands it
small='mount -t tmpfs -o size=2m none "$0" && exec timeout -k 10 120 "$@"'
mkdir "$work/small"
map=
[ "$(id -u)" -eq 0 ] || map=--map-root-user
if unshare $map --mount sh -c "$small" "$work/small" true 2>/dev/null; then
    run unshare $map --mount sh -c "$small" "$work/small" "$prestorun" -n 3 "$work/mpi_files" full "$work/small/full"
else
    echo "not on a file system that is full: mounts are not allowed"
fi

# PMIx's event loop is not compiled with ThreadSanitizer, which takes its locks for mistakes.
case ${MPIRUN:+mpirun}/${APELINK_SANITIZER-} in
/* | */*thread*) ;;
*)
    if grep -q 'define NI_HAVE_PMIX' "$build/apelink_config.h"; then
        run "$MPIRUN" --oversubscribe --bind-to none -n 2 "$work/mpi_calls"
        run "$MPIRUN" --oversubscribe --bind-to none -n 1 "$work/mpi_apps" 0 3 : -n 2 "$work/mpi_apps" 1 3
    fi
    # Two MPIs in one program, linked by the one's wrapper and by the other's. What Open MPI leaves behind a sanitizer need not see.
    if [ -n "${MPICC-}" ] && [ -z "${APELINK_SANITIZER-}" ] && grep -q 'define NI_HAVE_PMIX' "$build/apelink_config.h"; then
        both() { # NAME COMPILER OPTION...: the object of one side
            name=$1
            shift
            "$@" -g -D_GNU_SOURCE -Wall -Wextra -Werror -c "$here/mpi_both.c" -o "$work/$name.o" || failed "mpi_both: $* does not compile it"
        }
        # shellcheck disable=SC2086,SC2046 # words
        {
            both main-theirs $MPICC -DSIDE=one -DBOTH_MAIN
            both other-ours "$prestocc" -DSIDE=other
            both main-ours "$prestocc" -DSIDE=one -DBOTH_MAIN
            both other-theirs $MPICC -DSIDE=other
            $MPICC "$work/main-theirs.o" "$work/other-ours.o" $("$prestocc" --showme:link) -o "$work/both1" || failed "mpi_both: their wrapper does not link it"
            "$prestocc" "$work/main-ours.o" "$work/other-theirs.o" $($MPICC --showme:link) -o "$work/both2" || failed "mpi_both: our wrapper does not link it"
        }
        for program in both1 both2; do
            run "$MPIRUN" --oversubscribe --bind-to none -n 3 "$work/$program"
        done
        run "$work/both1"
    fi
    ;;
esac

# An error that nobody handles says where it came from and ends the job.
timeout -k 10 300 "$prestorun" -n 2 "$work/mpi_calls" fatal >"$work/out" 2>&1 </dev/null && failed "an error did not end the job"
for word in 'An error occurred in MPI_Send' 'MPI_COMM_WORLD' 'MPI_ERR_RANK: invalid rank' 'MPI_ERRORS_ARE_FATAL'; do
    grep -q "$word" "$work/out" || failed "an error ends the job without saying '$word'"
done

# What ends a job is no success, whatever is left of the code in an exit status.
for way in abort handler; do
    timeout -k 10 300 "$prestorun" -n 2 "$work/mpi_wrong" $way >"$work/out" 2>&1 </dev/null
    rc=$?
    [ $rc -eq 1 ] || failed "mpi_wrong $way (exit status $rc, not 1): $(cat "$work/out")"
done

# It names the function, the value and what it may be.
while IFS='|' read -r mistake function text; do
    timeout -k 10 300 "$prestorun" -n 2 "$work/mpi_wrong" "$mistake" >"$work/out" 2>&1 </dev/null && failed "mpi_wrong $mistake did not end the job"
    for words in "An error occurred in $function" "$text"; do
        grep -q "$words\$" "$work/out" || failed "mpi_wrong $mistake does not say '$words': $(cat "$work/out")"
    done
done <<'END'
destination|MPI_Send|MPI_ERR_RANK: invalid rank: the destination is 2, not 0 to 1
source|MPI_Recv|MPI_ERR_RANK: invalid rank: the source is -7, not 0 to 1
tag|MPI_Send|MPI_ERR_TAG: invalid tag: the tag is -3, not 0 to 2147483647
count|MPI_Bcast|MPI_ERR_COUNT: invalid count: the count is -5, not 0 to 2147483647
type|MPI_Isend|MPI_ERR_TYPE: invalid datatype: it has not been committed; call MPI_Type_commit
root|MPI_Bcast|MPI_ERR_ROOT: invalid root: the root is 2, not 0 to 1
buffer|MPI_Send|MPI_ERR_BUFFER: invalid buffer: it is NULL, and the count is not 0
op|MPI_Allreduce|MPI_ERR_OP: .*: the datatype does not have this operation
alias|MPI_Allreduce|MPI_ERR_BUFFER: invalid buffer: what is sent and what is received begin at the same address; MPI_IN_PLACE is for that
group|MPI_Group_incl|MPI_ERR_RANK: invalid rank: one of the ranks is 2, not 0 to 1
result|MPI_Comm_size|MPI_ERR_ARG: invalid argument: the address for the result is NULL
comm|MPI_Barrier|MPI_ERR_COMM: invalid communicator: MPI_COMM_NULL, freed, .*
target|MPI_Put|MPI_ERR_RANK: invalid rank: the target is 2, not 0 to 1
attached|MPI_Put|MPI_ERR_RMA_RANGE: .*: all of it has to lie in memory that the target has attached, and each integer of an accumulate in one piece of it
END

[ "$all" != --all ] || while read -r name reason; do
    case $name in '#'* | '') continue ;; esac
    compile "$mpi/$name.c" "$work/$name" -c 2>"$work/out" && failed "$name compiles, although it needs $reason"
    grep -q 'MPI_[A-Za-z_]* is not in Presto: ' "$work/out" || failed "$name is refused without the name of a function"
done <"$here/mpi_lacks"

if [ "$all" = --all ]; then
    PRESTOCC=$prestocc CFLAGS="-O1 -g $sanitizer" "$src/osu_bench/build-presto" "$work/osu" || failed "the benchmarks do not compile"
    timeout -k 10 300 "$prestorun" -n 2 "$work/osu/osu_latency" -m 1:4K -i 20 -x 2 >"$work/out" 2>&1 </dev/null
    grep -q '^4096 *[0-9.]' "$work/out" || failed "osu_latency: $(cat "$work/out")"
    for kind in create allocate dynamic; do
        timeout -k 10 300 "$prestorun" -n 2 "$work/osu/osu_put_bw" -w $kind -m 8:64K -i 4 -x 1 -c >"$work/out" 2>&1 </dev/null
        grep -q '^65536 *[0-9.]' "$work/out" || failed "osu_put_bw -w $kind: $(cat "$work/out")"
    done
fi

echo "$runs runs"
exit $status
