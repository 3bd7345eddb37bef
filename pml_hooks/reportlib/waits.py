# SPDX-License-Identifier: BSD-3-Clause
"""Who waits for whom, and why nothing moves."""

from . import windows
from .records import ANY

RECEIVING = ("recv", "mrecv", "probe", "mprobe")
PENDING_SEND, PENDING_RECEIVE = 1, 2
UNSEEN = "a call that is not followed, such as MPI_Comm_dup"


class Need:
    """What a rank waits for: a message of a peer, or that a peer takes one."""

    def __init__(self, sends, peer, tag, context, since):
        self.sends, self.peer, self.tag, self.context, self.since = sends, peer, tag, context, since

    def words(self):
        who = "any rank" if self.peer == ANY else "rank %d" % self.peer
        return "%s %s, tag %s, communicator %d" % (
            "that its message is taken by" if self.sends else "a message of", who, tag_words(self.tag), self.context)


class Situation:
    """A rank at one moment: what it does in MPI, or since when it has not been in MPI."""

    def __init__(self, record, names):
        self.record = record
        self.rank = record["rank"]
        self.alive = record.get("alive", True)
        self.stopped = record.get("stopped", False)
        self.finished = record["state"] >= 2
        self.off = not record.get("enabled", 1)
        busy = [call for call in record["calls"] if call["depth"] > 0]
        self.call = min(busy, key=lambda call: call["since"] or 0) if busy else None
        last = max((call["since"] or 0 for call in record["calls"]), default=0)
        self.since = self.call["since"] if self.call else last
        # It makes progress, but in no call that is followed, and in none for a second, as one that polls would be.
        self.unseen = not (self.call or self.off or self.finished) and self.alive and self.still_for() >= 1 and \
            record.get("age", 0.0) - (record.get("progressed") or -1.0) < 1
        self.collective = names.get(self.call["tag"]) if self.call else None
        self.needs = [] if self.finished else self.find_needs()
        # One of several requests is enough for these.
        self.any_is_enough = bool(self.call) and self.call["name"] in ("waitany", "waitsome")

    def find_needs(self):
        if self.unseen:
            return [need for need in self.pending() if need.tag < ANY]
        if not self.call:
            return []
        name = self.call["name"]
        if name in RECEIVING or name == "send":
            return [Need(name == "send", self.call["peer"], self.call["tag"], self.call["context"], self.since)]
        if not (name.startswith("wait") or windows.is_one(self.call)):
            return []
        # Within the call of a window the messages of Open MPI's collectives are waited for.
        return [need for need in self.pending() if name.startswith("wait") or need.tag < ANY]

    def pending(self):
        """What its operations that are under way wait for."""
        return [Need(entry["kind"] == PENDING_SEND, entry["peer"], entry["tag"], entry["context"], entry["since"])
                for entry in self.record["pending"] if entry["kind"] in (PENDING_SEND, PENDING_RECEIVE)]

    def still_for(self):
        """Seconds in this call, or since the last one."""
        return max(0.0, self.record.get("age", 0.0) - (self.since or 0.0))

    def words(self):
        """What the rank does."""
        if not self.alive:
            return "has ended" if self.finished else "has ended without MPI_Finalize"
        if self.stopped:
            return "is stopped"
        if self.finished:
            return "is in MPI_Finalize"
        if self.unseen:
            return "is in " + UNSEEN
        if not self.call:
            return "does not record now" if self.off else "is not in MPI"
        within = " within %s" % self.collective if self.collective else ""
        return "is in %s%s" % (self.call["name"], within)


def tag_words(tag):
    return "any" if tag == ANY else str(tag)


# Open MPI's tags of collectives; the class's name stands for a negative tag.
FIRST_COLLECTIVE = -10


def collective_names(job):
    """Names of collectives by their tags."""
    for rank in job["ranks"]:
        names = [entry["name"] for entry in rank["classes"]]
        if names:
            return {FIRST_COLLECTIVE - i: name for i, name in enumerate(names[1:18])}
    return {}


def situations(job):
    """The situation of each rank, by rank."""
    names = collective_names(job)
    return {record["rank"]: Situation(record, names) for record in job["ranks"]}


def peer_entry(situation, rank):
    """What a rank has recorded of another one of the same job, or None."""
    for entry in situation.record["peers"]:
        if entry["rank"] == rank and entry["job"] == situation.record["job"]:
            return entry
    return None


