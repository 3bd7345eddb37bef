#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The report as a page, in a browser, see pagecheck.py.
here=$(dirname "$0")

skip() {
    echo "skipped: $*"
    exit 77
}

command -v python3 >/dev/null 2>&1 || skip "there is no python3 (Debian: python3)"
PYTHONDONTWRITEBYTECODE=1 exec python3 "$here/pagecheck.py"
