#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# No key of btl apelink's interface is on a command line or in an environment while a job runs.
set -u

build=${APELINK_BUILDDIR:-.}
# Open MPI keeps memory to its end.
ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0
export ASAN_OPTIONS

for name in $(env | sed -n 's/^\(APENI_[A-Za-z0-9_]*\)=.*/\1/p; s/^\(OMPI_MCA_btl[a-z_]*\)=.*/\1/p'); do
    unset "$name"
done
if ! [ -e "$build/btl_apelink/.libs/mca_btl_apelink.so" ]; then
    echo "btl_keys: skipped, there is no component in $build/btl_apelink/.libs"
    exit 77
fi
case ${APELINK_SANITIZER-} in
*thread*)
    echo "btl_keys: skipped, Open MPI itself is full of what the thread sanitizer reports"
    exit 77
    ;;
esac
timeout -k 10 120 "${MPIRUN:-mpirun}" --oversubscribe --bind-to none -n 2 --mca mpi_yield_when_idle 1 --mca pml ob1 \
    --mca btl apelink,self --mca btl_apelink_links both "$build/tests/unit/btl_keys" || {
    echo "FAIL: exit status $?"
    exit 1
}
echo "btl_keys: ok"
