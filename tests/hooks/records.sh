#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The report of records that are old, cut off or damaged, see recordscheck.py.
here=$(dirname "$0")

skip() {
    echo "skipped: $*"
    exit 77
}

command -v python3 >/dev/null 2>&1 || skip "there is no python3 (Debian: python3)"
PYTHONDONTWRITEBYTECODE=1 exec python3 "$here/recordscheck.py"
