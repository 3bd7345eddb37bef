# SPDX-License-Identifier: BSD-3-Clause
"""Text tables, CSV and JSON."""

import csv
import json
from dataclasses import asdict

from . import stats, tables
from .parse import format_size


def aligned(rows, right_from=1):
    """Rows of words as lines; the columns from right_from on are aligned to the right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [word.ljust(width) if i < right_from else word.rjust(width)
                 for i, (word, width) in enumerate(zip(row, widths))]
        lines.append("  ".join(cells).rstrip())
    return lines


def number(value):
    """Four significant digits, without an exponent."""
    if value == 0:
        return "0"
    digits = 3
    limit = 10.0
    while digits > 0 and abs(value) >= limit:
        digits -= 1
        limit *= 10
    return f"{value:.{digits}f}"


def _in_order(keys, order):
    known = [key for key in order if key in keys]
    return known + sorted(key for key in keys if key not in known)


def size_name(bench, size):
    """The size column: '-' for what has no size."""
    return format_size(size) if size or bench.base else "-"


def _ratio_text(ratio):
    return "-" if ratio is None else f"{ratio:.2f}"


def bench_rows(bench, state, summaries, reference, bases=None):
    """The table of one benchmark in one state; bases are the ratios to size 0, for benchmarks that have them."""
    keys = [key for key in summaries if key[0] == bench.key and key[2] == state]
    transports = _in_order({key[3] for key in keys}, [t.key for t in tables.TRANSPORTS])
    size = "size" if bench.axis == tables.Bench.axis else bench.axis
    rows = [[size, "transport", "n", "median", "p25", "p75", "min", f"/ {reference}"]]
    if bench.base:
        rows[0].append(f"/ {bench.axis} 0")
    for size in sorted({key[1] for key in keys}):
        for transport in transports:
            summary = summaries.get((bench.key, size, state, transport))
            if summary is None:
                continue
            ratio = stats.ratio(summaries, bench.key, size, state, transport, reference)
            rows.append([size_name(bench, size), transport, str(summary.count), number(summary.median),
                         number(summary.p25), number(summary.p75), number(summary.least), _ratio_text(ratio)])
            if bench.base:
                rows[-1].append(_ratio_text((bases or {}).get((bench.key, size, state, transport))))
    return rows


def _state_text(key):
    for state in tables.STATES:
        if state.key == key:
            return f"{key} ({state.what})"
    return {tables.MIXED: "mixed (the line changed its class during the run)",
            tables.BUSY: "busy (something else ran on the cores)",
            tables.UNKNOWN: "unknown (the line was not measured)"}[key]


def text_report(results, reference):
    """Everything, as lines."""
    summaries = stats.group(results.samples)
    bases = stats.base_ratios(results.samples)
    lines = []
    for key in _in_order({key[0] for key in summaries}, [b.key for b in tables.BENCHES]):
        bench = tables.bench_by_key(key)
        present = {k[2] for k in summaries if k[0] == key}
        for state in _in_order(present, tables.ALL_STATES):
            lines += ["", f"{bench.label}; {bench.unit}, {bench.better} is better",
                      f"state {_state_text(state)}"]
            lines += ["  " + line for line in aligned(bench_rows(bench, state, summaries, reference, bases), 2)]
    return lines + line_report(results) + problem_report(results)


def line_report(results):
    """One sentence about the one-way times of a cache line."""
    if not results.lines:
        return ["", "The one-way time of a cache line was not measured."]
    summary = stats.summarize(results.lines)
    return ["", f"One-way time of a cache line, {summary.count} times: median {summary.median:.0f} ns, "
            f"{summary.least:.0f} to {summary.most:.0f} ns."]


def problem_report(results):
    """What was left out and what failed, never silently."""
    lines = []
    for what, why in results.left_out.items():
        lines.append(f"left out: {what}: {why}")
    counted = {}
    for failure in results.failures:
        key = (failure.bench, failure.transport, failure.reason)
        counted.setdefault(key, []).append(failure)
    for (bench, transport, reason), failures in counted.items():
        lines.append(f"failed: {bench} over {transport}, {len(failures)} times: {reason}")
        lines.append(f"        {failures[0].command}")
    return [""] + lines if lines else []


CSV_HEADER = ("bench", "program", "size", "unit", "better", "state", "transport", "n", "median",
              "p25", "p75", "min", "max", "reference", "ratio", "base_ratio")


def write_csv(path, results, reference):
    """One row per benchmark, size, state and transport."""
    summaries = stats.group(results.samples)
    bases = stats.base_ratios(results.samples)
    with open(path, "w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(CSV_HEADER)
        for (key, size, state, transport), summary in sorted(summaries.items()):
            bench = tables.bench_by_key(key)
            ratio = stats.ratio(summaries, key, size, state, transport, reference)
            base = bases.get((key, size, state, transport)) if bench.base else None
            writer.writerow([key, bench.program, size, bench.unit, bench.better, state, transport,
                             summary.count, summary.median, summary.p25, summary.p75,
                             summary.least, summary.most, reference,
                             "" if ratio is None else round(ratio, 4), "" if base is None else round(base, 4)])


def write_json(path, results, about):
    """All samples and failures, and what is known about machine and command."""
    with open(path, "w", encoding="utf-8") as stream:
        json.dump({"about": about, "samples": [asdict(s) for s in results.samples],
                   "failures": [asdict(f) for f in results.failures],
                   "left_out": results.left_out, "lines": results.lines,
                   "seconds": results.seconds}, stream, indent=1)
        stream.write("\n")


def read_json(path):
    """Results from a file that write_json() wrote. Raises ValueError with a reason."""
    from .run import Results
    with open(path, encoding="utf-8") as stream:
        try:
            data = json.load(stream)
            return Results([stats.Sample(**s) for s in data["samples"]],
                           [stats.Failure(**f) for f in data["failures"]], data["left_out"],
                           data["lines"], data["seconds"])
        except (KeyError, TypeError, json.JSONDecodeError) as error:
            raise ValueError(f"{path} is not a file that compare --json wrote: {error}") from None
