#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Memory runs out at one allocation of the start or of a message, and stays away: two ranks end with an error that names
# memory, over pml match, mtl match and the BTL, and never wait for ever. A few allocations, or with APELINK_TEST_ALL=yes each.
. "$(dirname "$0")/common.sh"
needs p2p_sizes
program=$builddir/tests/mpi/p2p_sizes
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# ends PREFIX NTH MCA...: memory is gone from the NTH allocation on.
ends() {
    prefix=$1 nth=$2
    shift 2
    timeout -k 10 60 "${MPIRUN:-mpirun}" --oversubscribe --bind-to none -n 2 "$@" --mca "${prefix}_memory_wait_ms" 300 \
        --mca "${prefix}_fault" "alloc:nth=$nth,every=1" "$program" >"$work/out" 2>&1 </dev/null
    code=$?
    if [ $code -eq 0 ] && grep -q MT-OK "$work/out"; then
        return # there are fewer, or it can do without
    fi
    # 255 is an error that ends the job; others from 124 on are a time-out or a signal.
    if [ $code -eq 0 ] || { [ $code -ge 124 ] && [ $code -lt 255 ]; } || ! grep -qi memory "$work/out"; then
        echo "FAIL: $prefix: without memory from allocation $nth on mpirun ends with $code, and says:"
        head -40 "$work/out"
        failures=$((failures + 1))
    fi
}

if [ "${APELINK_TEST_ALL-}" = yes ]; then
    all=$(seq 1 110)
else
    all="35 60"
fi
for n in $all; do
    ends pml_match "$n" --mca pml match
    ends mtl_match "$n" --mca pml cm --mca mtl match
    ends btl_apelink "$n" --mca pml ob1 --mca btl apelink,self
done
echo "$failures failures"
[ "$failures" -eq 0 ]
