# SPDX-License-Identifier: BSD-3-Clause
"""What a page shows of a job, as an object of JSON; long columns of numbers as base64 of their binary form."""
import array
import base64
import sys
import time

from . import clocks, costs, facts, faults, progress

SIZES = 48
SLICE_KEYS = ("sent", "sent_bytes", "received", "received_bytes", "wait_ticks")
PAIR_KEYS = ("sent_smallest", "sent_largest", "received_smallest", "received_largest", "received_any_source")
WAIT_KEYS = ("send_wait_ticks", "receive_wait_ticks")


def counts(values):
    """A column of numbers of messages or bytes, as short as they are."""
    return column("u32" if max(values, default=0) < 1 << 32 else "f64", values)


def column(kind, values):
    """A column of numbers: kind is "u32", "f32" or "f64"."""
    packed = array.array({"u32": "I", "f32": "f", "f64": "d"}[kind], values)
    if sys.byteorder == "big":
        packed.byteswap()
    return {"type": kind, "base64": base64.b64encode(packed.tobytes()).decode("ascii")}


def lateness(entry, key):
    """Seconds, or NaN where it is not known."""
    if not entry[key + "_known"] and entry[key + "_unknown"]:
        return float("nan")
    return entry[key + "_ticks"]


def pair_columns(job, index):
    """All pairs; ranks by their place in the list of ranks, a peer without a record by its rank behind these."""
    found = list(costs.pairs(job))
    place = dict(index)
    for _, peer, _ in found:
        place.setdefault(peer, len(place))
    columns = {"row": column("u32", [index[rank["rank"]] for rank, _, _ in found]),
               "col": column("u32", [place[peer] for _, peer, _ in found])}
    entries = [entry for _, _, entry in found]
    for key in ("sent", "sent_bytes", "received", "received_bytes"):
        columns[key] = counts([entry[key][0] for entry in entries])
        columns[key + "_internal"] = counts([entry[key][1] for entry in entries])
    for key in PAIR_KEYS:
        columns[key] = counts([entry[key] for entry in entries])
    for key in WAIT_KEYS:
        columns[key] = column("f32", [entry[key] for entry in entries])
    for kind in ("late_sender", "late_receiver"):
        columns[kind + "_ticks"] = column("f32", [lateness(entry, kind) for entry in entries])
        columns[kind + "_error_ticks"] = column("f32", [entry[kind + "_error_ticks"] for entry in entries])
        columns[kind + "_inferred"] = counts([entry[kind + "_inferred"] for entry in entries])
    return columns, [rank for rank, _ in sorted(place.items(), key=lambda item: item[1])]


def rank_rows(job):
    """A line for each rank."""
    rows = []
    for rank in job["ranks"]:
        peers = rank["peers"]
        rows.append({
            "rank": rank["rank"], "host": rank["host"], "pid": rank["pid"], "seconds": costs.seconds_of(rank),
            "wait": sum(entry["wait_ticks"] for entry in rank["classes"]), "finished": bool(rank.get("end_stamp")),
            "sent": sum(sum(entry["sent"]) for entry in peers),
            "sent_bytes": sum(sum(entry["sent_bytes"]) for entry in peers),
            "received": sum(sum(entry["received"]) for entry in peers),
            "received_bytes": sum(sum(entry["received_bytes"]) for entry in peers)})
    return rows


def size_columns(job):
    """Messages by class of size, for each rank one after another."""
    found = {}
    for way in ("sent", "received"):
        values = []
        for number, rank in enumerate(job["ranks"]):
            by_size = [entry[way + "_by_size"] for entry in rank["peers"]]
            values += [sum(counted) for counted in zip(*by_size)] if by_size else [0] * SIZES
            progress.show("counting sizes", number, len(job["ranks"]))
        found[way] = counts(values)
    return found


def begins(job):
    """Seconds from the begin of the first record to that of each rank's."""
    starts = [rank["start_seconds"] + 1e-9 * rank["start_nanoseconds"] for rank in job["ranks"]]
    return [start - min(starts) for start in starts]


def slice_columns(job):
    """The sums over time, each rank's brought to the widest slices that one has."""
    width = max((rank["slice_ticks"] for rank in job["ranks"] if rank["slices"]), default=0.0)
    if width <= 0:
        return {"width": 0, "count": 0}
    rows = []
    for rank, begin in zip(job["ranks"], begins(job)):
        sums = {}
        for number, entry in enumerate(rank["slices"]):
            at = min(int((begin + (number + 0.5) * rank["slice_ticks"]) / width), 100000)
            found = sums.setdefault(at, [0] * len(SLICE_KEYS))
            for k, key in enumerate(SLICE_KEYS):
                found[k] += entry[key]
        rows.append(sums)
    count = 1 + max((max(sums) for sums in rows if sums), default=-1)
    if count * len(rows) > 4000000:  # records that began days apart are not of one job
        return {"width": 0, "count": 0}
    made = {"width": width, "count": count}
    for k, key in enumerate(SLICE_KEYS):
        made[key] = column("f32", [sums[at][k] if at in sums else 0 for sums in rows for at in range(count)])
    return made


def class_rows(job):
    """The sums by the class of tags, with who waits least and most."""
    rows = {}
    for rank in job["ranks"]:
        for number, entry in enumerate(rank["classes"]):
            row = rows.setdefault(entry["name"], {
                "name": entry["name"], "own": number == 0, "wait": 0.0, "sent": 0, "sent_bytes": 0, "received": 0,
                "received_bytes": 0, "waits": []})
            row["wait"] += entry["wait_ticks"]
            for key in SLICE_KEYS[:4]:
                row[key] += entry[key]
            row["waits"].append((entry["wait_ticks"], rank["rank"]))
    for row in rows.values():
        found = row.pop("waits")
        row["least"], row["most"] = min(found), max(found)
    return [row for row in rows.values() if row["sent"] or row["received"] or row["wait"]]


def page_data(job):
    """The object."""
    job = dict(job, ranks=sorted(job["ranks"], key=lambda rank: rank["rank"]))
    index = {rank["rank"]: i for i, rank in enumerate(job["ranks"])}
    first = job["ranks"][0]
    progress.show("collecting pairs")
    pairs, order = pair_columns(job, index)
    every = costs.all_costs(job)
    return {
        "program": first["program"], "pml": first["pml"], "job": job["job"], "size": job["size"],
        "begin": time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(min(first["start_seconds"], 253402300799))),
        "seconds": max(costs.seconds_of(rank) for rank in job["ranks"]),
        "costs": [{"text": cost.text + ".", "seconds": cost.seconds, "ranks": cost.ranks[:4096], "causes": cost.causes[:4096]}
                  for cost in every[:12]],
        "remarks": costs.remarks(job) + clocks.lines(job), "verdict": facts.stuck(job), "faults": facts.faults(job),
        "injected": [line.strip() for line in faults.lines(job)], "queues": facts.queues(job),
        "ranks": rank_rows(job), "order": order, "pairs": pairs, "sizes": size_columns(job), "slices": slice_columns(job),
        "classes": class_rows(job),
        "unknown": sorted({name for rank in job["ranks"] for name in rank.get("missing", ())}),
    }
