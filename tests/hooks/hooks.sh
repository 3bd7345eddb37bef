#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# pml_hooks over each transport of this build, see hookscheck.py.
here=$(dirname "$0")
builddir=${APELINK_BUILDDIR:-.}

skip() {
    echo "skipped: $*"
    exit 77
}

command -v python3 >/dev/null 2>&1 || skip "there is no python3 (Debian: python3)"
[ -x "$builddir/tests/hooks/hooks_count" ] || skip "configure found no Open MPI"
[ -e "$builddir/pml_hooks/.libs/mca_hook_apelink.so" ] || skip "configure found no headers for components"
case ${APELINK_SANITIZER-} in
*thread*) skip "Open MPI itself is full of what the thread sanitizer reports" ;;
esac
ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0
export ASAN_OPTIONS
status=0
checks="count inter switch queues device overlap ucx chained late pvars hosts killed stale damaged healthy stalls"
[ -z "${APELINK_SANITIZER-}" ] || checks="count inter switch late"
for check in $checks; do
    python3 "$here/hookscheck.py" "$check" || status=1
done
[ -n "${APELINK_SANITIZER-}" ] || python3 "$here/windowscheck.py" || status=1
exit $status
