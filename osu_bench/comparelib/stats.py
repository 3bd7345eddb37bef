# SPDX-License-Identifier: BSD-3-Clause
"""Samples, machine states, and what many samples say together."""

from dataclasses import dataclass

from . import tables

# Repetitions of line_time whose median is so much above the minimum were disturbed.
BUSY_FACTOR = 1.5
# Stands for a measurement of the line that other load made impossible.
DISTURBED = (0.0, float("inf"))


@dataclass(frozen=True)
class Sample:
    """One value of one run."""

    bench: str
    transport: str
    size: int
    value: float
    state: str
    line_ns: float  # mean of before and after, 0 if unknown
    rep: int


@dataclass(frozen=True)
class Failure:
    """A run that gave no value."""

    bench: str
    transport: str
    rep: int
    reason: str
    command: str


@dataclass(frozen=True)
class Summary:
    """All samples of one benchmark, transport, size and state."""

    count: int
    median: float
    p25: float
    p75: float
    least: float
    most: float


def line_state(line):
    """The state that one measurement of the line shows; line is (minimum, median) in ns, or None."""
    if line is None:
        return tables.UNKNOWN
    least, median = line
    if median > BUSY_FACTOR * least:
        return tables.BUSY
    for state in tables.STATES:
        if state.low <= median < state.high:
            return state.key
    return tables.UNKNOWN


def sample_state(before, after):
    """The state of what was measured between two measurements of the line."""
    first, second = line_state(before), line_state(after)
    for special in (tables.UNKNOWN, tables.BUSY):
        if special in (first, second):
            return special
    return first if first == second else tables.MIXED


def quantile(values, fraction):
    """Linear interpolation between the neighbours; values need not be sorted."""
    ordered = sorted(values)
    if not ordered:
        raise ValueError("no values")
    place = (len(ordered) - 1) * fraction
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def summarize(values):
    """A Summary of a list of numbers."""
    return Summary(len(values), quantile(values, 0.5), quantile(values, 0.25),
                   quantile(values, 0.75), min(values), max(values))


def group(samples):
    """{(bench, size, state, transport): Summary}."""
    lists = {}
    for sample in samples:
        key = (sample.bench, sample.size, sample.state, sample.transport)
        lists.setdefault(key, []).append(sample.value)
    return {key: summarize(values) for key, values in lists.items()}


def ratio(summaries, bench, size, state, transport, reference):
    """Median of transport over median of reference in the same state, None if one of them has no samples."""
    mine = summaries.get((bench, size, state, transport))
    other = summaries.get((bench, size, state, reference))
    if mine is None or other is None or other.median == 0:
        return None
    return mine.median / other.median


def base_lists(samples):
    """{(bench, size, state, transport): ratios to size 0 of the same run}."""
    bases = {(s.bench, s.transport, s.rep): s.value for s in samples if s.size == 0}
    lists = {}
    for sample in samples:
        base = bases.get((sample.bench, sample.transport, sample.rep))
        if base:
            key = (sample.bench, sample.size, sample.state, sample.transport)
            lists.setdefault(key, []).append(sample.value / base)
    return lists


def base_ratios(samples):
    """{(bench, size, state, transport): median of the ratios to size 0 of the same run}."""
    return {key: quantile(values, 0.5) for key, values in base_lists(samples).items()}


def counts_in_state(samples, state):
    """{(bench, transport): runs with samples in this state}."""
    runs = {}
    for sample in samples:
        if sample.state == state:
            runs.setdefault((sample.bench, sample.transport), set()).add(sample.rep)
    return {key: len(reps) for key, reps in runs.items()}
