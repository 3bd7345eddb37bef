# SPDX-License-Identifier: BSD-3-Clause
"""What cost a job most: sentences, the dearest first.

Each second of waiting belongs to one of them. What a rank waited within collectives is told by kind of collective; what
it waited for the program's own messages by who was late; what is left of that by what the messages were like.
"""
from . import clocks, collectives, windows
from .units import duration, percent, ranks_list, share, size, verb

SMALL = 4096  # bytes; below, the number of messages costs and not their length
# Seconds. Who is late by less, over all messages and over those that were waited for, is not late: it answers.
QUICK, BRIEF = 50e-6, 1e-3
MANY = 100  # messages
CHAINED = 0.8  # of the time for which others wait for it, a rank waits itself: it passes on the lateness of others


def seconds_of(rank):
    """How long a rank has run."""
    if not rank["end_stamp"] and rank.get("alive"):
        return rank.get("age", 0.0)
    return rank["end_stamp"] or rank["last_event"] or rank.get("age", 0.0)


def pairs(job):
    """(rank, peer, entry) for each pair of ranks of the job that has an entry."""
    for rank in job["ranks"]:
        for entry in rank["peers"]:
            if entry["job"] == rank["job"]:
                yield rank, entry["rank"], entry


def waited(entry):
    return entry["receive_wait_ticks"] + entry["send_wait_ticks"]


class Cost:
    """Something that took time: seconds, summed over the ranks that waited, and in words."""

    def __init__(self, seconds, text, ranks=(), causes=()):
        self.seconds, self.text = seconds, text[0].upper() + text[1:]
        self.ranks, self.causes = sorted(ranks), sorted(causes)


KINDS = ("late_sender", "late_receiver")


class Wait:
    """What one rank waited for another one's messages, collectives left out: `own` is an entry of the program's own messages alone."""

    def __init__(self, rank, peer, entry, own):
        self.rank, self.peer, self.entry, self.run = rank["rank"], peer, entry, seconds_of(rank)
        self.known = {kind: own[kind + "_known"] for kind in KINDS}
        self.late = {kind: lateness(own, kind) for kind in KINDS}
        self.left = max(0.0, waited(own) - sum(self.late.values()))


def lateness(own, kind):
    """Seconds for which a peer was late. Who answers many small messages is not."""
    late, known, messages, volume = own[kind + "_ticks"], own[kind + "_known"], own["messages"], own["volume"]
    answers = messages >= MANY and volume < SMALL * messages and late < QUICK * messages and late < BRIEF * known
    return 0.0 if answers else late


def own_part(entry):
    """Of an entry what is of the program's own messages, as a record tells it."""
    own = {key: max(0.0, entry[key] - entry[key.replace("_ticks", "_internal_ticks")])
           for key in ("send_wait_ticks", "receive_wait_ticks", "late_sender_ticks", "late_receiver_ticks")}
    own.update({kind + "_known": max(0, entry[kind + "_known"] - entry[kind + "_internal"]) for kind in KINDS})
    own.update(messages=entry["sent"][0] + entry["received"][0], volume=entry["sent_bytes"][0] + entry["received_bytes"][0])
    return own


def own_share(entry, share):
    """The same where it does not, with which part of the waiting is taken for that."""
    own = {key: share * entry[key] for key in ("send_wait_ticks", "receive_wait_ticks", "late_sender_ticks", "late_receiver_ticks")}
    own.update({kind + "_known": entry[kind + "_known"] for kind in KINDS})
    own.update(messages=sum(entry["sent"] + entry["received"]), volume=sum(entry["sent_bytes"] + entry["received_bytes"]))
    return own


def share_of_mixed(rank):
    """Of an older record: which part of the waiting for peers with which messages of both kinds were exchanged was for the program's own.
    A pair that has exchanged only these, or only those of collectives, tells it; the others share what the classes of tags have more."""
    internal = sum(entry["wait_ticks"] for entry in rank["classes"][1:])
    mixed = 0.0
    for entry in rank["peers"]:
        if not entry["sent"][0] + entry["received"][0]:
            internal -= waited(entry)
        elif entry["sent"][1] + entry["received"][1]:
            mixed += waited(entry)
    return 1.0 - min(1.0, max(0.0, internal) / mixed) if mixed > 0 else 1.0


