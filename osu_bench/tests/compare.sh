#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The comparison runner; see test_compare.py, test_command.py and test_session.py.
command -v python3 >/dev/null 2>&1 || {
    echo "skipped: no python3 (Debian: python3), which osu_bench/compare is written in"
    exit 77
}
folder=$(dirname "$0")
for suite in compare command session; do
    python3 "$folder/test_$suite.py" || exit 1
done
# A part that was left out has to be seen among the skipped.
command -v gnuplot >/dev/null 2>&1 || {
    echo "skipped: plots, without gnuplot (Debian: gnuplot-nox); all else has passed"
    exit 77
}
