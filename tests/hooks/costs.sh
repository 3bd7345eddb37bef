#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What the report says of programs that lose time in a known way, see costscheck.py.
here=$(dirname "$0")
builddir=${APELINK_BUILDDIR:-.}

skip() {
    echo "skipped: $*"
    exit 77
}

command -v python3 >/dev/null 2>&1 || skip "there is no python3 (Debian: python3)"
[ -x "$builddir/tests/hooks/hooks_costs" ] || skip "configure found no Open MPI"
[ -e "$builddir/pml_hooks/.libs/mca_hook_apelink.so" ] || skip "configure found no headers for components"
[ -z "${APELINK_SANITIZER-}" ] || skip "a sanitizer takes time that is not the program's"
PYTHONDONTWRITEBYTECODE=1 exec python3 "$here/costscheck.py"
