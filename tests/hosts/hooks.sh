#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# apelink-report gives one verdict about a job that hangs on two hosts.
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
finish "one verdict about two hosts"
