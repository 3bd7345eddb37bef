#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The MPI tests tagged "smoke" over the components that were just built.
. "$(dirname "$0")/common.sh"
needs_python
needs p2p_sizes
[ -e "$builddir/btl_apelink/.libs/mca_btl_apelink.so" ] ||
    skip "configure found no headers for components, so there is no apelink to test"
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