def own_waits(job):
    """The waits for the program's own messages."""
    for rank in job["ranks"]:
        share = share_of_mixed(rank) if "peer.receive_wait_internal_ticks" in rank.get("missing", ()) else None
        for entry in rank["peers"]:
            if entry["job"] != rank["job"] or not entry["sent"][0] + entry["received"][0]:
                continue
            own = own_part(entry) if share is None else own_share(entry, share if entry["sent"][1] + entry["received"][1] else 1.0)
            if waited(own) > 0:
                yield Wait(rank, entry["rank"], entry, own)


def roots(by_peer, kind):
    """By peer: the rank whose lateness it only passes on, or itself. Who waits for others about as long as others wait
    for it passes theirs on, unless that leads back to it."""
    behind, by_rank = {}, {}
    for wait in (wait for waits in by_peer.values() for wait in waits):
        by_rank.setdefault(wait.rank, []).append(wait)
    for peer, waits in by_peer.items():
        causes = sum(wait.late[kind] for wait in waits) / len(waits)
        own = by_rank.get(peer)
        if own and sum(wait.late[kind] for wait in own) >= CHAINED * causes:
            behind[peer] = max(own, key=lambda wait: wait.late[kind]).peer
    found = {}
    for peer in by_peer:
        root, seen = peer, set()
        while root in behind and root not in seen:
            seen.add(root)
            root = behind[root]
        found[peer] = peer if root in seen else root
    return found


REASONS = {
    "late_sender": "for messages of rank %d, which sends late by %s on average",
    "late_receiver": "until rank %d receives, which begins late by %s on average",
}


def of_late(waits, kind):
    """What each rank made others wait by being late, and those that wait for these."""
    by_peer, by_root = {}, {}
    for wait in waits:
        if wait.late[kind] > 0:
            by_peer.setdefault(wait.peer, []).append(wait)
    for peer, root in roots(by_peer, kind).items():
        for wait in by_peer[peer]:
            by_root.setdefault(peer if wait.rank == root else root, []).append(wait)
    for root, found in by_root.items():
        direct = [wait for wait in found if wait.peer == root]
        late = sum(wait.late[kind] for wait in found)
        known = sum(wait.known[kind] for wait in direct)
        ranks = {wait.rank for wait in found}
        runs = {wait.rank: wait.run for wait in found}
        text = "%s %s %s of the time (%s%s) " % (ranks_list(ranks), verb(ranks, "waits", "wait"), share(late, sum(
            runs.values())), duration(late), " in all" if len(ranks) > 1 else "")
        text += REASONS[kind] % (root, duration(sum(wait.late[kind] for wait in direct) / max(1, known)))
        text += clocks.on_average(direct, kind)
        through = ranks - {wait.rank for wait in direct}
        if through:
            text += " (%s through others that wait for it)" % ranks_list(through)
        yield Cost(late, text, ranks, [root])


def of_transfers(waits, by_rank):
    """Waiting that cannot be laid to a late rank, by what the messages of the ranks that wait are like."""
    by_waiting = {}
    for wait in waits:
        if wait.left > 0:
            by_waiting.setdefault(wait.rank, []).append(wait)
    kinds = {}
    for number, found in by_waiting.items():
        messages, volume = exchanged(found)
        kinds.setdefault((messages >= MANY and volume < SMALL * messages, came_early(by_rank[number])), []).extend(found)
    for (small, early), found in kinds.items():
        ranks = {wait.rank for wait in found}
        left = sum(wait.left for wait in found)
        run = sum(seconds_of(by_rank[rank]) for rank in ranks)
        peers = {wait.peer for wait in found if wait.left >= 0.05 * left} or {wait.peer for wait in found}
        text = "%s %s %s of the time (%s%s) exchanging %s with %s" % (
            ranks_list(ranks), verb(ranks, "spends", "spend"), share(left, run), duration(left),
            " in all" if len(ranks) > 1 else "", what(found, small, left),
            "each other" if peers == ranks else ranks_list(peers))
        if early:
            text += "; most had come before their receive was begun (unexpected: they are copied once more)"
        yield Cost(left, text, ranks, peers)


