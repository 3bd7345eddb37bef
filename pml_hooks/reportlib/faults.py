# SPDX-License-Identifier: BSD-3-Clause
"""What was injected into a run, or happened to it."""

MOST = 20


def plural(count, name):
    return "%d %s" % (count, name if count == 1 or name in ("die", "stop") else name + "s")


def by_kind(job):
    """How many of each kind there were, all ranks together."""
    counts = {}
    for rank in job["ranks"]:
        for kind, count in enumerate(rank.get("faults_by_kind", [])):
            if count:
                name = job.get("fault_kinds", {}).get(kind, "kind %d" % kind)
                counts[name] = counts.get(name, 0) + count
    return counts


def sentence(job, rank, entry):
    """One fault in words."""
    name = job.get("fault_kinds", {}).get(entry["kind"], "kind %d" % entry["kind"])
    peer = "any" if entry["peer"] < 0 else str(entry["peer"])
    tag = "any" if entry["tag"] == -2 else str(entry["tag"])
    why = "rule %d, operation %d" % (entry["rule"], entry["number"]) if entry["rule"] else "by itself"
    return "  rank %d, at %.6f s: %s, peer %s, tag %s (%s)" % (rank["rank"], entry["at"] or 0.0, name, peer, tag, why)


def lines(job):
    """Lines of the report; none if there were no faults."""
    counts = by_kind(job)
    if not counts:
        return []
    listed = [(rank, entry) for rank in job["ranks"] for entry in rank.get("faults", [])]
    found = ["  " + ", ".join(plural(count, name) for name, count in counts.items())]
    found += [sentence(job, rank, entry) for rank, entry in listed[:MOST]]
    if sum(counts.values()) > len(listed[:MOST]):
        found.append("  ... and %d more" % (sum(counts.values()) - len(listed[:MOST])))
    return found
