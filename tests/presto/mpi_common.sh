# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# prestocc of the build folder, for the scripts beside this file. Sets src, build, work and prestocc; work goes at the end.

src=${APELINK_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
build=$(cd "${APELINK_BUILDDIR:-.}" && pwd) || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
prestocc=$build/presto/tools/prestocc

# lay_out_headers FOLDER: Presto's headers, those that the build makes among them.
lay_out_headers() {
    mkdir -p "$1/mpi"
    cp "$src"/presto/include/*.h "$1"
    cp "$src"/presto/include/mpi/*.h "$1/mpi"
    cp "$build"/presto/include/mpi/*.h "$1/mpi"
    [ ! -e "$build/presto/fortran/mpif.h" ] || {
        mkdir -p "$1/fortran"
        cp "$build/presto/fortran/mpif.h" "$1"
        for file in "$src/presto/fortran/as" "$build/presto/fortran/renames" "$build"/presto/fortran/*.mod; do [ ! -e "$file" ] || cp "$file" "$1/fortran"; done
    }
}

# shellcheck disable=SC2034 # used by the scripts that read this file
prestorun=$build/presto/tools/prestorun
PRESTO_INCLUDEDIR=$work/presto-include
lay_out_headers "$PRESTO_INCLUDEDIR"
PRESTO_LIBDIR=$build/presto/.libs
export PRESTO_INCLUDEDIR PRESTO_LIBDIR

# A sanitizer of the library has to be in the programs as well.
sanitizer=
[ -z "${APELINK_SANITIZER-}" ] || sanitizer=-fsanitize=$APELINK_SANITIZER

# compile SOURCE PROGRAM OBJECT...: with warnings as errors.
compile() {
    source=$1
    program=$2
    shift 2
    # shellcheck disable=SC2086 # no option, or one
    "$prestocc" $sanitizer -g -D_GNU_SOURCE -Wall -Wextra -Werror "$source" "$@" -o "$program"
}