def of_unfinished(job):
    """Calls in which ranks were when their record was read, or when they ended."""
    for rank in job["ranks"]:
        busy = [call for call in rank["calls"] if call["depth"] > 0 and call["since"] is not None]
        if rank["end_stamp"] or not busy:
            continue
        call = min(busy, key=lambda call: call["since"])
        seconds = seconds_of(rank) - call["since"]
        if seconds > 0:
            yield Cost(seconds, "rank %d waits %s of the time (%s) in a %s that has not ended" % (
                rank["rank"], share(seconds, seconds_of(rank)), duration(seconds), call["name"]), [rank["rank"]])


def of_windows(job):
    """Calls of one-sided communication, without the messages that they wait for."""
    seconds, ranks, run = windows.costs(job, seconds_of)
    if ranks:
        yield Cost(seconds, "%s %s %s of the time (%s%s) in calls of windows, such as MPI_Win_lock and MPI_Win_flush" % (
            ranks_list(ranks), verb(ranks, "spends", "spend"), share(seconds, run), duration(seconds),
            " in all" if len(ranks) > 1 else ""), ranks)


def exchanged(found):
    """Messages and bytes of the program between the ranks of waits, each message once although both ends tell of it."""
    flows = {}
    for wait in found:
        entry = wait.entry
        flows[wait.rank, wait.peer] = (entry["sent"][0], entry["sent_bytes"][0])
        flows[wait.peer, wait.rank] = (entry["received"][0], entry["received_bytes"][0])
    return tuple(sum(flow[k] for flow in flows.values()) for k in (0, 1))


def what(found, small, seconds):
    messages, volume = exchanged(found)
    if small:
        return "%d small messages (%s each on average, %s of waiting each)" % (
            messages, size(volume / max(1, messages)), duration(seconds / max(1, messages)))
    return "%d messages (%s, %s of waiting each)" % (messages, size(volume), duration(seconds / max(1, messages)))


def early_share(rank):
    """Which part of its nonblocking receives found their message there."""
    receives = rank["receives_nonblocking"] + rank["receives_persistent"]
    return rank["receives_at_once"] / receives if receives >= MANY else 0.0


def came_early(rank):
    """Whether most messages that a rank has received were there before their receive, as far as the record tells."""
    received = rank["receives_nonblocking"] + rank["receives_persistent"] + rank["receives_blocking"]
    return early_share(rank) > 0 and 2 * rank["receives_at_once"] > received


def all_costs(job):
    """All that cost time, the dearest first."""
    by_rank = {rank["rank"]: rank for rank in job["ranks"]}
    waits = list(own_waits(job))
    costs = [
        *of_late(waits, "late_sender"),
        *of_late(waits, "late_receiver"),
        *of_transfers(waits, by_rank),
        *of_unfinished(job),
        *of_windows(job),
        *(Cost(*found) for found in collectives.find(job, seconds_of)),
    ]
    costs.sort(key=lambda cost: -cost.seconds)
    return costs


def dearest(job, count=3):
    """The sentences that explain most time."""
    return [cost.text + "." for cost in all_costs(job)[:count]]


def remarks(job):
    """What costs time that no call waits for: sentences."""
    early = [rank for rank in job["ranks"] if early_share(rank) > 0.5]
    if not early:
        return []
    found, receives = (sum(rank[key] for rank in early) for key in ("receives_at_once", "receives_nonblocking"))
    receives += sum(rank["receives_persistent"] for rank in early)
    ranks = [rank["rank"] for rank in early]
    return ["%s found the message there at %d of %d nonblocking receives: it was unexpected, and copied once more; a receive "
            "that is begun earlier has it copied once." % (ranks_list(ranks).capitalize(), found, receives)]
