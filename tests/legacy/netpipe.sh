# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# Package: netpipe
# Part: short
# Ranks: 2
# A benchmark of two processes: it is right if the times have come out.
build() {
    make mpi MPICC="$(command -v mpicc)" CFLAGS=-O
}

run_tests() {
    mpirun -n "$1" ./NPmpi -u 16384 -n 10 -o bandwidths
    [ "$(wc -l <bandwidths)" -gt 20 ]
}

case $1 in
build) build ;;
test) run_tests "$2" ;;
esac
