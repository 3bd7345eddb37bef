#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The comparison runner; see test_compare.py.
command -v python3 >/dev/null 2>&1 || {
    echo "skipped: no python3 (Debian: python3), which osu_bench/compare is written in"
    exit 77
}
exec python3 "$(dirname "$0")/test_compare.py"
