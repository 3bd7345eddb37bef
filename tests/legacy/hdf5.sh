# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# Package: hdf5
# Files of arrays over MPI-IO: its own parallel programs, which read what they have written. Needs zlib's header.
programs="t_mpi testphdf5 t_pshutdown t_prestart t_init_term t_pread"

build() {
    CC=mpicc CFLAGS=-O1 ./configure --enable-parallel --enable-build-mode=production --disable-shared --disable-hl --disable-fortran --disable-cxx
    make -j"$JOBS" -C src
    make -j"$JOBS" -C test libh5test.la
    # shellcheck disable=SC2086 # a list
    make -j"$JOBS" -C testpar $programs
}

run_tests() {
    cd testpar || exit
    for program in $programs; do
        mpirun -n "$1" "./$program" >out 2>&1
        if grep -E 'FAILED|tests detected' out; then exit 1; fi
    done
}

case $1 in
build) build ;;
test) run_tests "$2" ;;
esac
