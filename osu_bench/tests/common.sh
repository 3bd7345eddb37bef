# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# Sourced by the tests of the benchmark programs; they are started in the top build folder by tests/run-one.

# shellcheck disable=SC2034 # used by those who source this
programs=${APELINK_BUILDDIR:-.}/osu_bench
mpirun=${MPIRUN:-mpirun}
# Ours where it is built. Over vader of Open MPI 4.1 a run has ended with a fault after its last row, beside another job.
btl=vader,self
[ ! -e "${APELINK_BUILDDIR:-.}/btl_apelink/.libs/mca_btl_apelink.so" ] || btl=apelink,self
btl=${APELINK_TEST_BTL:-$btl}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0
count=0

# Open MPI itself does not give back all of its memory.
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
export ASAN_OPTIONS

case $btl in
*tcp*) osc=pt2pt ;; # osc rdma wants a BTL with put, get and atomics
*) osc=rdma ;;
esac

fail() {
    echo "FAIL: $*"
    failures=$((failures + 1))
}

# The words of mpirun that say over what it all runs, and how messages name it.
transport="--mca pml ob1 --mca btl $btl --mca osc $osc"
over=$btl

# mpi RANKS WORD...: run a program; its output goes to $work/out and $work/err, its status is returned.
mpi() {
    ranks=$1
    shift
    count=$((count + 1))
    # shellcheck disable=SC2086 # $transport is a list of words
    timeout --kill-after=5 100 "$mpirun" -n "$ranks" --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 \
        $transport "$@" >"$work/out" 2>"$work/err" </dev/null
}

# passes RANKS ROWS WORD...: a run that must succeed and print ROWS rows, each with Pass.
passes() {
    wanted=$2
    ranks=$1
    shift 2
    mpi "$ranks" "$@"
    status=$?
    rows=$(grep -c 'Pass$' "$work/out")
    [ $status -eq 0 ] && [ "$rows" -eq "$wanted" ] && ! grep -q Fail "$work/out" && return
    fail "$* over $over with $ranks ranks: status $status, $rows rows of $wanted pass"
    cat "$work/out" "$work/err"
}

finish() {
    echo "$count runs, $failures failures"
    [ $failures -eq 0 ]
    exit
}
