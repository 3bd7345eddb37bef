# SPDX-License-Identifier: BSD-3-Clause
"""Who waits in a call of one-sided communication, and for whom."""

ANY = -2
LOCK, EXCLUSIVE, SHARED = 3, 1, 2  # a lock among what is pending, and its types
COLLECTIVE = ("win_create", "win_free", "win_fence")
LOCKING = ("win_lock", "win_unlock", "win_lock_all", "win_unlock_all", "win_flush", "win_flush_all", "win_flush_local",
           "win_flush_local_all")
MOST = 4  # ranks that are named


def is_one(call):
    """Whether a call is one of a window."""
    return bool(call) and call["name"].startswith("win_")


def words(call):
    """Which window it is."""
    return "window %d of communicator %d" % (call["window"], call["context"]) if call.get("window") else "a new window" \
        if call["name"] == "win_create" else "a window"


def state(situation):
    """What a rank does, and since when it does nothing in MPI."""
    text = situation.words()
    return text + (", since %.1f s" % situation.still_for() if text == "is not in MPI" else "")


def concerns(entry, call):
    """Whether a pending entry is a lock that keeps a call waiting."""
    if entry["kind"] != LOCK or (entry["context"], entry["bytes"]) != (call["context"], call["window"]):
        return False
    wanted = call["tag"] if call["name"] == "win_lock" else SHARED
    return (ANY in (entry["peer"], call["peer"]) or entry["peer"] == call["peer"]) and EXCLUSIVE in (wanted, entry["tag"])


def holding(situation, everyone):
    """(situation, lock) of those who have locked what a call wants."""
    if not is_one(situation.call) or situation.call["name"] not in LOCKING:
        return
    for other in everyone.values():
        held = [entry for entry in other.record["pending"] if concerns(entry, situation.call)]
        if other.rank != situation.rank and held:
            yield other, held[0]


def whom(peer):
    """Which process a lock is of, in words."""
    return "all" if peer == ANY else "rank %d" % peer


def holders(situation, everyone):
    """The same in words."""
    for other, held in holding(situation, everyone):
        age = max(0.0, other.record.get("age", 0.0) - (held["since"] or 0.0))
        yield "rank %d has locked %s there, since %.1f s, and %s" % (other.rank, whom(held["peer"]), age, state(other))


def lock_cycle(everyone):
    """Ranks that want in a circle what the next one has locked, or []."""
    edges = {}
    for rank, situation in everyone.items():
        if situation.alive and not situation.finished:
            edges[rank] = [other.rank for other, _ in holding(situation, everyone)]
    for start in edges:
        path, seen = [start], {start: 0}
        while True:
            following = [rank for rank in edges[path[-1]] if edges.get(rank)]
            if not following:
                break
            if following[0] in seen:
                return path[seen[following[0]]:]
            seen[following[0]] = len(path)
            path.append(following[0])
    return []


def deadlock(everyone):
    """The sentence about such a circle, in a list."""
    cycle = lock_cycle(everyone)
    steps = ["rank %d waits for %s in %s, which rank %d has locked" % (
        rank, whom(everyone[rank].call["peer"]), words(everyone[rank].call), cycle[(i + 1) % len(cycle)])
        for i, rank in enumerate(cycle)]
    return ["Deadlock: %s; and so on in a circle." % "; ".join(steps)] if steps else []


def absent(situation, everyone):
    """Who is not in the call, if all of the job are to be."""
    call = situation.call
    if call["name"] not in COLLECTIVE or call["requests"] != situation.record["size"]:
        return
    same = (call["name"], call["context"], call.get("window"))
    for other in everyone.values():
        if not is_one(other.call) or (other.call["name"], other.call["context"], other.call.get("window")) != same:
            yield "rank %d %s" % (other.rank, state(other) + (
                " (%s)" % words(other.call) if is_one(other.call) and other.call["name"] == call["name"] else ""))


def awaited(situation, everyone):
    """Whom it waits for as far as its messages or its target say."""
    peers = [need.peer for need in situation.needs if need.peer != ANY]
    if not peers and situation.call["peer"] not in (ANY, situation.rank):
        peers = [situation.call["peer"]]
    for peer in sorted(set(peers)):
        if peer in everyone:
            yield "rank %d %s" % (peer, state(everyone[peer]))


def sentence(situation, everyone):
    """What a rank that is in a call of a window waits for."""
    call = situation.call
    reasons = list(holders(situation, everyone)) or list(absent(situation, everyone)) or list(awaited(situation, everyone))
    text = "Rank %d is in MPI_%s%s (%s), since %.1f s" % (
        situation.rank, call["name"].capitalize(), " of rank %d" % call["peer"] if call["peer"] != ANY else "", words(call),
        situation.still_for())
    if len(reasons) > MOST:
        reasons[MOST:] = ["and %d more" % (len(reasons) - MOST)]
    return text + (": " + "; ".join(reasons) if reasons else "") + "."


def sentences(everyone):
    """For each rank that lives and is in such a call; a circle of locks before these."""
    return deadlock(everyone) + [sentence(situation, everyone) for situation in everyone.values()
            if situation.alive and not situation.finished and is_one(situation.call)]


def costs(job, seconds_of):
    """(seconds, ranks) of the time in calls of windows that is not waiting for messages."""
    found = [(rank["window_ticks"], rank["rank"], seconds_of(rank)) for rank in job["ranks"] if rank["window_ticks"] > 0]
    return sum(item[0] for item in found), [item[1] for item in found], sum(item[2] for item in found)
