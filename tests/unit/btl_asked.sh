#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Covers: ompi_glue/names.c btl_apelink/btl_apelink_component.c btl_apelink/btl_apelink_procs.c ompi_glue/asked.c
# ompi_glue/params.c
# The component takes part in a run only if the run names it; a run with a mistake in a parameter goes on without it
# where others can do its work, and fails with a sentence where they cannot.
# Covers: ompi_glue/memory.c
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

for name in $(env | sed -n 's/^\(APENI_[A-Za-z0-9_]*\)=.*/\1/p; s/^\(OMPI_MCA_btl[a-z_]*\)=.*/\1/p'); do
    unset "$name"
done
if ! [ -e "$build/btl_apelink/.libs/mca_btl_apelink.so" ]; then
    echo "btl_asked: skipped, there is no component in $build/btl_apelink/.libs"
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
        --mca btl_base_verbose 1 "$@" "$program" >"$work/out" 2>&1
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
    if grep -q 'Using apelink btl for send' "$work/out"; then
        [ "$use" = used ] || fail "$*: apelink is used"
    else
        [ "$use" = unused ] || fail "$*: apelink is not used"
    fi
}

says() {
    grep -qF -- "$1" "$work/out" || fail "does not say: $1"
}

expect 0 unused
expect 0 unused --mca btl ^uct,openib,ofi
expect 0 unused --mca btl vader,self
expect 0 used --mca btl apelink,self
expect 0 used --mca btl self,vader,apelink
expect 0 used --mca btl apelink,tcp,self
expect 0 used --mca btl_apelink_enable yes
expect 0 unused --mca btl apelink,vader,self --mca btl_apelink_enable no

expect 1 unused --mca btl apelink,self --mca btl_apelink_shm_ring_sise 64K
says 'btl_apelink_shm_ring_sise'
says 'Did you mean: btl_apelink_shm_ring_size'
expect 0 unused --mca btl apelink,vader,self --mca btl_apelink_eager_limit 3
says 'btl_apelink_eager_limit'
says 'Accepted:'
expect 1 unused --mca btl apelink,self --mca btl_apelink_segment_size lots

shown="btl apelink: process 0 on $(hostname | cut -d. -f1)[^ ]* reached others by shm 1 (the only link; long messages go .*)\$"
run --mca btl apelink,self
! grep -q reached "$work/out" || fail "the links are shown though nobody asked for it"
run --mca btl apelink,self --mca btl_apelink_show_links yes
[ "$(grep -c "$shown" "$work/out")" = 1 ] || fail "the links are not shown once"

held="btl apelink: process 0 on [^ ]* has [1-9][0-9]* KiB of shared memory, [0-9]* rings in it; [0-9]* times one .*; unexpected messages took [0-9]* KiB at most\$"
! grep -q "of shared memory" "$work/out" || fail "the memory is shown though nobody asked for it"
run --mca btl apelink,self --mca btl_apelink_show_memory yes
[ "$(grep -c "$held" "$work/out")" = 1 ] || fail "the memory is not shown once"

[ $failures -eq 0 ] || exit 1
echo "btl_asked: ok"