def unmatched(sender, receiver):
    """The last messages of one rank that another has not received: (tag, context), oldest first; and how many there
    are in all. None if it is not known."""
    out, into = peer_entry(sender, receiver.rank), peer_entry(receiver, sender.rank)
    sent = out["send_number"] if out else 0
    received = max(into.get("received_number", 0), sum(into["received"])) if into else 0
    if not out or sent <= received:
        return [], 0
    room = len(out["sent_tags"])
    left = []
    for number in range(max(0, sent - room), sent):
        left.append((out["sent_tags"][number % room], out["sent_contexts"][number % room]))
    for number in range(max(0, received - room), received):
        match = (into["received_tags"][number % room], into["received_contexts"][number % room])
        if match in left:
            left.remove(match)
    return left[-(sent - received):], sent - received


def find_cycle(all_situations):
    """Ranks that wait for each other in a circle, or []: each waits for the next and for nobody else who could help."""
    edges = {}
    for rank, situation in all_situations.items():
        peers = {need.peer for need in situation.needs if need.peer != ANY and need.peer != rank}
        if peers and (not situation.any_is_enough or len(peers) == 1):
            edges[rank] = sorted(peers)
    for start in edges:
        path = [start]
        seen = {start: 0}
        while path[-1] in edges:
            following = edges[path[-1]][0]
            if following in seen:
                return path[seen[following]:]
            seen[following] = len(path)
            path.append(following)
    return []


ENDED_BY_EXIT, ENDED_BY_ABORT = 1000, 1001


def ended_by(record):
    """What ended a process, as far as it knew."""
    number = record.get("ended_by", 0)
    if number == ENDED_BY_EXIT:
        return " (it called exit)"
    if number == ENDED_BY_ABORT:
        return " (it ended the job)"
    return " (signal %d)" % number if number else ""


def last_calls(all_situations):
    """What processes that have ended without MPI_Finalize did last."""
    sentences = []
    for situation in all_situations.values():
        if situation.alive or situation.finished:
            continue
        text, how = "Rank %d ended without MPI_Finalize, " % situation.rank, ended_by(situation.record)
        if situation.needs:
            sentences.append(text + "while it waited for %s%s." % (situation.needs[0].words(), how))
        elif situation.call:
            sentences.append(text + "in %s%s." % (situation.call["name"], how))
        else:
            sentences.append(text + "and not in MPI%s." % how)
    return sentences


def dead_peers(all_situations):
    """Who waits for a process that has ended."""
    for situation in all_situations.values():
        for need in situation.needs if situation.alive and not windows.is_one(situation.call) else []:
            peer = all_situations.get(need.peer)
            if peer and not peer.alive:
                yield "rank %d waits for rank %d, whose process (pid %d on %s) has ended" % (
                    situation.rank, need.peer, peer.record["pid"], peer.record["host"])


def different_collectives(all_situations):
    """Ranks of one communicator that are in different collectives."""
    by_context = {}
    for situation in all_situations.values():
        if situation.collective:
            by_context.setdefault(situation.call["context"], {}).setdefault(situation.collective, []).append(
                situation.rank)
    for context, kinds in sorted(by_context.items()):
        if len(kinds) > 1:
            yield "in communicator %d " % context + "; ".join(
                "%s %s in %s" % (ranks_words(ranks), "are" if len(ranks) > 1 else "is", name)
                for name, ranks in sorted(kinds.items()))


def ranks_words(ranks):
    """[0, 1, 2, 5] as "ranks 0-2, 5"."""
    ranks, parts, at = sorted(ranks), [], 0
    while at < len(ranks):
        end = at
        while end + 1 < len(ranks) and ranks[end + 1] == ranks[end] + 1:
            end += 1
        parts.append(str(ranks[at]) if end == at else "%d-%d" % (ranks[at], ranks[end]))
        at = end + 1
    return ("ranks " if len(ranks) > 1 else "rank ") + ", ".join(parts)


def fits(need, message):
    """Whether a message (tag, context) is what a receive waits for."""
    return message[1] == need.context and (need.tag == message[0] or (need.tag == ANY and message[0] >= 0))


