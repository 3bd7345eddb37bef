#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Build systems take Presto as another MPI: build_systems.sh [PREFIX]. Make, pkg-config and CMake's find_package(Presto); with
# the prefix where it is installed also what takes longer, configure made by Autoconf and CMake's find_package(MPI).
# shellcheck disable=SC2317,SC2086 # functions that are arguments of try; sanitizer is no option, or one
set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=mpi_common.sh
. "$here/mpi_common.sh"
PRESTO_LIB=$PRESTO_LIBDIR
unset PRESTO_INCLUDEDIR PRESTO_LIBDIR
compiler=${CC:-cc}
installed=${1-}
prefix=${installed:-$work/prefix}
fortran=
[ ! -e "$PRESTO_LIB/libpresto_fortran.so" ] || fortran=yes
passed=0
status=0

# What "make install" puts there, from the build folder.
lay_out() {
    was=$(sed -n 's/^prefix=//p' "$build/presto/tools/presto.pc")
    mkdir -p "$prefix/bin" "$prefix/include/presto" "$prefix/lib/pkgconfig" "$prefix/lib/cmake/Presto"
    cp "$src/presto/include/presto.h" "$prefix/include"
    lay_out_headers "$prefix/include/presto"
    rm "$prefix/include/presto/presto.h"
    cp -P "$build"/presto/.libs/libpresto.so* "$build/presto/.libs/libpresto_plain.a" "$prefix/lib"
    [ -z "$fortran" ] || cp -P "$build"/presto/.libs/libpresto_fortran.so* "$build"/presto/.libs/libpresto_fortran_*.a "$prefix/lib"
    ln -s "$prestorun" "$prefix/bin/prestorun"
    ln -s prestocc "$prefix/bin/prestocxx"
    for file in prestocc:bin/prestocc presto-env:bin/presto-env presto.pc:lib/pkgconfig/presto.pc PrestoConfig.cmake:lib/cmake/Presto/PrestoConfig.cmake \
        PrestoConfigVersion.cmake:lib/cmake/Presto/PrestoConfigVersion.cmake; do
        sed "s|$was/|$prefix/|g; s|^prefix=.*|prefix=$prefix|" "$build/presto/tools/${file%%:*}" >"$prefix/${file#*:}"
    done
    chmod +x "$prefix/bin/prestocc" "$prefix/bin/presto-env"
    wrappers=$(sed -n "s/^wrappers='\(.*\)'/\1/p" "$prefix/bin/presto-env")
    mkdir -p "$wrappers"
    for name in mpicc mpicxx mpic++ mpifort mpif90; do ln -s "$prefix/bin/prestocc" "$wrappers/$name"; done
    for name in mpirun mpiexec; do ln -s "$prefix/bin/prestorun" "$wrappers/$name"; done
}

# try NAME COMMAND...: which has to end well and to leave a program `ring` that runs.
try() {
    name=$1
    shift
    rm -rf "$work/project"
    cp -r "$here/project" "$work/project"
    if (cd "$work/project" && "$@") >"$work/out" 2>&1 &&
        timeout -k 10 60 "$prefix/bin/prestorun" -n 3 "$(find "$work/project" -type f -name ring)" >"$work/ran" 2>&1 &&
        grep -q '^3 ranks, sum 3, Presto$' "$work/ran"; then
        passed=$((passed + 1))
    else
        echo "FAIL: $name"
        cat "$work/out" "$work/ran" 2>/dev/null
        status=1
    fi
}

with_make() {
    make -f Makefile.in CC="$prefix/bin/prestocc" CFLAGS="-O1 -Wall -Werror $sanitizer" LIBS=
}

with_objects() {
    "$prefix/bin/prestocc" $sanitizer -c ring.c sum.c && "$prefix/bin/prestocc" $sanitizer -o ring ring.o sum.o
}

with_pkg_config() {
    PKG_CONFIG_PATH=$prefix/lib/pkgconfig
    export PKG_CONFIG_PATH
    # shellcheck disable=SC2046 # words
    $compiler $sanitizer ring.c sum.c -o ring $(pkg-config --cflags --libs presto) "-Wl,-rpath,$prefix/lib"
}

with_cmake() {
    cmake -S . -B build "$@" -DCMAKE_C_COMPILER_LAUNCHER= -DCMAKE_C_FLAGS="$sanitizer" && cmake --build build
}

# As a script does that knows no Presto, where presto-env was heeded.
with_names_of_any() {
    eval "$("$prefix/bin/presto-env")"
    # shellcheck disable=SC2086 # no option, or one
    mpicc $sanitizer ring.c sum.c -o ring && mpirun -n 2 -mca btl self --rank-by=core --map-by socket ./ring 2>said | grep -q '^2 ranks, sum 1, Presto$' &&
        [ "$(grep -c '^mpirun (Presto.s): .* is ignored: ' said)" -eq 3 ] && ! mpirun -n 2 -hostfile x ./ring 2>/dev/null &&
        mpicc -show x.c | grep -q 'lpresto ' && mpicc -compile_info x.c | grep -qv 'lpresto ' && mpicc -link_info | grep -q 'lpresto ' || return 1
    printf '#include <mpi.h>\n#include <vector>\nint main() { MPI_Init(0, 0); std::vector<int> v(1, 2); return MPI_Finalize(); }\n' >one.cc
    # shellcheck disable=SC2086
    mpicxx $sanitizer one.cc -o one && mpiexec -n 2 ./one || return 1
    if [ -z "$fortran" ]; then
        if mpif90 x.f90 2>said; then return 1; fi
        grep -q '^mpif90: this Presto was built without Fortran' said
        return
    fi
    # shellcheck disable=SC2086
    mpifort $sanitizer "$here/fortran/old.f" -o old && mpirun -n 2 ./old >said 2>&1 && grep -q 'MT-OK old' said && mpif90 -show x.f90 | grep -q 'lpresto_fortran '
}

