#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Covers: ompi_glue/hosts.c ompi_glue/bindings.c
# Peers count as away where the processes of the host outnumber the processors that they may use, not those of the machine:
# those to which the runtime says that it has bound them, or those of who started them.
set -u

build=${APELINK_BUILDDIR:-.}
# Open MPI keeps memory to its end.
ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0
export ASAN_OPTIONS
failures=0

for name in $(env | sed -n 's/^\(APENI_[A-Za-z0-9_]*\)=.*/\1/p; s/^\(OMPI_MCA_btl[a-z_]*\)=.*/\1/p'); do
    unset "$name"
done
if ! [ -e "$build/btl_apelink/.libs/mca_btl_apelink.so" ]; then
    echo "btl_yields: skipped, there is no component in $build/btl_apelink/.libs"
    exit 77
fi
# The first two processors that this process may use.
two=$(taskset -cp $$ 2>/dev/null | sed 's/.*: //' | tr , '\n' | awk -F- '{ for (i = $1; i <= $NF && n < 2; i++) { print i; n++ } }')
one=${two%%[!0-9]*}
if [ -z "$one" ] || [ "$one" = "$two" ]; then
    echo "btl_yields: skipped, it needs two processors and taskset"
    exit 77
fi
two=$(echo "$two" | paste -sd ,)

# away yes|no COMMAND...: what two ranks find, started by it.
away() {
    want=$1
    shift
    timeout -k 10 120 "$@" --oversubscribe -n 2 --mca pml ob1 --mca btl apelink,self "$build/tests/unit/btl_yields" "$want" || {
        echo "FAIL: $* (exit status $?), where peers are away: $want"
        failures=$((failures + 1))
    }
}

mpirun=${MPIRUN:-mpirun}
away yes taskset -c "$one" "$mpirun" --bind-to none
away no taskset -c "$two" "$mpirun" --bind-to none
away no "$mpirun" --bind-to core:overload-allowed
away yes "$mpirun" --bind-to core:overload-allowed --cpu-set "$one"
away yes "$mpirun" --bind-to none --mca mpi_yield_when_idle 1

[ $failures -eq 0 ] || exit 1
echo "btl_yields: ok"
