#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Covers: pml_match_component.c pml_match_params.c
# The match PML takes part in a run only if the run names it, and a mistake in a parameter fails with a sentence. Ranks over
# it and ranks over the match MTL talk to each other where Open MPI lets them.
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
if ! [ -e "$build/pml_match/.libs/mca_pml_match.so" ]; then
    echo "pml_asked: skipped, there is no component in $build/pml_match/.libs"
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
        --mca pml_base_verbose 10 "$@" "$program" >"$work/out" 2>&1
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
    if grep -q 'select: component match selected' "$work/out"; then
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

# each 0|1 "NAME=VALUE..." "NAME=VALUE...": parameters of rank 0, and of rank 1. mpirun takes those of one for the other's, too.
each() {
    # shellcheck disable=SC2086 # several words
    timeout -k 10 60 "$mpirun" --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 --mca pml_base_verbose 10 \
        -n 1 env $2 "$program" : -n 1 env $3 "$program" >"$work/out" 2>&1
    status=$?
    if [ "$1" = 0 ]; then
        [ $status -eq 0 ] || fail "$2 with $3: exit status $status"
    else
        [ $status -ne 0 ] || fail "$2 with $3: exit status 0"
    fi
}

ob1='--mca btl vader,self'
expect 0 unused
says_not 'component match open function successful'
# shellcheck disable=SC2086 # two words
{
    expect 0 unused $ob1 --mca pml ^ucx
    says_not 'component match open function successful'
    expect 0 unused --mca pml cm --mca mtl match
    expect 0 used --mca pml match
    expect 0 used --mca pml match,ob1
    expect 0 used --mca pml ob1,match
    expect 0 unused $ob1 --mca pml ob1,match --mca pml_match_priority 5
    expect 0 used --mca pml_match_enable yes
    expect 0 unused $ob1 --mca pml ob1 --mca pml_match_enable no
    expect 1 unused --mca pml match --mca pml_match_enable no

    expect 1 unused --mca pml match --mca pml_match_shm_ring_sise 64K
    says 'pml_match_shm_ring_sise'
    says 'Did you mean: pml_match_shm_ring_size'
    expect 1 unused --mca pml match --mca pml_match_fault meteor:nth=1
    says 'The match PML steps aside'
    says 'Accepted:'
}

mtl='OMPI_MCA_pml=cm OMPI_MCA_mtl=match'
each 0 "$mtl" OMPI_MCA_pml=match
says 'component cm selected'
says 'component match selected'
each 1 OMPI_MCA_pml=match "$mtl"
says 'selected pml cm, but peer'
each 1 OMPI_MCA_pml=match 'OMPI_MCA_pml=ob1 OMPI_MCA_btl=vader,self'
says 'selected pml ob1, but peer'
each 1 'OMPI_MCA_pml=ob1 OMPI_MCA_btl=vader,self' OMPI_MCA_pml=match
says 'The match PML cannot reach a process'

shown="pml match: process 0 on $(hostname | cut -d. -f1)[^ ]* reached others by shm 1 (the only link; long messages go .*)\$"
run --mca pml match
! grep -q reached "$work/out" || fail "the links are shown though nobody asked for it"
run --mca pml match --mca pml_match_show_links yes
[ "$(grep -c "$shown" "$work/out")" = 1 ] || fail "the links are not shown once"

held="pml match: process 0 on [^ ]* has [1-9][0-9]* KiB of shared memory, [0-9]* rings in it; [0-9]* times one .*; unexpected messages took [0-9]* KiB at most\$"
! grep -q "of shared memory" "$work/out" || fail "the memory is shown though nobody asked for it"
run --mca pml match --mca pml_match_show_memory yes
[ "$(grep -c "$held" "$work/out")" = 1 ] || fail "the memory is not shown once"

[ $failures -eq 0 ] || exit 1
echo "pml_asked: ok"