# The module file, as `module load` reads it; where there is no Tcl its few words are read by sed.
with_modulefile() {
    modulefile=$(find "$prefix/share/modulefiles/presto" -type f) && [ -n "$modulefile" ] || return 1
    if command -v tclsh >/dev/null; then
        cat >module.tcl <<'END'
proc module-whatis {words} {}
proc conflict {args} {}
proc prepend-path {name folder} {puts "$name=$folder\${$name:+:\$$name}; export $name"}
source [lindex $argv 0]
END
        tclsh module.tcl "$modulefile" >lines
    else
        sed -n 's/^prepend-path \([A-Z_]*\) "\(.*\)"$/\1=\2${\1:+:$\1}; export \1/p' "$modulefile" >lines
    fi
    # shellcheck disable=SC1091 # it has just been made
    . ./lines
    cat lines
    # shellcheck disable=SC2086 # no option, or one
    [ "$(command -v mpicc)" = "$(sed -n "s/^wrappers='\(.*\)'/\1/p" "$prefix/bin/presto-env")/mpicc" ] && command -v prestorun | grep -q "^$prefix/bin/" &&
        { ! command -v pkg-config >/dev/null || pkg-config --exists presto; } && mpicc $sanitizer ring.c sum.c -o ring && mpirun -n 2 ./ring | grep -q '^2 ranks, sum 1, Presto$'
}

with_cmake_and_names() {
    eval "$("$prefix/bin/presto-env")"
    with_cmake -DWITH=MPI "$@"
}

with_configure() {
    autoconf && ./configure CC="$prefix/bin/prestocc" CFLAGS="-O1 $sanitizer" && make && grep -q '^LIBS = *$' Makefile
}

# try_fortran NAME COMMAND...: which has to leave programs `old` and `new` in the folder, or in build, that run.
try_fortran() {
    name=$1
    shift
    rm -rf "$work/project"
    cp -r "$here/fortran/project" "$work/project"
    cp "$here/fortran/old.f" "$here/fortran/new.f90" "$work/project"
    good=yes
    (cd "$work/project" && "$@") >"$work/out" 2>&1 || good=
    for program in old new; do
        [ -n "$good" ] && timeout 60 "$prefix/bin/prestorun" -n 2 "$(find "$work/project" -type f -name $program)" >"$work/ran" 2>&1 &&
            grep -q "MT-OK $program" "$work/ran" || good=
    done
    if [ -n "$good" ]; then
        passed=$((passed + 1))
    else
        echo "FAIL: $name"
        cat "$work/out" "$work/ran" 2>/dev/null
        status=1
    fi
}

fortran_with_cmake() {
    eval "$("$prefix/bin/presto-env")"
    cmake -S . -B build "$@" -DCMAKE_Fortran_FLAGS="$sanitizer" && cmake --build build
}

fortran_with_configure() {
    eval "$("$prefix/bin/presto-env")"
    autoconf && ./configure FFLAGS="-w $sanitizer" FCFLAGS="-w $sanitizer" && make
}

[ -n "$installed" ] || lay_out
try make with_make
try "several objects" with_objects
try "the names of any MPI" with_names_of_any
[ -z "$installed" ] || try "the module file" with_modulefile
if pkg-config --version >/dev/null 2>&1; then
    try pkg-config with_pkg_config
fi
if cmake --version >/dev/null 2>&1; then
    try "CMake, find_package(Presto)" with_cmake -DCMAKE_C_COMPILER="${compiler##* }" -DWITH=Presto -DCMAKE_PREFIX_PATH="$prefix"
    [ -z "$installed" ] || {
        try "CMake, find_package(MPI), presto-env" with_cmake_and_names -DCMAKE_C_COMPILER="${compiler##* }"
        try "CMake, find_package(MPI)" with_cmake -DCMAKE_C_COMPILER="${compiler##* }" -DWITH=MPI -DMPI_C_COMPILER="$prefix/bin/prestocc"
        try "CMake, prestocc as the compiler" with_cmake -DCMAKE_C_COMPILER="$prefix/bin/prestocc" -DWITH=none \
            -DOTHER_MPI="$([ -z "${MPICC-}" ] || $MPICC --showme:link 2>/dev/null)"
    }
else
    echo "not with CMake, which is not installed"
fi
if [ -n "$installed" ] && autoconf --version >/dev/null 2>&1; then
    try "Autoconf" with_configure
fi
if [ -n "$installed" ] && [ -n "$fortran" ]; then
    compiler=$("$prefix/bin/prestofc" --showme:command)
    if cmake --version >/dev/null 2>&1; then
        try_fortran "CMake, find_package(MPI), gfortran" fortran_with_cmake -DCMAKE_Fortran_COMPILER="$compiler"
        try_fortran "CMake, find_package(MPI), prestofc" fortran_with_cmake -DCMAKE_Fortran_COMPILER="$prefix/bin/prestofc"
    fi
    ! autoconf --version >/dev/null 2>&1 || try_fortran "Autoconf, Fortran" fortran_with_configure
fi
echo "$passed build systems"
exit $status
