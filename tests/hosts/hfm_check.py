# SPDX-License-Identifier: BSD-3-Clause
"""Checks what daemons of apelink-hfm have recorded against what was done to them.

    hfm_check.py FAULTS RECORD...

FAULTS has a line of JSON for each thing that was done: node, or -1 for the network; from_ns, to_ns; kind. RECORD N is the
record of node N. Checked: one master at a time; no node was said to be silent without a cause; each fault that
lasted was told of by a master while it lasted.
"""

import json
import sys

# What a machine that is busy may delay what is seen, and what a fault has to last to be seen by all means.
SLACK_NS = 3_000_000_000
LASTS_NS = 3_500_000_000


def lines(path):
    with open(path) as text:
        return [json.loads(line) for line in text]


def reigns(node, record, faults):
    """When a node was the master: from when it said so to when its votes ended, or it was killed."""
    begun = None
    for event in record:
        if event["event"] != "master":
            continue
        if event["acts"]:
            if begun is not None:  # it was killed, and has begun anew
                killed = [f["from_ns"] for f in faults
                          if f["kind"] == "kill" and f["node"] == node and begun <= f["from_ns"] <= event["at_ns"]]
                yield begun, min(killed), node
            begun = event["at_ns"]
        else:
            yield begun, min(event["at_ns"], event["until_ns"]), node
            begun = None
    if begun is not None:
        killed = [f["from_ns"] for f in faults if f["kind"] == "kill" and f["node"] == node and f["from_ns"] >= begun]
        yield begun, min(killed, default=1 << 63), node


def main():
    faults = lines(sys.argv[1])
    records = [lines(path) for path in sys.argv[2:]]
    wrong = 0
    spans = sorted(span for node, record in enumerate(records) for span in reigns(node, record, faults))
    for before, after in zip(spans, spans[1:]):
        if after[0] < before[1]:
            print("two masters: node %d until %d, node %d from %d" % (before[2], before[1], after[2], after[0]))
            wrong += 1
    told = []  # what masters said while they were masters
    for node, record in enumerate(records):
        mine = [span for span in spans if span[2] == node]
        told += [event for event in record if event["event"] == "state" and
                 any(begin <= event["at_ns"] <= end for begin, end, _ in mine)]
    for event in told:
        if "silent" not in event["fault"] or event["state_before"] == "lost":
            continue
        causes = [f for f in faults if f["node"] in (-1, event["node"], event["via"]) and
                  f["from_ns"] <= event["at_ns"] <= f["to_ns"] + SLACK_NS]
        if not causes:
            print("node %d is said to be silent without a cause: %s" % (event["node"], event))
            wrong += 1
    for fault in faults:
        if fault["node"] < 0 or fault["to_ns"] - fault["from_ns"] < LASTS_NS:
            continue
        if not any(event["node"] == fault["node"] and event["state"] in ("broken", "lost") and
                   fault["from_ns"] <= event["at_ns"] <= fault["to_ns"] + SLACK_NS for event in told):
            print("nobody told of %s" % fault)
            wrong += 1
    print("%d times a master, %d changes of state, %d faults, %d wrong" % (len(spans), len(told), len(faults), wrong))
    return wrong > 0 or not told or len(spans) < 2


if __name__ == "__main__":
    sys.exit(main())
