# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# Package: fftw3
# Fourier transforms of distributed arrays, against those of one process.
build() {
    ./configure --enable-mpi --disable-fortran --disable-doc MPICC=mpicc
    make -j"$JOBS"
    make -j"$JOBS" -C mpi mpi-bench
}

run_tests() {
    for problem in ib32x24 ofr20x30 obr60x10x8 obc13x17v4 if1024 ik8e11x12; do
        mpirun -n "$1" ./mpi/mpi-bench -v1 --verify "$problem" >out
        grep -q "$problem" out
    done
}

case $1 in
build) build ;;
test) run_tests "$2" ;;
esac
