# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# Package: hpcc
# Needs: gcc
# Part: short
# Linear algebra, transposition, random access and Fourier transforms, each of which checks its results. Needs a libblas.so.
build() {
    cat >hpl/Make.here <<END
include $PWD/hpl/setup/Make.Linux_PII_FBLAS
MPinc =
MPlib =
LAlib = -lblas
CC = mpicc
CCFLAGS = \$(HPL_DEFS) -O2
LINKER = mpicc
LINKFLAGS = -O2
HPL_OPTS = -DHPL_NO_MPI_DATATYPE
END
    make arch=here
}

run_tests() {
    rows=1
    [ "$1" -lt 4 ] || rows=2
    awk -v p=$rows -v q=$(($1 / rows)) 'NR == 6 { $0 = "240 Ns" } NR == 8 { $0 = "40 NBs" } NR == 11 { $0 = p " Ps" } NR == 12 { $0 = q " Qs" } { print }' _hpccinf.txt >hpccinf.txt
    rm -f hpccoutf.txt
    mpirun -n "$1" ./hpcc
    grep -q '^Success=1' hpccoutf.txt
    grep -q 'PASSED' hpccoutf.txt
    if grep 'FAILED' hpccoutf.txt; then exit 1; fi
}

case $1 in
build) build ;;
test) run_tests "$2" ;;
esac
