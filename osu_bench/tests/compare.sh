#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The comparison runner; see test_compare.py and test_session.py.
command -v python3 >/dev/null 2>&1 || {
    echo "skipped: no python3 (Debian: python3), which osu_bench/compare is written in"
    exit 77
}
folder=$(dirname "$0")
python3 "$folder/test_compare.py" && python3 "$folder/test_session.py" || exit 1
# A part that was left out has to be seen among the skipped.
command -v gnuplot >/dev/null 2>&1 || {
    echo "skipped: plots, without gnuplot (Debian: gnuplot-nox); all else has passed"
    exit 77
}
