#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# One verdict about a job that hangs on two hosts: asked of apelink-report, and by the component itself. What waits for a process
# that dies on the other host ends, over tcp, which tells of no death; the runtime is asked for deaths only where somebody waits.
# Who is late for a rank of the other host is known by their clocks, which are an hour apart.
# Covers: pml_hooks_hosts.c pml_hooks_news.c pml_hooks_ask.c record/clocks.c
. "$(dirname "$0")/common.sh"
needs_hosts
build=${APELINK_BUILDDIR:-.}
source=${APELINK_SRCDIR:-.}
command -v python3 >/dev/null 2>&1 || skip "there is no python3 (Debian: python3)"
[ -x "$build/tests/hooks/hooks_stall" ] || skip "configure found no Open MPI, so the MPI programs were not built"
[ -e "$build/pml_hooks/.libs/mca_hook_apelink.so" ] || skip "configure found no headers for components"
[ -z "${APELINK_SANITIZER-}" ] || skip "apelink-hosts and btl tcp are not built with sanitizers"
mpirun=${MPIRUN:-mpirun}

# A circle of four ranks, neighbours on different hosts; the verdict is asked for until it is there.
cat >"$work/hang" <<'END'
"$1" --map-by node --mca pml ob1 --mca btl tcp,self --mca mpi_yield_when_idle 1 --mca pml_hooks_enable 1 --mca pml_hooks_hang_s 0 \
    --mca pml_hooks_directory "$4" -n 4 "$2" circle &
job=$!
tries=0
while [ $tries -lt 100 ] && kill -0 $job; do
    number=$(ls "$4" | sed -n 's/^apelink-hooks\.[0-9]*\.\([0-9]*\)\..*/\1/p' | head -n 1)
    [ -z "$number" ] ||
        python3 "$3" --live "$number" --directory "$4" --hosts h2 --launcher "$OMPI_MCA_plm_rsh_agent" >"$5"
    grep -q Deadlock "$5" && break
    tries=$((tries + 1))
    sleep 0.5
done
kill $job
wait $job
cat "$5"
END
: >"$work/verdict"
OMPI_MCA_mca_base_component_path=$(cd "$build/pml_hooks/.libs" && pwd):SYSTEM_DEFAULT:USER_DEFAULT
export OMPI_MCA_mca_base_component_path
expect 0 "$hosts" run -n 2 timeout -k 10 150 sh "$work/hang" "$mpirun" "$(cd "$build" && pwd)/tests/hooks/hooks_stall" \
    "$(cd "$source" && pwd)/pml_hooks/report" /dev/shm "$work/verdict"
says out "Deadlock: rank 0 waits for a message of rank 1, tag 3, communicator 0; rank 1 waits for a message of rank 2"
# By itself, once, and the job is ended then; and nothing where one of the hosts is only slow.
cat >"$work/alone" <<'END'
exec "$1" --map-by node --mca pml ob1 --mca btl tcp,self --mca mpi_yield_when_idle 1 --mca pml_hooks_enable 1 --mca pml_hooks_hang_s "$5" \
    --mca pml_hooks_hang_abort 1 --mca pml_hooks_report "$3" --mca pml_hooks_output "$7" --mca pml_hooks_directory "$4" -n 4 "$2" $6
