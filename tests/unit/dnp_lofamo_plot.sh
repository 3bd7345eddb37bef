#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The plot of tests/model/model_dnp_lofamo_reach has all that its tables have.
set -u
reach=${APELINK_BUILDDIR:?}/tests/model/model_dnp_lofamo_reach
command -v python3 >/dev/null 2>&1 || { echo "skipped: no python3"; exit 77; }
"$reach" 2x3x1 1 | python3 -c '
import subprocess, sys, xml.dom.minidom
rows = [line.split() for line in sys.stdin if line[:8].strip().isdigit()]
plot = xml.dom.minidom.parseString(subprocess.check_output([sys.argv[1], "--svg", "2x3x1", "1"]))
circles = plot.getElementsByTagName("circle")
titles = [t for t in plot.getElementsByTagName("text") if t.getAttribute("font-weight")]
assert len(titles) == 6, len(titles)
assert len(circles) == len(rows) > 12, (len(circles), len(rows))
heights = [float(c.getAttribute("cy")) for c in circles]
for n in range(len(rows) - 1):  # in a panel higher is later
    a, b = int(rows[n][3]), int(rows[n + 1][3])
    if int(rows[n + 1][0]) > int(rows[n][0]) and abs(a - b) > 100:
        assert (heights[n] > heights[n + 1]) == (a < b), n
assert "2x3x1 cards" in plot.getElementsByTagName("text")[0].firstChild.data
' "$reach"
