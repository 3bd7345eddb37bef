#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The examples find their results right, and print the same line with any number of processes and with either MPI.
set -u

build=${APELINK_BUILDDIR:-.}
mpirun=${MPIRUN:-mpirun}
sizes="bfs_rmat:--scale,8 cg_lattice:--size,4 jacobi_heat:--size,40 spiking:--steps,100 spin_glass:--size,6"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0
runs=0

# run NAME RANKS LAUNCHER...: the example's line must be the one in $work/NAME, if there is one already.
run() {
    name=$1
    ranks=$2
    shift 2
    runs=$((runs + 1))
    if ! timeout -k 10 60 "$@" >"$work/out" 2>"$work/err"; then
        echo "$name on $ranks processes failed: $*"
        cat "$work/out" "$work/err"
        failures=$((failures + 1))
        return
    fi
    [ -e "$work/$name" ] || cp "$work/out" "$work/$name"
    grep -q ': right$' "$work/out" && cmp -s "$work/out" "$work/$name" && return
    echo "$name on $ranks processes prints another line than the first time: $*"
    cat "$work/$name" "$work/out"
    failures=$((failures + 1))
}

for entry in $sizes; do
    name=${entry%%:*}
    option=${entry#*:}
    words="${option%,*} ${option#*,}"
    if [ -x "$build/examples/$name" ] && [ -z "${APELINK_SANITIZER-}" ]; then # they would report on Open MPI
        # shellcheck disable=SC2086 # the option and its value are two words
        run "$name" 2 "$mpirun" -n 2 --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 \
            "$build/examples/$name" $words
    fi
    for ranks in 1 5; do
        # shellcheck disable=SC2086
        [ ! -x "$build/examples/${name}_presto" ] || run "$name" $ranks "$build/presto/tools/prestorun" -n $ranks \
            "$build/examples/${name}_presto" $words
    done
done
[ $runs -gt 0 ] || { echo "skipped: without Presto there is nothing to run but with Open MPI, and that is missing or not for sanitizers"; exit 77; }
echo "$runs runs, $failures failures"
[ $failures -eq 0 ]
