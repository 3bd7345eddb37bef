# SPDX-License-Identifier: BSD-3-Clause
"""Plots by gnuplot: PREFIX.gp with the data in it, and PREFIX.png and PREFIX.svg drawn from it."""

import math
import shutil
import subprocess

from . import stats, tables
from .command import NotHere
from .parse import format_size

PANEL_WIDTH = 620
PANEL_HEIGHT = 420


def fullest_state(samples, bench):
    """The state in which a benchmark has most samples: the one that its panel shows."""
    counts = {}
    for sample in samples:
        if sample.bench == bench:
            counts[sample.state] = counts.get(sample.state, 0) + 1
    return max(tables.ALL_STATES, key=lambda state: counts.get(state, 0))


def _transports(summaries):
    present = {key[3] for key in summaries}
    return [t.key for t in tables.TRANSPORTS if t.key in present]


def _style(transport):
    """A transport has the same colour and mark in all panels."""
    number = [t.key for t in tables.TRANSPORTS].index(transport) + 1
    return f"linecolor {number} pointtype {number} title '{transport}'"


def _block(name, rows):
    return [f"${name} << EOD", *(" ".join(str(word) for word in row) for row in rows), "EOD"]


def _place(size):
    """Where a size is on a logarithmic axis, 0 included."""
    return size or 0.5


def _curve_panel(bench, state, summaries):
    """One curve per transport over the sizes, with bars from p25 to p75."""
    blocks, curves, sizes = [], [], set()
    for transport in _transports(summaries):
        rows = []
        for key in sorted(k for k in summaries
                          if (k[0], k[2], k[3]) == (bench.key, state, transport)):
            summary = summaries[key]
            rows.append((_place(key[1]), summary.median, summary.p25, summary.p75))
            sizes.add(key[1])
        if rows:
            name = f"d_{bench.key}_{transport.replace('-', '_')}"
            blocks += _block(name, rows)
            curves.append(f"${name} using 1:2:3:4 with yerrorlines {_style(transport)}")
    if not curves:
        return [], []
    ticks = ", ".join(f"'{format_size(size)}' {_place(size)}" for size in sorted(sizes))
    panel = [f"set title '{bench.key}, state {state}'", f"set ylabel '{bench.unit}'",
             f"set xlabel '{bench.axis}'", "set logscale x 2", "set logscale y 10",
             f"set xtics ({ticks}) rotate by -45",
             f"set xrange [{_place(min(sizes)) / 1.5}:{_place(max(sizes)) * 1.5}]", "set yrange [*:*]",
             f"set key inside {'left top' if bench.better == 'lower' else 'right bottom'}",
             "plot " + ", \\\n     ".join(curves)]
    return blocks, panel


def _ratio_panel(benches, samples, summaries, reference):
    """Ratios to the reference of the benchmarks that have one size only, as points beside each other."""
    blocks, curves, names = [], [], []
    places = {}
    for bench in benches:
        state = fullest_state(samples, bench.key)
        for size in sorted({k[1] for k in summaries if k[0] == bench.key}):
            places[(bench.key, size, state)] = len(places)
            names.append(f"{bench.key}{' ' + format_size(size) if size else ''} ({state})")
    for transport in _transports(summaries):
        rows = []
        for (key, size, state), place in places.items():
            ratio = stats.ratio(summaries, key, size, state, transport, reference)
            if ratio is not None and ratio > 0:
                rows.append((place, ratio))
        if rows:
            name = f"r_{transport.replace('-', '_')}"
            blocks += _block(name, rows)
            curves.append(f"${name} using 1:2 with points pointsize 1.5 {_style(transport)}")
    if not curves:
        return [], []
    ticks = ", ".join(f"'{name}' {place}" for place, name in enumerate(names))
    panel = [f"set title 'ratio to {reference}'", f"set ylabel '/ {reference}'", "unset xlabel",
             "unset logscale x", "set logscale y 2", f"set xtics ({ticks}) rotate by -45",
             f"set xrange [-0.5:{len(names) - 0.5}]", "set yrange [*:*]", "set key outside right top",
             "plot 1 with lines linecolor 0 dashtype 2 notitle, " + ", \\\n     ".join(curves)]
    return blocks, panel


def script(results, reference):
    """The text of the gnuplot script; it wants the variables term ("png" or "svg") and out."""
    summaries = stats.group(results.samples)
    present = [b for b in tables.BENCHES if any(key[0] == b.key for key in summaries)]
    blocks, panels, single = [], [], []
    for bench in present:
        if len({key[1] for key in summaries if key[0] == bench.key}) < 2:
            single.append(bench)
            continue
        block, panel = _curve_panel(bench, fullest_state(results.samples, bench.key), summaries)
        blocks += block
        panels += [panel] if panel else []
    block, panel = _ratio_panel(single, results.samples, summaries, reference)
    blocks += block
    panels += [panel] if panel else []
    if not panels:
        raise ValueError("nothing to plot: there are no samples")
    columns = math.ceil(math.sqrt(len(panels)))
    lines = math.ceil(len(panels) / columns)
    size = f"{columns * PANEL_WIDTH},{lines * PANEL_HEIGHT}"
    head = ["# gnuplot script: gnuplot -e \"term='png'; out='plot.png'\" THIS_FILE", *blocks,
            f"if (term eq 'svg') {{ set terminal svg noenhanced size {size} background 'white' }} "
            f"else {{ set terminal png noenhanced size {size} }}",
            "set output out", "set grid", f"set multiplot layout {lines},{columns}"]
    body = [line for panel in panels for line in panel]
    return "\n".join(head + body + ["unset multiplot", "set output", ""])


def draw(prefix, results, reference):
    """Write PREFIX.gp, PREFIX.png, PREFIX.svg; returns their names. Raises NotHere without gnuplot."""
    gnuplot = shutil.which("gnuplot")
    if gnuplot is None:
        raise NotHere("no gnuplot in PATH, so there is no plot; Debian: gnuplot-nox")
    source = prefix + ".gp"
    with open(source, "w", encoding="utf-8") as stream:
        stream.write(script(results, reference))
    names = [source]
    for kind in ("png", "svg"):
        name = f"{prefix}.{kind}"
        quoted = name.replace("'", "''")
        done = subprocess.run([gnuplot, "-e", f"term='{kind}'; out='{quoted}'", source],
                              capture_output=True, text=True, check=False, timeout=120)
        if done.returncode != 0:
            raise NotHere(f"gnuplot could not draw {name}: {done.stderr.strip()[-200:]}")
        names.append(name)
    return names
