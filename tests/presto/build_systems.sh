#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Build systems take Presto as another MPI: build_systems.sh [PREFIX]. Make, pkg-config and CMake's find_package(Presto); with
# the prefix where it is installed also what takes longer, configure made by Autoconf and CMake's find_package(MPI).
# shellcheck disable=SC2317,SC2086 # functions that are arguments of try; sanitizer is no option, or one
set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=mpi_common.sh
. "$here/mpi_common.sh"
unset PRESTO_INCLUDEDIR PRESTO_LIBDIR
compiler=${CC:-cc}
installed=${1-}
prefix=${installed:-$work/prefix}
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
    ln -s "$prestorun" "$prefix/bin/prestorun"
    for file in prestocc:bin/prestocc presto.pc:lib/pkgconfig/presto.pc PrestoConfig.cmake:lib/cmake/Presto/PrestoConfig.cmake \
        PrestoConfigVersion.cmake:lib/cmake/Presto/PrestoConfigVersion.cmake; do
        sed "s|$was/|$prefix/|g; s|^prefix=.*|prefix=$prefix|" "$build/presto/tools/${file%%:*}" >"$prefix/${file#*:}"
    done
    chmod +x "$prefix/bin/prestocc"
}

# try NAME COMMAND...: which has to end well and to leave a program `ring` that runs.
try() {
    name=$1
    shift
    rm -rf "$work/project"
    cp -r "$here/project" "$work/project"
    if (cd "$work/project" && "$@") >"$work/out" 2>&1 &&
        timeout 60 "$prefix/bin/prestorun" -n 3 "$(find "$work/project" -type f -name ring)" >"$work/ran" 2>&1 &&
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

with_configure() {
    autoconf && ./configure CC="$prefix/bin/prestocc" CFLAGS="-O1 $sanitizer" && make && grep -q '^LIBS = *$' Makefile
}

[ -n "$installed" ] || lay_out
try make with_make
try "several objects" with_objects
if pkg-config --version >/dev/null 2>&1; then
    try pkg-config with_pkg_config
fi
if cmake --version >/dev/null 2>&1; then
    try "CMake, find_package(Presto)" with_cmake -DCMAKE_C_COMPILER="${compiler##* }" -DWITH=Presto -DCMAKE_PREFIX_PATH="$prefix"
    [ -z "$installed" ] || {
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
echo "$passed build systems"
exit $status
