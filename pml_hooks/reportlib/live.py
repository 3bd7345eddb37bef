# SPDX-License-Identifier: BSD-3-Clause
"""What each rank of a running job does now."""

import time

from . import hosts, waits, windows

LOOK_SECONDS = 0.5  # between two looks that tell whether anything moves


def table(job):
    """A line for each rank."""
    rows = [("rank", "host", "pid", "does", "peer", "tag", "comm", "bytes", "since")]
    found = waits.situations(job)
    for rank in sorted(found):
        situation = found[rank]
        record, call = situation.record, situation.call
        need = situation.needs[0] if situation.needs else None
        state = call["name"] if call else "does not record" if situation.off else "a call not followed" if situation.unseen else "not in MPI"
        if not situation.alive:
            state = "ended" if call is None else "ended in " + state
        elif situation.stopped:
            state = "stopped, " + state
        elif situation.finished:
            state = "finalize"
        if situation.collective:
            state += " (%s)" % situation.collective
        if len(situation.needs) > 1:
            state += ", %d requests" % len(situation.needs)
        if windows.is_one(call) and not situation.finished:
            rows.append((str(rank), record["host"], str(record["pid"]),
                         "%s (%s)" % (call["name"], "window %d" % call["window"] if call.get("window") else "a window"),
                         "-" if call["peer"] == waits.ANY else str(call["peer"]), "-", str(call["context"]), "-",
                         "%.1f s" % situation.still_for()))
            continue
        rows.append((
            str(rank), record["host"], str(record["pid"]), state,
            "-" if need is None else "any" if need.peer == waits.ANY else str(need.peer),
            "-" if need is None else waits.tag_words(need.tag),
            "-" if need is None else str(need.context),
            "-" if call is None else str(call["bytes"]),
            "%.1f s" % situation.still_for()))
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows)


def missing(job, elsewhere):
    """Ranks of the job without a record here, and what other hosts have said instead of telling theirs."""
    absent = set(range(job["size"])) - {rank["rank"] for rank in job["ranks"]}
    remarks = "" if elsewhere is None else "".join(remark + "\n" for remark in elsewhere.remarks)
    where = "on this host" if elsewhere is None else "on these hosts"
    return remarks + ("" if not absent else "%s: no record %s\n" % (waits.ranks_words(absent), where))


def why(directory, number, elsewhere):
    """The table, and why nothing moves."""
    job = hosts.read_running(directory, number, elsewhere)
    return table(job) + "\n" + missing(job, elsewhere) + "\n".join(waits.verdict(job)) + "\n"


def show(directory, number, elsewhere):
    """The table, and if nothing has moved between two looks, why."""
    before = hosts.read_running(directory, number, elsewhere)
    time.sleep(LOOK_SECONDS)
    job = hosts.read_running(directory, number, elsewhere)
    text = table(job) + "\n" + missing(job, elsewhere)
    if waits.moved(job) != waits.moved(before):
        return text + "\nMessages are moving.\n"
    return text + "\nNothing has completed for %.1f s at least.\n" % LOOK_SECONDS + "\n".join(waits.verdict(job)) + "\n"
