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
# Open MPI keeps memory to its end; what our components keep is looked for below.
ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0
export ASAN_OPTIONS
status=0

# run TRANSPORT ARGUMENT...
run() {
    transport=$1
    shift
    "$here/run" --bindir "$builddir/tests/mpi" --transport "$transport" "$@" || status=1
}

# smoke TRANSPORT TEST...: all that are tagged, and with AddressSanitizer once more those that are named, for leaks.
smoke() {
    run "$1" --tags smoke
    case ${APELINK_SANITIZER-} in
    *address*) run "$@" --leaks --timeout-scale 4 ;;
    esac
}

smoke apelink 'p2p_all[np=2]' 'rma_putget[np=2,rdma]' 'spawn[np=1]'
[ -e "$builddir/mtl_match/.libs/mca_mtl_match.so" ] || exit $status
smoke cm-match 'p2p_all[np=2]' 'spawn[np=1]'
smoke pml-match 'p2p_all[np=2]' 'p2p_modes' 'dt_layouts' 'spawn[np=1]'
exit $status
