#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Covers: ompi_glue/hosts.c ompi_glue/bindings.c
# Peers count as away where the processes of the host outnumber the processors that they may use, not those of the machine:
# those to which the runtime says that it has bound them, or those of who started them.
. "$(dirname "$0")/component.sh"
component btl_apelink
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

away yes taskset -c "$one" "$mpirun" --bind-to none
away no taskset -c "$two" "$mpirun" --bind-to none
away no "$mpirun" --bind-to core:overload-allowed
away yes "$mpirun" --bind-to core:overload-allowed --cpu-set "$one"
away yes "$mpirun" --bind-to none --mca mpi_yield_when_idle 1
finish
