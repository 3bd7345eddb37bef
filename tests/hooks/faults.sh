#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Faults with pml_hooks over each transport of this build, see faultscheck.py.
here=$(dirname "$0")
builddir=${APELINK_BUILDDIR:-.}

skip() {
    echo "skipped: $*"
    exit 77
}

command -v python3 >/dev/null 2>&1 || skip "there is no python3 (Debian: python3)"
[ -x "$builddir/tests/hooks/hooks_faults" ] || skip "configure found no Open MPI"
[ -e "$builddir/pml_hooks/.libs/mca_hook_apelink.so" ] || skip "configure found no headers for components"
case ${APELINK_SANITIZER-} in
*thread*) skip "Open MPI itself is full of what the thread sanitizer reports" ;;
esac
ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0
export ASAN_OPTIONS
status=0
checks="errors truncated delayed reordered unreceived stops ends goes-on survives living seeds wrong"
[ -z "${APELINK_SANITIZER-}" ] || checks="errors truncated reordered"
for check in $checks; do
    python3 "$here/faultscheck.py" "$check" || status=1
done
exit $status
