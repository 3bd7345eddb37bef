# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# Package: pnetcdf
# Needs: autoreconf libtoolize m4
# Arrays in files, over MPI-IO: its own programs in C for any number of processes, which read what they have written.
build() {
    autoreconf -fi
    ./configure MPICC=mpicc MPICXX=mpicxx --disable-fortran --disable-cxx --disable-shared
    make -j"$JOBS"
    for folder in C nonblocking testcases; do make -j"$JOBS" -C test/$folder tests; done
}

# Its scripts put the number of processes in the place of NP, of which there is none here.
run_tests() {
    for folder in C nonblocking testcases; do
        make -C test/$folder ptest4 TESTMPIRUN="mpirun -n $1"
    done
}

case $1 in
build) build ;;
test) run_tests "$2" ;;
esac
