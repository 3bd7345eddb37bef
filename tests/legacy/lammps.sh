# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# Package: lammps
# Molecular dynamics, in C++, without its packages: a liquid of 32000 atoms, whose energy after 100 steps is in its own logs.
build() {
    make -j"$JOBS" -C src mpi CCFLAGS='-O1 -std=c++11'
}

run_tests() {
    mpirun -n "$1" ./src/lmp_mpi -in bench/in.lj -log log.here >out
    awk '$1 == 100 && NF == 6 { found = 1; off = $5 + 4.6223613 } END { exit !(found && off * off < 1e-8) }' out
    grep -q "on $1 procs for 100 steps" out
}

case $1 in
build) build ;;
test) run_tests "$2" ;;
esac
