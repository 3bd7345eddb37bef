# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# Package: arpack
# Needs: gfortran cmake
# Eigenvalues of distributed matrices (PARPACK), in Fortran, found by CMake's FindMPI: its drivers, which print how far each
# eigenpair is off. Needs a liblapack.so and a libblas.so.
drivers="psndrv1 pdndrv1 pssdrv1 pdsdrv1 pcndrv1 pzndrv1 psndrv3 pdndrv3"

# Two types of a buffer in one file, as mpif.h allows, are an error to newer compilers.
build() {
    cmake -S . -B here -DMPI=ON -DEXAMPLES=ON -DCMAKE_Fortran_FLAGS='-w -std=legacy'
    # shellcheck disable=SC2086 # a list
    cmake --build here -j "$JOBS" --target $drivers issue46
}

# Eigenvalues and how far they are off stand in rows, in Fortran's notation; the latter comes last.
run_tests() {
    for driver in $drivers; do
        mpirun -n "$1" "here/PARPACK/EXAMPLES/MPI/$driver" >out
        awk '/Row +[0-9]+:/ && NF > 3 { off = $NF; gsub(/D/, "E", off); rows++; if (off + 0 > 0.01) exit 1 }
            /converged Ritz values is/ { found = $NF }
            END { exit !(rows > 1 && found > 1) }' out
    done
    mpirun -n "$1" here/PARPACK/TESTS/MPI/issue46
}

case $1 in
build) build ;;
test) run_tests "$2" ;;
esac
