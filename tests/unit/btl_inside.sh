#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Covers: btl_apelink/btl_apelink_dump.c btl_apelink/btl_apelink_recv.c
# What the BTL prints of its state, through the dump of ob1, and of a message that nobody takes, which comes over the
# real way: the whole text, with values and remedy.
set -u

build=${APELINK_BUILDDIR:-.}
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
    echo "btl_inside: skipped, there is no component in $build/btl_apelink/.libs"
    exit 77
fi

# says NUMBER REGEX: in so many lines.
says() {
    count=$(grep -cE -e "$2" "$work/out")
    [ "$count" -eq "$1" ] && return
    echo "FAIL: $count lines say \"$2\", not $1"
    failures=$((failures + 1))
}

timeout -k 10 60 "$mpirun" --oversubscribe --bind-to none -n 2 --mca mpi_yield_when_idle 1 --mca pml ob1 \
    --mca btl apelink,self "$build/tests/unit/btl_inside" >"$work/out" 2>&1 || {
    echo "FAIL: exit status $?"
    failures=$((failures + 1))
}
says 1 'A message arrived through the apelink BTL for a part of Open MPI that is not in'
says 1 'All processes of a job must use the same'
says 1 'Message tag: 157$'
says 1 'btl:apelink: \[\[[0-9]+,1\],0\]: .+; 0 descriptors wait$'
says 1 'btl:apelink: \[\[[0-9]+,1\],1\]: .+; 0 descriptors wait$'
says 1 'btl:apelink: 0 endpoints wait for room, 0 messages unclaimed$'
says 1 'btl:apelink: 0 endpoints wait for room, 3 messages unclaimed$'
says 2 'btl:apelink: tx_packets [1-9][0-9]* packets$'
says 2 'btl:apelink: peers 1 peers$'

[ $failures -eq 0 ] || {
    sed 's/^/    /' "$work/out"
    exit 1
}
echo "btl_inside: ok"
