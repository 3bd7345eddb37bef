# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# Sourced by the scripts that start programs over a component of Open MPI. Defines build, work, name, failures, fail, says,
# says_not, finish, and component, which skips the test where there is no such component.
set -u

build=${APELINK_BUILDDIR:-.}
mpirun=${MPIRUN:-mpirun}
name=$(basename "$0" .sh)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0
# Open MPI keeps memory to its end.
ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0
export ASAN_OPTIONS

for variable in $(env | sed -n 's/^\(APENI_[A-Za-z0-9_]*\)=.*/\1/p; s/^\(OMPI_MCA_[bmp][tm]l[a-z_]*\)=.*/\1/p'); do
    unset "$variable"
done

# component FOLDER
component() {
    [ -e "$build/$1/.libs/mca_$1.so" ] && return
    echo "$name: skipped, there is no component in $build/$1/.libs"
    exit 77
}

fail() {
    echo "FAIL: $*"
    sed 's/^/    /' "$work/out"
    failures=$((failures + 1))
}

# start ARGUMENT...: mpirun; its exit status in $status, all that is said in $work/out.
# shellcheck disable=SC2034 # status is the script's
start() {
    timeout -k 10 120 "$mpirun" --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 "$@" >"$work/out" 2>&1
    status=$?
}

says() {
    grep -qF -- "$1" "$work/out" || fail "does not say: $1"
}

says_not() {
    grep -qF -- "$1" "$work/out" && fail "says: $1"
}

finish() {
    [ $failures -eq 0 ] || exit 1
    echo "$name: ok"
}
