# SPDX-License-Identifier: BSD-3-Clause
"""The report as text."""

from . import clocks, costs, facts, units
from .units import duration, percent, size

MOST_PAIRS = 20
MODES = ("synchronous", "complete", "buffered", "ready", "standard")


def align(rows, left=1):
    """Rows of cells in columns: the first `left` begin at the left, others end at the right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [cell.ljust(width) if i < left else cell.rjust(width)
                 for i, (cell, width) in enumerate(zip(row, widths))]
        lines.append(("  " + "  ".join(cells)).rstrip())
    return lines


def total(job, key):
    return sum(rank[key] for rank in job["ranks"])


def head(job):
    """What the job was."""
    first = job["ranks"][0]
    hosts = sorted({rank["host"] for rank in job["ranks"]})
    seconds = max(costs.seconds_of(rank) for rank in job["ranks"])
    lines = ["%s: %d ranks on %s, %s between MPI_Init and MPI_Finalize, pml %s" % (
        first["program"], job["size"], hosts[0] if len(hosts) == 1 else "%d hosts" % len(hosts), duration(seconds),
        first["pml"])]
    unfinished = [rank["rank"] for rank in job["ranks"] if not rank.get("end_stamp")]
    if unfinished:
        lines.append("%s did not come to MPI_Finalize." % units.ranks_list(unfinished).capitalize())
    absent = job["size"] - len(job["ranks"])
    if absent > 0:
        lines.append("%d ranks have left no record." % absent)
    return lines + clocks.lines(job)


def messages(job):
    """What was sent and received in all, by the class of tags."""
    rows = [("messages", "sent", "bytes", "received", "bytes", "waited", "of the time")]
    run = sum(costs.seconds_of(rank) for rank in job["ranks"])
    names = [entry["name"] for entry in job["ranks"][0]["classes"]]
    for index, name in enumerate(names):
        entries = [rank["classes"][index] for rank in job["ranks"] if index < len(rank["classes"])]
        sums = [sum(entry[key] for entry in entries)
                for key in ("sent", "sent_bytes", "received", "received_bytes", "wait_ticks")]
        if any(sums):
            rows.append((name, str(sums[0]), size(sums[1]), str(sums[2]), size(sums[3]), duration(sums[4]),
                         "%.1f %%" % percent(sums[4], run)))
    return align(rows) if len(rows) > 1 else ["  No messages."]


def pair_table(job):
    """The pairs of ranks that waited longest, then those that sent most."""
    rows = [("rank", "peer", "sent", "bytes", "received", "bytes", "waits for it", "sends late", "receives late")]
    found = [item for item in costs.pairs(job)]
    found.sort(key=lambda item: (-(item[2]["receive_wait_ticks"] + item[2]["send_wait_ticks"]),
                                 -sum(item[2]["sent_bytes"])))
    for rank, peer, entry in found[:MOST_PAIRS]:
        rows.append((str(rank["rank"]), str(peer), str(sum(entry["sent"])), size(sum(entry["sent_bytes"])),
                     str(sum(entry["received"])), size(sum(entry["received_bytes"])),
                     duration(entry["receive_wait_ticks"] + entry["send_wait_ticks"]),
                     lateness(entry, "late_sender"), lateness(entry, "late_receiver")))
    lines = align(rows, left=0) if len(rows) > 1 else ["  No pairs."]
    if len(found) > MOST_PAIRS:
        lines.append("  ... and %d more pairs, in the JSON and with --csv" % (len(found) - MOST_PAIRS))
    return lines


def lateness(entry, key):
    """How long, or that it is not known."""
    if entry[key + "_known"] == 0:
        return "?" if entry[key + "_unknown"] else "-"
    return duration(entry[key + "_ticks"]) + clocks.uncertain(entry, key)


def operations(job):
    """How messages were sent and received."""
    sends = [total(job, "sends_" + kind) for kind in ("blocking", "nonblocking", "persistent")]
    receives = [total(job, "receives_" + kind) for kind in ("blocking", "nonblocking", "persistent")]
    modes = [sum(rank["sends"][i] for rank in job["ranks"]) for i in range(len(MODES))]
    received = sum(sum(entry["received"]) for rank in job["ranks"] for entry in rank["peers"])
    lines = ["  sends: %d blocking, %d nonblocking, %d persistent; %s" % (
        *sends, ", ".join("%d %s" % (n, name) for n, name in zip(modes, MODES) if n) or "none")]
    lines.append("  receives: %d blocking, %d nonblocking, %d persistent" % tuple(receives))
    any_source = total(job, "receives_any_source")
    lines.append("  %d messages from any source (%.0f %% of those received); %d of the nonblocking receives found their "
                 "message there" % (any_source, percent(any_source, received), total(job, "receives_at_once")))
    lines.append("  probes: %d blocking, %d not, %d matched; cancelled %d, truncated %d, failed %d" % tuple(
        total(job, key) for key in ("probes", "probes_nonblocking", "matched_probes", "cancelled",
                                    "receives_truncated", "failed")))
    if total(job, "window_calls"):
        lines.append("  one-sided communication: %d calls that synchronise, make or free a window; %s in these without messages" % (
            total(job, "window_calls"), duration(total(job, "window_ticks"))))
    span, waited = total(job, "span_ticks"), total(job, "span_wait_ticks")
    if span > 0:
        lines.append("  nonblocking operations overlap %.0f %% of their time" % percent(max(0.0, span - waited), span))
    for key, text in (("peers_lost", "messages with peers beyond pml_hooks_peers are in no pair"),
                      ("pending_lost", "operations could not be followed: too many at once")):
        if total(job, key):
            lines.append("  %d %s" % (total(job, key), text))
    return lines


def report(job):
    """All of it, what matters first."""
    lines = head(job)
    lines += ["", "What costs most:"]
    lines += ["  %d. %s" % (i + 1, text) for i, text in enumerate(costs.dearest(job))] or ["  Nobody waits."]
    lines += ["  Also: " + text for text in costs.remarks(job)]
    reasons = facts.stuck(job)
    if reasons:
        lines += ["", "Why it did not end:", *("  " + text for text in reasons)]
    lines += ["", "Messages by what they are for:", *messages(job)]
    lines += ["", "Pairs, those that wait longest first (times are of the rank, lateness is of the peer):",
              *pair_table(job)]
    lines += ["", "Operations:", *operations(job)]
    reasons, depths = facts.words(job)
    lines += ["", "Faults:", *reasons, "", "Queue depths:", *depths]
    return "\n".join(lines) + "\n"
