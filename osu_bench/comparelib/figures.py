# SPDX-License-Identifier: BSD-3-Clause
"""The table of figures to reach: a file of wanted ratios, and what was measured beside it."""

from dataclasses import dataclass

from . import stats, tables
from .parse import parse_size

COLUMNS = ("figure", "bench", "size", "transport", "reference", "state", "relation", "wanted")

# References that are no transport.
LINE = "line"  # the one-way time of a cache line around the sample
BASE = "depth0"  # the value at size 0 of the same run
NOTHING = "-"  # the value itself counts
# The state of figures that do not depend on it.
ANY = "any"


@dataclass(frozen=True)
class Figure:
    """One row of the file."""

    figure: str
    bench: str
    size: int
    transport: str
    reference: str
    state: str
    relation: str  # "<=" or ">="
    wanted: float


@dataclass(frozen=True)
class Verdict:
    """A figure and what was measured; measured is None where there are no samples."""

    figure: Figure
    measured: float
    count: int

    @property
    def met(self):
        """Whether the figure was reached, None if not known."""
        if self.measured is None:
            return None
        if self.figure.relation == "<=":
            return self.measured <= self.figure.wanted
        return self.measured >= self.figure.wanted


def _figure(fields):
    if len(fields) != len(COLUMNS):
        raise ValueError(f"{len(fields)} columns instead of {len(COLUMNS)}: {', '.join(COLUMNS)}")
    row = dict(zip(COLUMNS, (field.strip() for field in fields)))
    bench = tables.bench_by_key(row["bench"])
    tables.transport_by_key(row["transport"])
    if row["reference"] == BASE and not bench.base:
        raise ValueError(f"reference {BASE!r}: {bench.key} does not measure size 0")
    if row["reference"] not in (LINE, NOTHING, BASE):
        tables.transport_by_key(row["reference"])
    if row["state"] not in tables.ALL_STATES + (ANY,):
        raise ValueError(f"state {row['state']!r} is none of {', '.join(tables.ALL_STATES + (ANY,))}")
    if row["relation"] not in ("<=", ">="):
        raise ValueError(f"relation {row['relation']!r} is neither <= nor >=")
    size = 0 if row["size"] == "-" else parse_size(row["size"])
    return Figure(row["figure"], bench.key, size, row["transport"], row["reference"], row["state"],
                  row["relation"], float(row["wanted"]))


def read(path):
    """The figures of a file. Raises ValueError naming the line that makes no sense."""
    figures = []
    with open(path, encoding="utf-8") as stream:
        for number, line in enumerate(stream, 1):
            if not line.strip() or line.startswith("#"):
                continue
            try:
                figures.append(_figure(line.rstrip("\n").split("\t")))
            except KeyError as error:
                raise ValueError(f"{path}:{number}: unknown benchmark or transport {error}") from None
            except ValueError as error:
                raise ValueError(f"{path}:{number}: {error}") from None
    return figures


def _line_ratio(figure, samples):
    scale = 1000 if tables.bench_by_key(figure.bench).unit == "us" else 1
    values = [s.value * scale / s.line_ns for s in samples
              if (s.bench, s.transport, s.size) == (figure.bench, figure.transport, figure.size) and s.line_ns > 0]
    return stats.quantile(values, 0.5) if values else None


def judge(figure, samples):
    """The Verdict on one figure."""
    if figure.state != ANY:
        samples = [s for s in samples if s.state == figure.state]
    mine, other = ([s.value for s in samples if (s.bench, s.transport, s.size) == (figure.bench, key, figure.size)]
                   for key in (figure.transport, figure.reference))
    if not mine:
        return Verdict(figure, None, 0)
    if figure.reference == NOTHING:
        return Verdict(figure, stats.quantile(mine, 0.5), len(mine))
    if figure.reference == LINE:
        return Verdict(figure, _line_ratio(figure, samples), len(mine))
    if figure.reference == BASE:
        values = [ratio for (bench, size, _, transport), ratios in stats.base_lists(samples).items()
                  if (bench, transport, size) == (figure.bench, figure.transport, figure.size) for ratio in ratios]
        return Verdict(figure, stats.quantile(values, 0.5) if values else None, len(values))
    if not other:
        return Verdict(figure, None, 0)
    return Verdict(figure, stats.quantile(mine, 0.5) / stats.quantile(other, 0.5), min(len(mine), len(other)))


def judged_by(figures, transports):
    """Those of the figures whose transports are among the keys."""
    return [f for f in figures if f.transport in transports
            and (f.reference in (LINE, NOTHING, BASE) or f.reference in transports)]


def judge_all(figures, results):
    """Verdicts in the order of the figures."""
    return [judge(figure, results.samples) for figure in figures]


def verdict_rows(verdicts):
    """A table for report.aligned()."""
    rows = [["figure", "state", "wanted", "measured", "n", "reached"]]
    words = {True: "yes", False: "no", None: "no data"}
    for verdict in verdicts:
        figure = verdict.figure
        unit = tables.bench_by_key(figure.bench).unit if figure.reference == NOTHING else "x"
        measured = "-" if verdict.measured is None else f"{verdict.measured:.2f} {unit}"
        rows.append([figure.figure, figure.state, f"{figure.relation} {figure.wanted:.2f} {unit}",
                     measured, str(verdict.count), words[verdict.met]])
    return rows
