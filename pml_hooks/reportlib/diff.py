# SPDX-License-Identifier: BSD-3-Clause
"""What is different between two runs."""

from . import costs
from .text import align, head
from .units import duration, size

MOST_PAIRS = 10
WORTH = 0.01  # of the waiting; a pair whose waiting has changed by less is not named


def change(before, after):
    """The change in words."""
    if before == after:
        return "="
    if before <= 0:
        return "new"
    if after <= 0:
        return "gone"
    if after >= 2 * before:
        return "x %.3g" % (after / before)
    return "%+.1f %%" % (100.0 * (after - before) / before)


def class_sums(job, key):
    """By the name of a class of tags: the sum over all ranks."""
    found = {}
    for rank in job["ranks"]:
        for entry in rank["classes"]:
            found[entry["name"]] = found.get(entry["name"], 0) + entry[key]
    return found


def numbers(job):
    """What is compared: (name, how it is printed, value)."""
    ranks, entries = job["ranks"], [entry for rank in job["ranks"] for entry in rank["peers"]]
    yield "time", duration, max(costs.seconds_of(rank) for rank in ranks)
    yield "time of all ranks", duration, sum(costs.seconds_of(rank) for rank in ranks)
    yield "waiting of all ranks", duration, sum(class_sums(job, "wait_ticks").values())
    yield "late senders", duration, sum(entry["late_sender_ticks"] for entry in entries)
    yield "late receivers", duration, sum(entry["late_receiver_ticks"] for entry in entries)
    yield "messages sent", str, sum(sum(entry["sent"]) for entry in entries)
    yield "bytes sent", size, sum(sum(entry["sent_bytes"]) for entry in entries)
    yield "receives from any source", str, sum(rank["receives_any_source"] for rank in ranks)
    yield "receives that found their message", str, sum(rank["receives_at_once"] for rank in ranks)
    yield "errors", str, sum(rank["failed"] + rank["receives_truncated"] for rank in ranks)


def number_table(first, second):
    rows = [("", "A", "B", "change")]
    for (name, show, before), (_, _, after) in zip(numbers(first), numbers(second)):
        rows.append((name, show(before), show(after), change(before, after)))
    return align(rows)


def class_table(first, second):
    """Waiting by what it was for."""
    before, after = class_sums(first, "wait_ticks"), class_sums(second, "wait_ticks")
    rows = [("waiting in", "A", "B", "change")]
    for name in sorted({*before, *after}, key=lambda name: -abs(after.get(name, 0) - before.get(name, 0))):
        old, new = before.get(name, 0.0), after.get(name, 0.0)
        if old or new:
            rows.append((name, duration(old), duration(new), change(old, new)))
    return align(rows) if len(rows) > 1 else ["  Nobody waits in either."]


def pair_waits(job):
    return {(rank["rank"], peer): costs.waited(entry) for rank, peer, entry in costs.pairs(job)}


def pair_table(first, second):
    """The pairs whose waiting has changed most."""
    before, after = pair_waits(first), pair_waits(second)
    whole = max(sum(before.values()), sum(after.values()))
    changes = {pair: after.get(pair, 0.0) - before.get(pair, 0.0) for pair in {*before, *after}}
    rows = [("rank", "peer", "A", "B", "change")]
    for pair in sorted(changes, key=lambda pair: (-abs(changes[pair]), pair))[:MOST_PAIRS]:
        if abs(changes[pair]) >= WORTH * whole > 0:
            old, new = before.get(pair, 0.0), after.get(pair, 0.0)
            rows.append((str(pair[0]), str(pair[1]), duration(old), duration(new), change(old, new)))
    return align(rows, left=0) if len(rows) > 1 else ["  No pair by more than 1 % of the waiting."]


def report(first, second):
    """The two side by side."""
    lines = []
    for name, job in (("A", first), ("B", second)):
        lines += ["%s: %s" % (name, line) for line in head(job)]
    lines += ["", *number_table(first, second), "", *class_table(first, second), "",
              "Waiting by pair, the greatest changes first:", *pair_table(first, second)]
    for name, job in (("A", first), ("B", second)):
        lines += ["", "What costs most in %s:" % name]
        lines += ["  %d. %s" % (i + 1, text) for i, text in enumerate(costs.dearest(job))] or ["  Nobody waits."]
    return "\n".join(lines) + "\n"
