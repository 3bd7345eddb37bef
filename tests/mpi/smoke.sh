#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The MPI tests tagged "smoke" over the components that were just built.
here=$(dirname "$0")
builddir=${APELINK_BUILDDIR:-.}

skip() {
    echo "skipped: $*"
    exit 77
}

command -v python3 >/dev/null 2>&1 || skip "there is no python3 for tests/mpi/run (Debian: python3)"
[ -x "$builddir/tests/mpi/p2p_sizes" ] || skip "configure found no Open MPI, so the MPI programs were not built"
[ -e "$builddir/btl_apelink/.libs/mca_btl_apelink.so" ] ||
    skip "configure found no headers for components, so there is no apelink to test"
case ${APELINK_SANITIZER-} in
*thread*) skip "Open MPI itself is full of what the thread sanitizer reports" ;;
esac
# Open MPI keeps memory to its end.
ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0
export ASAN_OPTIONS
status=0
"$here/run" --bindir "$builddir/tests/mpi" --transport apelink --tags smoke || status=1
[ -e "$builddir/mtl_match/.libs/mca_mtl_match.so" ] || exit $status
"$here/run" --bindir "$builddir/tests/mpi" --transport cm-match --tags smoke || status=1
exit $status
