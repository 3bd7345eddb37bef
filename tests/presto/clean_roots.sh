#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# CMake's FindMPI and Autoconf's AX_MPI in C, C++ and Fortran where Presto is installed, in roots of their own: clean_roots.sh PREFIX. One
# has no other MPI, one is as this machine is, with Open MPI. What is asked for is to be Presto's, and nothing of another's.
set -u
here=$(cd "$(dirname "$0")" && pwd)
prefix=$1
if [ "${2-}" != inside ]; then
    work=$(mktemp -d) || exit 1
    trap 'rm -rf "$work"' EXIT
    status=0
    for root in without with; do
        # Layers over the folders in which other MPIs are; what is removed is removed there alone.
        mkdir -p "$work/$root"
        map=
        [ "$(id -u)" -eq 0 ] || map=--map-root-user
        # shellcheck disable=SC2086 # no option, or one
        unshare $map --mount sh "$0" "$prefix" inside "$root" "$work/$root"
        code=$?
        [ $code -eq 0 ] || [ $status -eq 1 ] || status=$code
    done
    exit $status
fi
root=$3
work=$4

remove_others() {
    mount -t tmpfs tmpfs "$work" || return 77
    for folder in usr etc; do
        mkdir -p "$work/up/$folder" "$work/spare/$folder"
        mount -t overlay overlay -o "lowerdir=/$folder,upperdir=$work/up/$folder,workdir=$work/spare/$folder" "/$folder" || return 77
    done
    rm -rf /usr/bin/mpi* /usr/bin/*openmpi* /usr/bin/*mpich* /usr/bin/orte* /usr/bin/ompi* /usr/bin/hydra* /usr/lib/*/openmpi* /usr/lib/*/mpich* \
        /usr/lib/*/libmpi* /usr/lib/*/libfmpich* /usr/lib/*/libopa.* /usr/lib/*/pkgconfig/*mpi* /usr/lib/*/fortran/*/*mpi* /usr/lib/*/cmake/*[mM][pP][iI]* /usr/include/*/mpi* \
        /usr/include/mpi* /usr/share/openmpi /usr/share/mpich /etc/alternatives/*mpi*
    for name in mpicc mpicxx mpif90 mpirun; do
        ! command -v $name >/dev/null || { echo "FAIL: $(command -v $name) is still there"; return 1; }
    done
    echo 'char MPI_Comm_rank(); int main() { return MPI_Comm_rank(); }' >"$work/ask.c"
    for library in mpi mpich; do
        ! cc -w "$work/ask.c" -o "$work/ask" -l$library 2>/dev/null || { echo "FAIL: lib$library is still there"; return 1; }
    done
}

failed=0
fail() {
    echo "FAIL: $root another MPI: $1"
    cat "$work/out"
    failed=1
}

# Programs that have been made are Presto's, and run.
good() {
    for program in rank_c rank_cxx rank_fortran; do
        file=$(find "$work/project" -type f -name $program)
        [ -n "$file" ] || { fail "$1: there is no $program"; continue; }
        "$prefix/bin/prestorun" -n 2 "$file" >"$work/out" 2>&1
        grep -q '^2 ranks, Presto$' "$work/out" || fail "$1: $program is no program of Presto's"
        ! readelf -d "$file" | grep NEEDED | grep -v libpresto | grep -q 'mpi' || { readelf -d "$file" >"$work/out"; fail "$1: $program needs another MPI's library"; }
    done
}

fresh() {
    rm -rf "$work/project"
    cp -r "$here/roots" "$work/project"
}

by_cmake() { # WHAT OPTION...
    what=$1
    shift
    fresh
    if ! { cmake -S "$work/project" -B "$work/project/build" -DCMAKE_Fortran_COMPILER="$fortran" "$@" && cmake --build "$work/project/build"; } >"$work/out" 2>&1; then
        fail "$what"
        return
    fi
    good "$what"
}

by_autoconf() { # WHAT VARIABLE=VALUE...
    what=$1
    shift
    fresh
    if ! (cd "$work/project" && mkdir -p m4 && aclocal -I m4 && autoconf && ./configure "$@" && make) >"$work/out" 2>&1; then
        fail "$what"
        return
    fi
    good "$what"
}

if [ "$root" = without ]; then
    remove_others
    code=$?
    [ $code -ne 77 ] || echo "SKIP: no root can be made here: mounts are not allowed"
    [ $code -eq 0 ] || exit $code
fi
[ "$root" = without ] || command -v mpicc >/dev/null || { echo "SKIP: there is no other MPI"; exit 0; }
unset CC CXX FC MPICC MPICXX MPIFC PRESTO_INCLUDEDIR PRESTO_LIBDIR
fortran=$("$prefix/bin/prestofc" --showme:command)
plain=$PATH

# The names of any MPI are Presto's here: presto-env. Then Presto's wrappers by their own names, where these are another's, or nobody's.
eval "$("$prefix/bin/presto-env")"
by_cmake "CMake with presto-env"
archive=/usr/share/aclocal/ax_mpi.m4
[ ! -e $archive ] || by_autoconf "AX_MPI with presto-env"
PATH=$plain
by_cmake "CMake with wrappers that are named" -DMPI_C_COMPILER="$prefix/bin/prestocc" -DMPI_CXX_COMPILER="$prefix/bin/prestocxx" \
    -DMPI_Fortran_COMPILER="$prefix/bin/prestofc"
[ ! -e $archive ] || by_autoconf "AX_MPI with wrappers that are named" MPICC="$prefix/bin/prestocc" MPICXX="$prefix/bin/prestocxx" MPIFC="$prefix/bin/prestofc"
[ -e $archive ] || echo "not with AX_MPI, which is not installed: autoconf-archive"
[ $failed -ne 0 ] || echo "$root another MPI: CMake and Autoconf find Presto alone"
exit $failed
