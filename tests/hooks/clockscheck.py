#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What the record of a chain of hooks_costs on two hosts says of their clocks, an hour apart, and of who is late, against what the
program has measured. Arguments: the record, and the program's output."""
import json
import sys

import checking
from checking import expect, report

CLOSE, SHIFT = 0.05, 3600.0


def late(peer):
    """What a rank knows of the lateness of another: seconds, and the error by the clocks."""
    return peer["late_sender_ticks"], peer["late_sender_error_ticks"]


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        ranks = {rank["rank"]: rank for rank in json.load(file)["ranks"]}
    with open(sys.argv[2], encoding="utf-8") as file:
        lines = [line.split() for line in file if line.startswith("truth ")]
    for rank in ranks.values():
        ahead = 1e-9 * (rank["clock_start"] - rank["clock_reference"])
        expect(abs(ahead - SHIFT * (rank["rank"] % 2)) <= 1e-9 * rank["clock_error"] + 1e-6 and rank["clock_error"] < 1e8,
               "the clock of rank %d is %g s ahead, by %d ns" % (rank["rank"], ahead, rank["clock_error"]))
    expect(ranks[1]["clock_round_trips"] > 0, "no round trip")
    expect(len(lines) == 3, "the program has measured %s" % lines)
    for _, waiting, peer, text in lines:
        entry = next(entry for entry in ranks[int(waiting)]["peers"] if entry["rank"] == int(peer))
        found, error = late(entry)
        truth = float(text)
        expect(entry["late_sender_known"] > 0 and error > 0, "rank %s knows nothing of rank %s" % (waiting, peer))
        # What a rank waited for the same one within a barrier is in it, too.
        within = sum(entry["wait_ticks"] for entry in ranks[int(waiting)]["classes"][1:])
        # A wait that nobody has answered is not in it, and is counted.
        least = truth * entry["late_sender_known"] / max(1, entry["late_sender_known"] + entry["late_sender_unknown"])
        expect((1 - CLOSE) * least - error <= found <= (1 + CLOSE) * truth + error + within,
               "rank %s waits for rank %s, late by %g s, ± %g, of %g; %d known, %d not" % (
                   waiting, peer, found, error, truth, entry["late_sender_known"], entry["late_sender_unknown"]))
    printed = report(sys.argv[1]).stdout
    expect("The clock of h2 is 1 h ahead of that of h1, ± " in printed, "the report says nothing of clocks: " + printed[:600])
    expect(" ms ± " in printed or " s ± " in printed, "the report has no errors of clocks: " + printed[:2000])
    checking.finish()


main()
