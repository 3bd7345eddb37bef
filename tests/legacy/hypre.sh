# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# Package: hypre
# Multigrid solvers; the residuals are those of the tests' own tables.
build() {
    cd src || exit
    CC=mpicc CXX=mpicxx FC=mpifort ./configure --with-MPI --disable-fortran
    make -j"$JOBS"
    make -j"$JOBS" -C test ij struct sstruct
}

run_tests() {
    cd src/test || exit
    for arguments in "ij -solver 0 -rhsrand" "ij -solver 1 -n 20 20 20" "struct -n 12 12 12 -solver 0" "sstruct -in TEST_sstruct/sstruct.in.default"; do
        # shellcheck disable=SC2086 # a list
        mpirun -n "$1" ./$arguments -P "$1" 1 1 >out
        grep -q 'Iterations' out
        if grep -iE 'nan|error' out; then exit 1; fi
    done
}

case $1 in
build) build ;;
test) run_tests "$2" ;;
esac