def missing_message(situation, need, all_situations):
    """Why a receive has not ended, in words."""
    sender = all_situations.get(need.peer)
    if need.peer == ANY:
        senders = [other for other in all_situations.values() if other.rank != situation.rank]
        left = [(other, message) for other in senders for message in unmatched(other, situation)[0]]
        if not left:
            return "no rank has sent rank %d a message that it has not received" % situation.rank
        other, message = left[0]
        return "what is there does not fit: rank %d sent tag %d in communicator %d" % (other.rank, *message)
    if sender is None:
        return "rank %d is on another host or has no record: it is not known what it has sent" % need.peer
    left, count = unmatched(sender, situation)
    if count == 0:
        reason = "rank %d has not sent it" % need.peer
        if sender.unseen:
            reason += ": it %s, since %.1f s" % (sender.words(), sender.still_for())
        elif not sender.call and not sender.finished:
            reason += ": it is not in MPI, since %.1f s" % sender.still_for()
        elif sender.finished:
            reason += " and is in MPI_Finalize"
        return reason
    if any(fits(need, message) for message in left):
        return "rank %d has sent it, and it is under way" % need.peer
    if not left:
        return "%d messages of rank %d have not been received; which, is no longer known" % (count, need.peer)
    nearest = min(left, key=lambda message: (message[1] != need.context, abs(message[0] - need.tag)))
    return "rank %d has sent %d that do not fit; the nearest has tag %d in communicator %d" % (
        need.peer, count, nearest[0], nearest[1])


def missing_receive(situation, need, all_situations):
    """Why a send has not ended, in words."""
    receiver = all_situations.get(need.peer)
    if receiver is None:
        return "rank %d is on another host or has no record" % need.peer
    if receiver.finished:
        return "rank %d is in MPI_Finalize" % need.peer
    if not receiver.call and not receiver.unseen:
        return "rank %d has not received it: it is not in MPI, since %.1f s" % (need.peer, receiver.still_for())
    return "rank %d has not received it: it %s" % (need.peer, receiver.words())


def misfits(found):
    """Receives for which a message of the right rank is there, but with another tag or communicator."""
    for situation in found.values():
        for need in situation.needs if not windows.is_one(situation.call) else []:
            sender = found.get(need.peer)
            if sender is None or need.sends:
                continue
            left, _ = unmatched(sender, situation)
            if left and not any(fits(need, message) for message in left):
                yield "Rank %d waits for %s: %s." % (situation.rank, need.words(),
                                                     missing_message(situation, need, found))


def verdict(job):
    """Why nothing moves: sentences, what explains most first."""
    everyone = situations(job)
    found = {rank: situation for rank, situation in everyone.items() if situation.alive}
    sentences = last_calls(everyone)
    sentences += ["A process has ended: %s." % text for text in dead_peers(everyone)]
    sentences += ["Rank %d is stopped (pid %d on %s): SIGCONT has it go on." % (
        situation.rank, situation.record["pid"], situation.record["host"])
        for situation in found.values() if situation.stopped]
    sentences += ["Different collectives: %s." % text for text in different_collectives(found)]
    sentences += list(misfits(found))
    sentences += windows.sentences(everyone)
    cycle = find_cycle(found)
    if cycle:
        steps = ["rank %d waits for %s" % (rank, found[rank].needs[0].words()) for rank in cycle]
        sentences.append("Deadlock: %s; and so on in a circle." % "; ".join(steps))
    for situation in found.values():
        for need in situation.needs[:3] if situation.rank not in cycle and not windows.is_one(situation.call) else []:
            if need.peer in everyone and need.peer not in found:
                continue  # it is dead, which has been said
            why = missing_receive if need.sends else missing_message
            sentence = "Rank %d waits for %s: %s." % (situation.rank, need.words(), why(situation, need, found))
            if sentence not in sentences:
                sentences.append(sentence)
    sentences += ["Rank %d is in %s, since %.1f s." % (situation.rank, UNSEEN, situation.still_for())
                  for situation in found.values() if situation.unseen]
    for situation in found.values():
        if situation.alive and not (situation.finished or situation.stopped or situation.call or situation.unseen):
            sentences.append("Rank %d computes: it has not called MPI for %.1f s." % (
                situation.rank, situation.still_for()))
    if not sentences:
        sentences.append("Nobody waits in MPI." if found else "All processes have ended.")
    return sentences


def moved(job):
    """A number that grows as long as anything completes in the job."""
    return sum(rank["completed"] for rank in job["ranks"])
