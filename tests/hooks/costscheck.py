#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs programs that lose time in a known way, and compares what the report says of it with what they have measured
themselves, within 5 %. One argument, the name of a way of hooks_costs, or none for all.
"""
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
from running import fail, mpirun, read, report, transports, turns  # pylint: disable=wrong-import-position
import running  # pylint: disable=wrong-import-position
import make_record  # pylint: disable=wrong-import-position,unused-import # finds reportlib
import schemacheck  # pylint: disable=wrong-import-position
from reportlib import schema  # pylint: disable=wrong-import-position,import-error

CLOSE = 0.05  # of the time measured; what is printed has three digits
# Milliseconds of lateness in each try: one more where the record says that it does not know why some wait took so long, or ranks were held up
# by others, which the longer lateness outweighs.
TRIES = (20, 20, 40, 80, 160, 160, 160, 160)
EVEN = 0.85  # of the longest loss in a chain, or wait in a reduction, is the shortest, unless the machine held up a rank in it
HELD = 0.02  # of what is lost took the sends that tell of it, at most
AT_ONCE = 2.0  # seconds for all small messages, unless the machine gave its cores to others between them
UNITS = {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0}

# What the sentence that says it must be like; (?P<time>) is compared with the sum of what these ranks have lost.
WAYS = {
    "late_sender": (r"Rank 0 waits .* of the time \((?P<time>[^)]*?)\) for messages of rank 2, which sends late by", [0]),
    "late_receiver": (r"Rank 1 waits .* of the time \((?P<time>[^)]*?)\) until rank 3 receives, which begins late by", [1]),
    "serial": (r"Ranks 1, 2 and 3 wait .* of the time \((?P<time>[^)]*?) in all\) for messages of rank 0, which sends late by",
               [1, 2, 3]),
    "chain": (r"Ranks 1, 2 and 3 wait .* of the time \((?P<time>[^)]*?) in all\) for messages of rank 0, which sends late by .* "
              r"on average \(ranks 2 and 3 through others that wait for it\)", [1, 2, 3]),
    "imbalance": (r"Ranks 0, 1 and 2 wait .* of the time in allreduce \((?P<time>[^)]*?) each\) for rank 3, which comes late",
                  [0, 1, 2]),
    "small": (r"Ranks 0 and 1 spend .* of the time \((?P<time>[^)]*?) in all\) exchanging 20000 small messages \(8 B each", [0, 1]),
    "unexpected": (r"Also: Rank 1 found the message there at (4[5-9]\d|500) of 500 nonblocking receives: it was unexpected", []),
}


def seconds(text):
    number, unit = text.split()
    return float(number) * UNITS[unit]


def measured(output, way, ranks):
    """What these ranks have lost, as they have measured it: the sum, or for a collective the mean."""
    word = {"imbalance": "within", "small": "took"}.get(way, "truth")
    found = [(int(line.split()[1]), float(line.split()[-1])) for line in output.splitlines() if line.startswith(word + " ")]
    whole = sum(time for rank, time in found if rank in ranks)
    return whole / len(ranks) if way == "imbalance" else whole


def unknown(job):
    """Waits whose reason the record does not know."""
    return sum(peer["late_sender_unknown"] + peer["late_receiver_unknown"] for rank in job["ranks"] for peer in rank["peers"])


def told_by(output, word):
    """What each rank has printed with this word."""
    return [float(line.split()[-1]) for line in output.splitlines() if line.startswith(word + " ")]


def undisturbed(output, way):
    """Whether nothing but the program has made its ranks late. All ranks of a chain lose the same, and all but the last one wait as long in a
    reduction, which does not wait itself; a small message takes microseconds; to send takes no time beside what is lost."""
    lost, within = told_by(output, "truth"), sorted(told_by(output, "within"))
    if way == "imbalance":
        return within[1] > EVEN * within[-1] and within[0] < (1 - EVEN) * within[-1]
    if way == "chain" and min(lost) <= EVEN * max(lost):
        return False
    return sum(told_by(output, "held")) <= HELD * sum(lost) if lost else way != "small" or measured(output, way, [0, 1]) < AT_ONCE


def wrong_record(job):
    """What in a real record is not as the schema of it says, or not there."""
    meaning = schema.json_schema()
    return schemacheck.wrong(job, meaning) or schemacheck.lacking(job, meaning, optional=schema.OUTSIDE)


def first_sentences(text):
    return text.partition("What costs most:\n")[2].partition("\n\n")[0]


def once(way, transport, late_ms):
    """Run one; what is wrong, or None, and whether nothing else can be the reason."""
    pattern, ranks = WAYS[way]
    with tempfile.TemporaryDirectory() as folder:
        code, output, errors = mpirun(folder, 4, transport, ["hooks_costs", way, str(late_ms)])
        if code != 0:
            return "exit code %s: %s" % (code, errors[-600:]), True
        told = first_sentences(report(folder, os.path.join(folder, "hooks.json")).stdout)
        wrong = wrong_record(read(folder))
        if wrong:
            return "the record is not as the schema says: " + wrong, True
        complete = unknown(read(folder)) == 0 and undisturbed(output, way)
    match = re.search(pattern, told)
    if not match:
        return "no /%s/ in:\n%s\n%s" % (pattern, told, output), complete
    if ranks:
        truth = measured(output, way, ranks)
        # A rank that the machine held up between two small messages was late, and is told of as such.
        times = [match.group("time")] if way != "small" else re.findall(r"\(([\d.]+ \S+)(?: in all)?\)", told)
        if abs(sum(map(seconds, times)) - truth) > CLOSE * truth:
            return "measured %.6f s, and told:\n%s" % (truth, told), complete
    return None, True


def check(way, transport):
    for tries, late_ms in enumerate(TRIES):
        wrong, complete = once(way, transport, late_ms)
        if wrong is None or complete:
            break
    if wrong:
        fail("%s over %s, try %d: %s" % (way, transport, tries + 1, wrong))
    else:
        print("%s over %s: done%s" % (way, transport, ", try %d" % (tries + 1) if tries else ""))


def main():
    if len(sys.argv) > 2 or (len(sys.argv) == 2 and sys.argv[1] not in WAYS):
        sys.exit(__doc__)
    for way, transport in turns(sys.argv[1:] or WAYS):
        check(way, transport)
    # The one that is most exact is run over each.
    for transport in transports() if len(sys.argv) == 1 else []:
        check("late_sender", transport)
    sys.exit(1 if running.failures else 0)


if __name__ == "__main__":
    main()