END
alone() {
    "$hosts" run -n 2 timeout -k 10 100 sh "$work/alone" "$mpirun" "$(cd "$build" && pwd)/tests/hooks/hooks_stall" \
        "$(cd "$source" && pwd)/pml_hooks/report" /dev/shm "$1" "$2" "$work/record" >"$work/out" 2>&1 </dev/null
}
# How often the ranks of the job that has ended last have asked the runtime for deaths, in all.
asked() {
    python3 -c 'import json, sys; print(sum(rank["deaths_asked"] for rank in json.load(open(sys.argv[1]))["ranks"]))' "$work/record"
}
! alone 2 circle || fail "the job that hangs has ended well"
says out "pml_hooks: nothing has completed on 2 hosts for "
says out "Deadlock: rank 0 waits for a message of rank 1, tag 3, communicator 0; rank 1 waits for a message of rank 2"
[ "$(grep -c "nothing has completed" "$work/out")" -eq 1 ] || fail "it is not said once: $(cat "$work/out")"
# A host whose ranks are all in MPI_Finalize is one where nothing moves, and one where ranks come to wait later tells it then.
! alone 2 finished || fail "the job that waits for those in MPI_Finalize has ended well"
says out "Rank 0 waits for a message of rank 1, tag 3"
! alone 2 "later 6" || fail "the job that hangs later has ended well"
says out "Deadlock: rank 1 waits for a message of rank 3, tag 3"
for way in "even 7" "odd 7"; do
    alone 3 "$way" || fail "$way has not ended well: $(cat "$work/out")"
    ! grep -q "nothing has completed" "$work/out" || fail "$way is slow, and taken for a hang: $(cat "$work/out")"
    [ "$(asked)" -gt 0 ] || fail "$way waits, and has not asked for deaths"
done
# Nobody waits, so nobody asks.
alone 0 "alone 2" || fail "the job that waits for nobody has not ended well: $(cat "$work/out")"
[ "$(asked)" -eq 0 ] || fail "a job that waits for nobody has asked for deaths $(asked) times"
# The second host's monotonic clock is an hour ahead; each rank but the first waits for the one before, on the other host.
cat >"$work/ahead" <<'END'
[ "$(hostname)" != h2 ] || exec unshare --time --monotonic 3600 --fork "$@"
exec "$@"
END
cat >"$work/chain" <<'END'
exec "$1" --map-by node --mca pml ob1 --mca btl tcp,self --mca mpi_yield_when_idle 1 --mca pml_hooks_enable 1 --mca pml_hooks_output "$4" \
    --mca pml_hooks_directory /dev/shm -n 4 sh "$3" "$2" chain
END
if unshare --time --monotonic 1 --fork true 2>/dev/null; then
    for try in 1 2 3; do # where the machine is busy the clocks may not be read in time
        expect 0 "$hosts" run -n 2 timeout -k 10 100 sh "$work/chain" "$mpirun" "$(cd "$build" && pwd)/tests/hooks/hooks_costs" \
            "$work/ahead" "$work/record"
        python3 "$here/../hooks/clockscheck.py" "$work/record" "$work/out" >"$work/said" && break
        [ "$try" -lt 3 ] || fail "clocks of two hosts: $(cat "$work/said")"
    done
fi
# Rank 1 is killed on the second host, where rank 3 lives on. (Open MPI may leave those who live in MPI_Finalize for good.)
cat >"$work/dies" <<'END'
"$1" --enable-recovery --map-by node --mca pml ob1 --mca btl tcp,self --mca mpi_yield_when_idle 1 --mca pml_hooks_enable 1 \
    --mca pml_hooks_output "" --mca pml_hooks_directory /dev/shm -n 4 "$2" all >"$3" 2>&1 &
job=$!
tries=0
while [ $tries -lt 200 ] && kill -0 $job 2>/dev/null && [ "$(grep -c "^goes on" "$3")" -lt 3 ]; do
    tries=$((tries + 1))
    sleep 0.5
done
kill $job 2>/dev/null
wait $job
END
: >"$work/told"
"$hosts" run -n 2 timeout -k 10 150 sh "$work/dies" "$mpirun" "$(cd "$build" && pwd)/tests/hooks/hooks_survive" "$work/told" >"$work/out" 2>&1 </dev/null
says told "pml_hooks: rank 1 on h2 has ended; waiting for it on h1: rank "
for way in irecv "any source" issend persistent waitall recv send probe sendrecv ibarrier "any source, blocking"; do
    says told "told $way 16"
done
[ "$(grep -c "^goes on" "$work/told")" -eq 3 ] || fail "not all who live go on: $(cat "$work/told" "$work/out")"
finish "one verdict about two hosts"
