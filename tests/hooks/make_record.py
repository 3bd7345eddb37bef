#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes a record of a job that never ran, for tests of the report and its pictures: make_record.py RANKS >FILE

Ranks lie in a ring of grids: each talks to its neighbours, to those a power of two away (collectives), and now and then
to rank 0. One rank in 64 computes longer than the others, who wait for it.
"""
import json
import os
import random
import sys

sys.dont_write_bytecode = True
SOURCE = os.environ.get("APELINK_SRCDIR", os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", ".."))
sys.path.insert(0, os.path.join(SOURCE, "pml_hooks"))

from reportlib import schema  # pylint: disable=wrong-import-position,import-error

CLASSES = ["user", "allgather", "allgatherv", "allreduce", "alltoall", "alltoallv", "alltoallw", "barrier", "bcast", "exscan",
           "gather", "gatherv", "reduce", "reduce_scatter", "reduce_scatter_block", "scan", "scatter", "scatterv",
           "nonblocking collectives", "neighbourhood collectives", "other"]
CALLS = ["none", "send", "recv", "probe", "mprobe", "mrecv", "wait", "waitany", "waitall", "waitsome", "finalize"]  # as far as they are used here
HOST_RANKS = 32
SECONDS = 120.0
SLICES = 120
STEPS = 4000  # of the program that is played


def entry(part, **values):
    """An entry of a part of the record, all of it nothing but what is given."""
    made = {field.name: field.nothing() for field in schema.FIELDS[part]}
    made.update(values)
    return made


def neighbours(rank, size):
    """Who talks to whom: (peer, messages, bytes of each, whether it is for collectives)."""
    width = max(1, int(size ** 0.5))
    found = {}
    for step in (1, -1, width, -width):
        peer = (rank + step) % size
        if peer != rank:
            found[peer] = (STEPS, 65536 if abs(step) == 1 else 8192, 0)
    step = 1
    while step < size:
        for peer in ((rank + step) % size, (rank - step) % size):
            if peer != rank:
                found.setdefault(peer, (STEPS // 4, 8, 1))
        step *= 2
    if rank and 0 not in found:
        found[0] = (STEPS // 100, 1 << 20, 0)
    elif rank == 0:
        for peer in range(1, size):
            found.setdefault(peer, (STEPS // 100, 1 << 20, 0))
    return found


def is_late(rank):
    return rank % 64 == 2


def make_peer(draw, weight, peer, messages, size, internal):
    """What a rank has recorded of another one."""
    by_size = [0] * 48
    by_size[size.bit_length()] = messages * 3 // 4
    by_size[max(0, size.bit_length() - 1)] = messages - messages * 3 // 4
    counts = [0, messages] if internal else [messages, 0]
    bytes_all = [count * size for count in counts]
    late = weight * (draw.uniform(2.0, 4.0) if is_late(peer) else draw.uniform(0.0, 0.05))
    sends, receives = draw.uniform(0.0, 0.02), late + weight * draw.uniform(0.0, 0.1)
    return entry(
        "peer", job=1, rank=peer, send_number=messages, receive_number=messages, sent=counts, received=counts,
        sent_bytes=bytes_all, received_bytes=bytes_all, sent_smallest=size // 2, sent_largest=size,
        received_smallest=size // 2, received_largest=size, sent_by_size=by_size, received_by_size=by_size,
        send_wait_ticks=sends, receive_wait_ticks=receives, late_sender_ticks=late, late_sender_known=messages // 8 + 1,
        late_receiver_ticks=draw.uniform(0.0, 0.01), late_receiver_known=3, send_wait_internal_ticks=internal * sends,
        receive_wait_internal_ticks=internal * receives, late_sender_internal_ticks=internal * late,
        late_sender_internal=internal * (messages // 8 + 1))


def make_classes(draw, peers, rank):
    """The sums by the class of tags."""
    found = [entry("class") for _ in CLASSES]
    shares = {0: ("user", 1.0), 1: ("allreduce", 0.7), 2: ("barrier", 0.2), 3: ("bcast", 0.1)}
    for number, (name, share) in shares.items():
        internal = 1 if number else 0
        messages = int(sum(peer["sent"][internal] for peer in peers) * share)
        volume = int(sum(peer["sent_bytes"][internal] for peer in peers) * share)
        wait = (sum(peer["receive_wait_ticks"] for peer in peers) if number == 0 else
                draw.uniform(0.1, 0.3) if is_late(rank) else draw.uniform(4.0, 5.0) * share)
        found[CLASSES.index(name)] = entry("class", sent=messages, sent_bytes=volume, received=messages,
                                           received_bytes=volume, wait_ticks=wait)
    return found


def make_slices(draw, peers, classes):
    """The sums over time: a phase of input, then steps that become slower."""
    sent, volume = sum(sum(peer["sent"]) for peer in peers), sum(sum(peer["sent_bytes"]) for peer in peers)
    wait = sum(item["wait_ticks"] for item in classes)
    weights = [0.05 if i < SLICES // 8 else 1.5 - i / SLICES + draw.uniform(0, 0.2) for i in range(SLICES)]
    whole = sum(weights)
    found = []
    for weight in weights:
        part = weight / whole
        found.append(entry("slice", sent=int(sent * part), sent_bytes=int(volume * part), received=int(sent * part),
                           received_bytes=int(volume * part), wait_ticks=min(SECONDS / SLICES, wait * part)))
    return found


def make_rank(draw, rank, size):
    found = neighbours(rank, size)
    weight = min(1.0, 24 / max(1, len(found)))
    peers = [make_peer(draw, weight, peer, *what) for peer, what in sorted(found.items())]
    classes = make_classes(draw, peers, rank)
    messages = sum(sum(peer["sent"]) for peer in peers)
    made = entry(
        "head", version=1, enabled=1, state=3, job=1, rank=rank, size=size, pid=10000 + rank, start_seconds=1700000000,
        start_nanoseconds=0, slice_ticks=SECONDS / SLICES, sends=[0, 0, 0, 0, messages], sends_blocking=messages // 2,
        sends_nonblocking=messages - messages // 2, receives_blocking=messages // 2,
        receives_nonblocking=messages - messages // 2, receives_at_once=messages // 5, span_ticks=40.0, span_wait_ticks=11.0,
        waits=messages, wait_ticks=sum(item["wait_ticks"] for item in classes), completed=2 * messages, last_event=SECONDS,
        end_stamp=SECONDS, host="node%02d" % (rank // HOST_RANKS), program="made_up", pml="ob1",
        call_count=1, class_count=len(CLASSES), slice_count=SLICES, peer_count=len(peers), peer_room=16384)
    made.update(calls=[entry("call", kind=10, thread=1, since=SECONDS, calls=2 * messages)], classes=classes,
                slices=make_slices(draw, peers, classes), peers=peers)
    for plural in schema.PARTS.values():
        made.setdefault(plural, [])
    return made


def make_job(size):
    draw = random.Random(size)
    return {"format": "apelink-hooks", "version": 1, "job": 1, "size": size, "call_kinds": CALLS, "tag_classes": CLASSES,
            "ranks": [make_rank(draw, rank, size) for rank in range(size)]}


if __name__ == "__main__":
    if len(sys.argv) != 2 or not sys.argv[1].isdigit() or int(sys.argv[1]) < 1:
        sys.exit(__doc__)
    json.dump(make_job(int(sys.argv[1])), sys.stdout)
