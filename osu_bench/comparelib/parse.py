# SPDX-License-Identifier: BSD-3-Clause
"""Readers of what programs print. Each returns {size in bytes: value}; what makes no sense is a ParseError."""

import re


class ParseError(Exception):
    """The output is not what the benchmark should have printed."""


def _number(text, line):
    try:
        return float(text)
    except ValueError:
        raise ParseError(f"not a number: {text!r} in {line.strip()!r}") from None


def parse_table(text, column, sized):
    """Rows of numbers; lines that begin with # are headers. A row without sizes counts as size 0."""
    values = {}
    for line in text.splitlines():
        fields = line.split()
        if not fields or fields[0].startswith("#") or not re.match(r"[\d.]+$", fields[0]):
            continue
        if "Fail" in fields:
            raise ParseError(f"the data check failed: {line.strip()!r}")
        index = column if sized else column - 1
        if index >= len(fields):
            raise ParseError(f"no column {index} in {line.strip()!r}")
        size = int(_number(fields[0], line)) if sized else 0
        values[size] = _number(fields[index], line)
    if not values:
        raise ParseError("no row of numbers in the output")
    return values


def parse_init(text):
    """The mean time of MPI_Init in ms."""
    match = re.search(r"^nprocs: \d+, min: [\d.]+ ms, max: [\d.]+ ms, avg: ([\d.]+) ms", text, re.M)
    if match is None:
        raise ParseError("no line 'nprocs: ..., avg: ... ms' in the output")
    return {0: float(match.group(1))}


def parse_memory(text):
    """The mean proportional set size of a rank in KiB."""
    match = re.search(r"^# Pss\s+[\d.]+\s+[\d.]+\s+([\d.]+)\s*$", text, re.M)
    if match is None:
        raise ParseError("no line '# Pss' in the output")
    return {0: float(match.group(1))}


def _match_lines(text):
    """(part, kind, length, position, ns) of each line of ni_match_list --csv."""
    rows = []
    for line in text.splitlines():
        fields = line.split(",")
        if len(fields) == 6 and fields[2].isdigit():
            rows.append((fields[0], fields[1], int(fields[2]), fields[3], _number(fields[4], line)))
    return rows


def parse_match(text, pick):
    """{entries: ns} of the lines whose part, kind and position are those of pick."""
    values = {length: ns for part, kind, length, position, ns in _match_lines(text) if (part, kind, position) == pick}
    if not values:
        raise ParseError(f"no line {','.join(pick)} in the output")
    return values


def parse_lists(text):
    """{entries: how many times as fast as a linear list the match list is, over all positions}."""
    sums = {}
    for part, kind, length, _, ns in _match_lines(text):
        if part == "list":
            sums[(kind, length)] = sums.get((kind, length), 0) + ns
    values = {length: sums[("linear", length)] / ns for (kind, length), ns in sums.items()
              if kind == "match" and ns > 0 and ("linear", length) in sums}
    if not values:
        raise ParseError("no lists 'match' and 'linear' in the output")
    return values


def parse_told(text, program):
    """What an example says of its run time, in ms."""
    match = re.search(rf"^{re.escape(program)}: ([\d.]+) s$", text, re.M)
    if match is None:
        raise ParseError(f"no line '{program}: ... s' in the output")
    return {0: float(match.group(1)) * 1e3}


def parse_named(text, bench):
    """The number behind what names it, in the output of a program that says that it has succeeded."""
    if re.search(rf"^{bench.sound}$", text, re.M) is None:
        raise ParseError(f"no line '{bench.sound}' in the output of {bench.program}")
    match = re.search(rf"^{re.escape(bench.pick[0])} *(\S+)", text, re.M)
    if match is None:
        raise ParseError(f"no line '{bench.pick[0]}...' in the output of {bench.program}")
    return {0: _number(match.group(1), match.group(0))}


def parse_output(bench, text, seconds=0.0):
    """{size: value} from the output of a benchmark, whose run took so many seconds."""
    if bench.style == "wall":
        return {0: seconds * 1e3}
    if bench.style == "told":
        return parse_told(text, bench.program)
    if bench.style == "named":
        return parse_named(text, bench)
    if bench.style == "init":
        return parse_init(text)
    if bench.style == "memory":
        return parse_memory(text)
    if bench.style == "match":
        return parse_match(text, bench.pick)
    if bench.style == "lists":
        return parse_lists(text)
    return parse_table(text, bench.column, bench.style != "single")


def parse_line_time(text):
    """(minimum, median) of line_time's repetitions in ns."""
    for line in text.splitlines():
        fields = line.split()
        if len(fields) == 4 and not line.startswith("#"):
            return _number(fields[1], line), _number(fields[2], line)
    raise ParseError("no row of numbers in the output of line_time")


_SUFFIXES = {"": 1, "K": 1024, "M": 1024**2, "G": 1024**3}


def parse_size(text):
    """Bytes from '8', '4K', '1M', '1G'."""
    match = re.fullmatch(r"(\d+)([KMG]?)", text.strip().upper())
    if match is None:
        raise ValueError(f"{text!r} is not a size; write bytes, or 4K, 1M, 1G")
    return int(match.group(1)) * _SUFFIXES[match.group(2)]


def format_size(size):
    """'8', '4K', '1M': the shortest way to write a number of bytes exactly."""
    for suffix in ("G", "M", "K"):
        if size and size % _SUFFIXES[suffix] == 0:
            return f"{size // _SUFFIXES[suffix]}{suffix}"
    return str(size)
