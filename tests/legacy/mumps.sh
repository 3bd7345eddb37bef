# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# Package: mumps
# Needs: gfortran
# After: scalapack
# Sparse systems of equations, in Fortran and C over ScaLAPACK: its examples in double precision, whose solutions are known.
build() {
    cat >Makefile.inc <<'END'
LPORDDIR = $(topdir)/PORD/lib/
LPORD = -L$(LPORDDIR) -lpord$(PLAT)
ORDERINGSF = -Dpord
ORDERINGSC = -Dpord
LORDERINGS = $(LPORD)
IORDERINGSC = -I$(topdir)/PORD/include/
PLAT =
LIBEXT = .a
LIBEXT_SHARED = .so
FPIC_OPT = -fPIC
RPATH_OPT = -Wl,-rpath,$(abspath $(libdir))
OUTC = -o # a blank behind it
OUTF = -o # a blank behind it
RM = rm -f
CC = mpicc
FC = mpifort
FL = mpifort
AR = ar vr # a blank behind it
RANLIB = ranlib
LIBS = $(topdir)/../scalapack/libscalapack.a -llapack
LIBBLAS = -lblas
LIBOTHERS = -lpthread
CDEFS = -DAdd_
OPTF = -O2 -w -std=legacy
OPTL = -O2 $(RPATH_OPT)
OPTC = -O2 -w
LIBSEQNEEDED =
END
    mkdir -p lib
    sed -i 's|"/tmp"|"."|' examples/dsimpletest_save_restore.F # a file that is left there is an error the next time
    make -j1 d
}

# A solution is printed in rows of numbers, those of the C example in one.
run_tests() {
    cd examples || exit
    rm -f mumps_simpletest_save*
    export MUMPS_OOC_TMPDIR="$PWD"
    for example in dsimpletest dsimpletest_save_restore; do
        mpirun -n "$1" "./$example" <input_simpletest_real >out
        tr -s ' \n' ' ' <out >line
        awk '/Solution is/ { sub(/.*Solution is/, ""); for (i = 1; i <= 5; i++) if (($i - i) ^ 2 > 1e-12) exit 1; found = 1 } END { exit !found }' line
    done
    mpirun -n "$1" ./c_example >out
    grep -Eq 'Solution is : *\( *1.00 +2.00 *\)' out
}

case $1 in
build) build ;;
test) run_tests "$2" ;;
esac
