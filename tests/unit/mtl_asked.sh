#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Covers: mtl_match/mtl_match_component.c mtl_match/mtl_match_params.c ompi_match/params.c
# The match MTL takes part in a run only if the run names it; a run with a mistake in a parameter goes on without it where
# others can do its work, and fails with a sentence where they cannot.
set -u

build=${APELINK_BUILDDIR:-.}
program=$build/tests/unit/btl_sum
mpirun=${MPIRUN:-mpirun}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0
# Open MPI keeps memory to its end.
ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0
export ASAN_OPTIONS

for name in $(env | sed -n 's/^\(APENI_[A-Za-z0-9_]*\)=.*/\1/p; s/^\(OMPI_MCA_[mp][tm]l[a-z_]*\)=.*/\1/p'); do
    unset "$name"
done
if ! [ -e "$build/mtl_match/.libs/mca_mtl_match.so" ]; then
    echo "mtl_asked: skipped, there is no component in $build/mtl_match/.libs"
    exit 77
fi

fail() {
    echo "FAIL: $*"
    sed 's/^/    /' "$work/out"
    failures=$((failures + 1))
}

# run ARGUMENT...: two ranks; status in $status, all that is said in $work/out.
run() {
    timeout -k 10 60 "$mpirun" --oversubscribe --bind-to none -n 2 --mca mpi_yield_when_idle 1 \
        --mca mtl_base_verbose 10 --mca pml_base_verbose 10 "$@" "$program" >"$work/out" 2>&1
    status=$?
}

# expect 0|1 used|unused ARGUMENT...
expect() {
    good=$1
    use=$2
    shift 2
    run "$@"
    if [ "$good" = 0 ]; then
        [ $status -eq 0 ] || fail "$*: exit status $status"
    else
        [ $status -ne 0 ] || fail "$*: exit status 0"
    fi
    if grep -q 'select: component cm selected' "$work/out" &&
        grep -q 'select: component match selected' "$work/out"; then
        [ "$use" = used ] || fail "$*: match is used"
    else
        [ "$use" = unused ] || fail "$*: match is not used"
    fi
}

says() {
    grep -qF -- "$1" "$work/out" || fail "does not say: $1"
}

says_not() {
    grep -qF -- "$1" "$work/out" && fail "says: $1"
}

ob1='--mca btl vader,self'
expect 0 unused
says_not 'component match open function successful'
# shellcheck disable=SC2086 # two words
{
    expect 0 unused $ob1
    expect 0 unused $ob1 --mca mtl ^ofi
    says_not 'component match open function successful'
    expect 0 used --mca pml cm --mca mtl match
    expect 0 used --mca mtl match
    expect 0 used --mca pml cm --mca mtl_match_enable yes
    expect 0 unused $ob1 --mca pml ob1 --mca mtl match
    expect 0 unused $ob1 --mca mtl match --mca mtl_match_priority 5
    expect 0 unused $ob1 --mca mtl match --mca mtl_match_enable no
    expect 1 unused --mca pml cm --mca mtl match --mca mtl_match_enable no

    expect 1 unused --mca pml cm --mca mtl match --mca mtl_match_shm_ring_sise 64K
    says 'mtl_match_shm_ring_sise'
    says 'Did you mean: mtl_match_shm_ring_size'
    expect 0 unused $ob1 --mca mtl match --mca mtl_match_fault meteor:nth=1
    says 'mtl_match_fault'
    says 'Accepted:'
    expect 1 unused --mca pml cm --mca mtl match --mca mtl_match_segment_size lots
}

shown="mtl match: process 0 on $(hostname | cut -d. -f1)[^ ]* reached others by shm 1 (the only link; long messages go .*)\$"
run --mca pml cm --mca mtl match
! grep -q reached "$work/out" || fail "the links are shown though nobody asked for it"
run --mca pml cm --mca mtl match --mca mtl_match_show_links yes
[ "$(grep -c "$shown" "$work/out")" = 1 ] || fail "the links are not shown once"

held="mtl match: process 0 on [^ ]* has [1-9][0-9]* KiB of shared memory, [0-9]* rings in it; [0-9]* times one .*; unexpected messages took [0-9]* KiB at most\$"
! grep -q "of shared memory" "$work/out" || fail "the memory is shown though nobody asked for it"
run --mca pml cm --mca mtl match --mca mtl_match_show_memory yes
[ "$(grep -c "$held" "$work/out")" = 1 ] || fail "the memory is not shown once"

[ $failures -eq 0 ] || exit 1
echo "mtl_asked: ok"
