# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# Package: scalapack
# Needs: gfortran
# Linear algebra on grids of processes: the BLACS' own testers of messages, in C and in Fortran, and LU and Cholesky
# factors in double precision. Needs a liblapack.so and a libblas.so.
build() {
    sed -e 's/^CCFLAGS .*/CCFLAGS = -O2 -fPIC -w -std=gnu89/' -e 's/^FCFLAGS .*/FCFLAGS = -O2 -fPIC -w -std=legacy/' -e 's/^NOOPT .*/NOOPT = -O0 -fPIC -w -std=legacy/' SLmake.inc.example >SLmake.inc
    make -j"$JOBS" -C BLACS/SRC
    make -j"$JOBS" -C BLACS/TESTING
    for part in pblaslib scalapacklib; do
        make -j"$JOBS" PRECISIONS=double "$part"
    done
    make -j1 PRECISIONS=double toolslib redistlib # two of their targets write to the archive
    make -j1 -C TESTING/LIN ../xdlu ../xdllt
}

# The testers want four processes; they end with BLACS_ABORT, which has to end ranks that call nothing.
run_blacs() {
    (
        cd BLACS/TESTING || exit
        mpirun -n "$2" "./$1" >out 2>&1 && exit 1
        grep 'TESTS:' out
        grep -q 'The final auxiliary test is for BLACS_ABORT' out
        if grep -E '^ *FAILED|[1-9][0-9]* FAILED' out; then exit 1; fi
    )
}

# run_factors PROGRAM RANKS: how many tests were right is in its output.
run_factors() {
    (
        cd TESTING || exit
        mpirun -n "$2" "./$1" >out 2>&1
        grep -E '^ *[1-9][0-9]* tests completed and passed residual checks' out
        if grep -E '^ *[1-9][0-9]* tests completed and failed' out; then exit 1; fi
    )
}

run_tests() {
    if [ "$1" -ge 4 ]; then
        run_blacs xCbtest "$1"
        run_blacs xFbtest "$1"
    fi
    run_factors xdlu "$1"
    run_factors xdllt "$1"
}

case $1 in
build) build ;;
test) run_tests "$2" ;;
esac
