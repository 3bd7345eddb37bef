# SPDX-License-Identifier: BSD-3-Clause
"""What went wrong in a job, and how long its queues were, as far as its record tells."""
import re

from . import faults as injected
from . import units, waits

# Fields of a rank's head, with what their number counts.
FAULTS = {
    "failed": "operations that ended with an error",
    "receives_truncated": "messages longer than the buffer of their receive",
    "cancelled": "operations that were cancelled",
    "peers_lost": "messages with peers beyond pml_hooks_peers, which are in no pair",
    "pending_lost": "operations that could not be followed: too many at once",
}
QUEUES = re.compile(r"queue|depth")
FAULT_NAMES = re.compile(r"died|dead")
NOT_KNOWN = (1 << 64) - 1


def named(ranks, pattern):
    """Fields of heads that are numbers and whose names fit."""
    found = []
    for rank in ranks:
        for key, value in rank.items():
            if isinstance(value, (int, float)) and not isinstance(value, bool) and pattern.search(key) and key not in found:
                found.append(key)
    return found


def known(rank, key):
    """A field of a rank's head if the record has it and it is known, or None."""
    value = rank.get(key)
    if "head." + key in rank.get("missing", ()) or value == NOT_KNOWN or not isinstance(value, (int, float)):
        return None
    return value


def means(rank):
    """Depths of a rank's queues on average, by the names of fields."""
    samples = known(rank, "samples")
    return {kind + "_queue_mean": rank[kind + "_sum"] / samples for kind in ("posted", "unexpected")} if samples else {}


def queues(job):
    """What is known of the depths of queues: a dict of name, least, mean and greatest over the ranks. Empty: nothing."""
    found = []
    ranks = [{**means(rank), **rank} for rank in job["ranks"]]
    for key in named(ranks, QUEUES):
        values = [value for value in (known(rank, key) for rank in ranks) if value is not None]
        if values:
            found.append({"name": key.replace("_", " "), "ranks": len(values), "least": min(values),
                          "mean": sum(values) / len(values), "greatest": max(values)})
    return found


def faults(job):
    """What went wrong: a dict of words, count, and the ranks of which it is said."""
    found = []
    unfinished = [rank["rank"] for rank in job["ranks"] if not rank.get("end_stamp")]
    if unfinished:
        found.append({"what": "ranks that did not come to MPI_Finalize", "count": len(unfinished), "ranks": unfinished})
    absent = sorted(set(range(job["size"])) - {rank["rank"] for rank in job["ranks"]})
    if absent:
        found.append({"what": "ranks that have left no record", "count": len(absent), "ranks": absent})
    more = {key: key.replace("_", " ") for key in named(job["ranks"], FAULT_NAMES)}
    for key, words in {**FAULTS, **more}.items():
        by_rank = {rank["rank"]: known(rank, key) or 0 for rank in job["ranks"]}
        if sum(by_rank.values()):
            found.append({"what": words, "count": sum(by_rank.values()), "ranks": [r for r, n in by_rank.items() if n]})
    return found


def stuck(job):
    """Why ranks that did not come to MPI_Finalize were not done: sentences, or none if all were."""
    if all(rank.get("end_stamp") for rank in job["ranks"]):
        return []
    return waits.verdict(job)


def words(job):
    """The same two for the text: lines."""
    lines = ["  %s: %d (%s)" % (item["what"], item["count"], units.ranks_list(item["ranks"])) for item in faults(job)]
    depths = ["  %s: %g to %g, %.3g on average" % (item["name"], item["least"], item["greatest"], item["mean"])
              for item in queues(job)]
    lines += injected.lines(job)
    return lines or ["  None."], depths or ["  Not known: what carries the messages does not tell."]
