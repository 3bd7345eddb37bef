# SPDX-License-Identifier: BSD-3-Clause
"""What is known of the clocks of a job's hosts, by which ranks of different hosts are late."""

from .units import duration


def of_hosts(job):
    """By host: a rank of it whose record says most of its clock."""
    found = {}
    for rank in job["ranks"]:
        best = found.get(rank["host"])
        if best is None or not best["clock_reference"] or (
                rank["clock_reference"] and rank["clock_error"] < best["clock_error"]):
            found[rank["host"]] = rank
    return found


def lines(job):
    """A sentence for each host but that of rank 0; nothing for a job on one host, or of records without clocks."""
    hosts = of_hosts(job)
    first = next((rank["host"] for rank in job["ranks"] if rank["rank"] == 0), None)
    if len(hosts) < 2 or any("head.clock_reference" in rank.get("missing", ()) for rank in job["ranks"]):
        return []
    found = []
    for host, rank in sorted(hosts.items()):
        if host == first:
            continue
        if not rank["clock_reference"]:
            found.append("How far the clock of %s is from that of %s is not known: nothing is known of ranks that are late between "
                         "them." % (host, first or "rank 0's host"))
            continue
        ahead = min(max(rank["clock_start"] - rank["clock_reference"], -(1 << 63)), 1 << 63)
        found.append("The clock of %s is %s %s that of %s, ± %s (the best of %d round trips)." % (
            host, duration(abs(ahead) * 1e-9), "ahead of" if ahead >= 0 else "behind", first or "rank 0's host",
            duration(min(rank["clock_error"], 1 << 63) * 1e-9), rank["clock_round_trips"]))
    return found


def uncertain(entry, kind):
    """How much a lateness may be wrong, in words; empty if all of it is told by the record of a peer on the same host."""
    error, inferred = entry[kind + "_error_ticks"], entry[kind + "_inferred"]
    if not error:
        return ""
    return " ± %s%s" % (duration(error), " (inferred)" if 2 * inferred > entry[kind + "_known"] else "")


def on_average(waits, kind):
    """The same of several ranks' waits for one peer, on average."""
    known = sum(wait.entry[kind + "_known"] for wait in waits)
    error = sum(wait.entry[kind + "_error_ticks"] for wait in waits) / max(1, known)
    inferred = sum(wait.entry[kind + "_inferred"] for wait in waits)
    if not error:
        return ""
    return " (± %s%s" % (duration(error), ": it is inferred)" if 2 * inferred > known else ", by the clocks of their hosts)")
