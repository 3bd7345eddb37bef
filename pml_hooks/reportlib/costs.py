# SPDX-License-Identifier: BSD-3-Clause
"""What cost a job most: sentences, the dearest first."""


def seconds_of(rank):
    """How long a rank has run."""
    for key in ("end_stamp", "last_event"):
        if rank.get(key):
            return rank[key]
    return rank.get("age", 0.0)


def pairs(job):
    """(rank, peer, entry) for each pair of ranks of the job that has an entry."""
    for rank in job["ranks"]:
        for entry in rank["peers"]:
            if entry["job"] == rank["job"]:
                yield rank, entry["rank"], entry


def percent(part, whole):
    return 100.0 * part / whole if whole > 0 else 0.0


def duration(seconds):
    """A length of time with a unit that suits it."""
    for unit, factor in (("s", 1), ("ms", 1e3), ("µs", 1e6)):
        if seconds * factor >= 1:
            return "%.3g %s" % (seconds * factor, unit)
    return "%.0f ns" % (seconds * 1e9)


def size(count):
    """A number of bytes with a unit that suits it."""
    for unit, factor in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if count >= factor:
            return "%.4g %s" % (count / factor, unit)
    return "%d B" % count


class Cost:
    """Something that took time."""

    def __init__(self, seconds, text):
        self.seconds, self.text = seconds, text


def of_late(job, kind, reason):
    """What each rank made others wait by being late: as a "late_sender" or a "late_receiver". The reason has a place for
    the rank and one for how late it is on average."""
    by_peer = {}
    for rank, peer, entry in pairs(job):
        if entry[kind + "_ticks"] > 0:
            by_peer.setdefault(peer, []).append((rank, entry))
    for peer, found in by_peer.items():
        late = sum(entry[kind + "_ticks"] for _, entry in found)
        known = sum(entry[kind + "_known"] for _, entry in found)
        run = sum(seconds_of(rank) for rank, _ in found)
        waiting = ranks_list(sorted(rank["rank"] for rank, _ in found))
        text = "%s %s %.0f %% of the time " % (waiting, "waits" if len(found) == 1 else "wait", percent(late, run))
        yield Cost(late, text + reason % (peer, duration(late / max(1, known))))


def of_classes(job):
    """What all ranks together waited in each collective."""
    sums = {}
    for rank in job["ranks"]:
        for entry in rank["classes"]:
            if entry["name"] != "user":
                sums[entry["name"]] = sums.get(entry["name"], 0.0) + entry["wait_ticks"]
    run = sum(seconds_of(rank) for rank in job["ranks"])
    for name, seconds in sums.items():
        if seconds > 0:
            yield Cost(seconds, "all ranks together wait %.0f %% of the time in %s (%s)" % (
                percent(seconds, run), name, duration(seconds)))


def of_transfers(job):
    """Waiting for messages that cannot be laid to a late rank: what the transport takes."""
    total = late = 0.0
    for _, _, entry in pairs(job):
        total += entry["receive_wait_ticks"] + entry["send_wait_ticks"]
        late += entry["late_sender_ticks"] + entry["late_receiver_ticks"]
    run = sum(seconds_of(rank) for rank in job["ranks"])
    if total > late:
        yield Cost(total - late, "transfers, and waits whose reason is not known, take %.0f %% of the time (%s)" % (
            percent(total - late, run), duration(total - late)))


def ranks_list(ranks):
    """[3, 7] as "Ranks 3 and 7"; of many, the first few."""
    if len(ranks) == 1:
        return "Rank %d" % ranks[0]
    if len(ranks) > 6:
        return "%d ranks" % len(ranks)
    return "Ranks %s and %d" % (", ".join(str(rank) for rank in ranks[:-1]), ranks[-1])


def dearest(job, count=3):
    """The sentences that explain most time."""
    costs = [
        *of_late(job, "late_sender", "for messages of rank %d, which sends late by %s on average"),
        *of_late(job, "late_receiver", "until rank %d receives, which begins late by %s on average"),
        *of_classes(job),
        *of_transfers(job),
    ]
    costs.sort(key=lambda cost: -cost.seconds)
    return [cost.text[0].upper() + cost.text[1:] + "." for cost in costs[:count]]
