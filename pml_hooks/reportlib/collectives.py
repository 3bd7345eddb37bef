# SPDX-License-Identifier: BSD-3-Clause
"""What ranks wait in collectives, and for whom.

The rank that comes last to a collective waits least in it: that is how the late ones are found. Where most ranks do not wait
at all, as the leaves of a reduction, the records of pairs tell whose messages came late.
"""
from .units import duration, ranks_list, share, verb

WAITS = 0.5  # of the longest wait: those who wait longer than that part of it wait, the others are waited for
MAIN_PART = 0.2  # of the lateness: a peer that causes so much is named


def sums_by_class(job):
    """By name of a class of collectives: seconds waited, by rank."""
    found = {}
    for rank in job["ranks"]:
        for entry in rank["classes"][1:]:
            if entry["sent"] or entry["received"] or entry["wait_ticks"] > 0:
                found.setdefault(entry["name"], {})[rank["rank"]] = entry["wait_ticks"]
    return found


def late_peers(job, waiting):
    """Whose messages of collectives come late to these ranks, the main ones. Of an older record: to those that exchange nothing else with them."""
    late = {}
    for rank in job["ranks"]:
        told = "peer.late_sender_internal_ticks" not in rank.get("missing", ())
        for entry in rank["peers"] if rank["rank"] in waiting else []:
            if entry["job"] == rank["job"] and (told or not entry["sent"][0] + entry["received"][0]):
                seconds = entry["late_sender_internal_ticks" if told else "late_sender_ticks"]
                late[entry["rank"]] = late.get(entry["rank"], 0.0) + seconds
    whole = sum(late.values())
    return [peer for peer, seconds in late.items() if seconds > 0 and seconds >= MAIN_PART * whole]


def one(job, name, waits, seconds_of):
    """What one kind of collective cost: (seconds, text, ranks that wait, ranks that are late)."""
    longest, total = max(waits.values()), sum(waits.values())
    waiting = {rank for rank, seconds in waits.items() if seconds >= WAITS * longest}
    causes = [rank for rank in waits if rank not in waiting]
    by_wait = 2 * len(causes) <= len(waits)
    if not by_wait:
        causes = [peer for peer in late_peers(job, waiting) if peer not in waiting]
    run = sum(seconds_of(rank) for rank in job["ranks"] if rank["rank"] in waiting)
    among = sum(waits[rank] for rank in waiting)
    text = "%s %s %s of the time in %s (%s%s)" % (
        ranks_list(waiting), verb(waiting, "waits", "wait"), share(among, run), name, duration(among / len(waiting)),
        " each" if len(waiting) > 1 else "")
    if causes:
        text += " for %s, which %s late" % (ranks_list(causes), verb(causes, "comes", "come"))
        if by_wait:
            own = sum(waits[rank] for rank in causes) / len(causes)
            text += " (and %s itself %s)" % ("waits", duration(own)) if len(causes) == 1 else ""
    elif len(waiting) == len(waits):
        text += ", all of them about alike"
    return total, text, waiting, causes


def find(job, seconds_of):
    """What each kind of collective cost."""
    for name, waits in sums_by_class(job).items():
        if sum(waits.values()) > 0:
            yield one(job, name, waits, seconds_of)
