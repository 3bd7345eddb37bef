# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# Sourced by the scripts here: what they need, and where things are.

# shellcheck disable=SC2034 # used by those
here=$(dirname "$0") builddir=${APELINK_BUILDDIR:-.} failures=0

skip() {
    echo "skipped: $*"
    exit 77
}

# needs PROGRAM: one of the MPI programs, and Open MPI without a sanitizer that it cannot bear.
needs() {
    [ -x "$builddir/tests/mpi/$1" ] || skip "configure found no Open MPI, so the MPI programs were not built"
    case ${APELINK_SANITIZER-} in
    *thread*) skip "Open MPI itself is full of what the thread sanitizer reports" ;;
    esac
    # Open MPI keeps memory to its end.
    ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0
    export ASAN_OPTIONS
}

needs_python() {
    command -v python3 >/dev/null 2>&1 || skip "there is no python3 for tests/mpi/run (Debian: python3)"
}
