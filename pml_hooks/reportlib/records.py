# SPDX-License-Identifier: BSD-3-Clause
"""The records of a job: from the file of JSON that MPI_Finalize writes, or from the records in memory of processes that
run, or have ended without MPI_Finalize.

Both become the same: a dict of a job with "job", "size" and "ranks", each of these a dict of the head's fields, with a
list of dicts for each part of the record: "calls", "classes", "slices", "pending", "faults", "peers". Lengths of time are in
seconds, times are in seconds since the record began.
"""
import json
import mmap
import os
import re
import struct
import time

from . import progress, schema
from .schema import VERSION

MAGIC = 0x534B4F4F484C5041
NAME = re.compile(r"apelink-hooks\.(\d+)\.(\d+)\.(\d+)$")
FORMATS = {"U64": "Q", "U32": "I", "I32": "i", "TICKS": "Q", "STAMP": "Q"}
ANY = -2  # a rank or tag: any, or it is not known


class BadRecord(Exception):
    """What is wrong with a file, in words for the user."""


class Layout:
    """What the head of a raw record says of its parts."""

    def __init__(self, text):
        self.parts = []  # (name, plural, offset, stride, fields), each field (name, type, offset, count)
        self.call_kinds, self.tag_classes, self.fault_kinds = {}, {}, {}
        for line in text.splitlines():
            word, *rest = line.split(" ")
            if word == "part":
                self.parts.append((rest[0], rest[1], int(rest[2]), int(rest[3]), []))
            elif word == "field":
                self.parts[-1][4].append((rest[0], rest[1], int(rest[2]), int(rest[3])))
            elif word == "call-kind":
                self.call_kinds[int(rest[0])] = " ".join(rest[1:])
            elif word == "tag-class":
                self.tag_classes[int(rest[0])] = " ".join(rest[1:])
            elif word == "fault-kind":
                self.fault_kinds[int(rest[0])] = " ".join(rest[1:])


def read_value(data, at, kind, count):
    """A field of a raw record, without its unit: a number, a list of numbers, or a text."""
    if kind == "TEXT":
        return data[at : at + count].split(b"\0")[0].decode("utf-8", "replace")
    values = struct.unpack_from("<%d%s" % (count, FORMATS[kind]), data, at)
    return list(values) if count > 1 else values[0]


def read_entry(data, at, fields, clock):
    """An entry of a part; clock converts its times, or is None for the head, whose times it is made of."""
    entry = {}
    for name, kind, offset, count in fields:
        value = read_value(data, at + offset, kind, count)
        convert = {"TICKS": clock.length, "STAMP": clock.since_start}.get(kind) if clock else None
        if convert:
            value = [convert(v) for v in value] if count > 1 else convert(value)
        entry[name] = value
    return entry


class Clock:
    """Seconds for ticks, by two readings of both clocks; without a later one, by what the record says of the rate, which one of an earlier
    release does not: then by the clock of now."""

    def __init__(self, head):
        self.start = head["stamp_start"]
        ticks = head["stamp_last"] - head["stamp_start"]
        nanoseconds = head["clock_last"] - head["clock_start"]
        if (ticks <= 0 or nanoseconds < 10**8) and head.get("ticks_per_second"):
            ticks, nanoseconds = head["ticks_per_second"], 10**9
        elif ticks <= 0 or nanoseconds < 10**8:
            ticks, nanoseconds = head["last_event"] - self.start, time.monotonic_ns() - head["clock_start"]
        self.per_tick = nanoseconds * 1e-9 / ticks if ticks > 0 else 0.0

    def length(self, ticks):
        return ticks * self.per_tick

    def since_start(self, stamp):
        return None if stamp == 0 else (stamp - self.start) * self.per_tick


def fnv1a(data):
    """The 32-bit hash of the head's description."""
    value = 2166136261
    for byte in data:
        value = (value ^ byte) * 16777619 & 0xFFFFFFFF
    return value


def parse_raw(data, where):
    """A raw record as a rank's dict."""
    try:
        magic, version, offset, size, expected = struct.unpack_from("<QIIII", data, 0)
        if magic != MAGIC:
            raise BadRecord("%s is no record of pml_hooks, or not a complete one" % where)
        if version > VERSION:
            raise BadRecord("%s has version %d; this program reads up to %d" % (where, version, VERSION))
        description = bytes(data[offset : offset + size])
        if fnv1a(description) != expected:
            raise BadRecord("%s is damaged: its description is not as it was written" % where)
        layout = Layout(description.decode("ascii", "replace"))
        name, _, start, _, fields = layout.parts[0]
        raw_head = read_entry(data, start, fields, None)
        clock = Clock(raw_head)
        rank = read_entry(data, start, fields, clock)
        for name, plural, start, stride, fields in layout.parts[1:]:
            room = max(0, (len(data) - start) // stride)
            count = min(raw_head[name + "_count"], room)
            rank[plural] = [read_entry(data, start + i * stride, fields, clock) for i in range(count)]
    except (struct.error, IndexError, KeyError, TypeError, ValueError, OverflowError) as error:
        raise BadRecord("%s is damaged: %s" % (where, error)) from error
    checked([rank], where)
    name_parts(rank, layout.call_kinds, layout.tag_classes)
    rank.update(call_kinds=layout.call_kinds, tag_classes=layout.tag_classes, fault_kinds=layout.fault_kinds)
    return rank


def name_parts(rank, call_kinds, tag_classes):
    """Give calls and classes their names."""
    for call in rank["calls"]:
        call["name"] = call_kinds.get(call["kind"], "call %d" % call["kind"])
    for number, entry in enumerate(rank["classes"]):
        entry["name"] = tag_classes.get(number, "class %d" % number)


def read_text(path):
    """The characters of a file."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError as error:
        raise BadRecord("cannot read %s: %s" % (path, error.strerror)) from error


def not_a_number(word):
    raise ValueError("%s is no number" % word)


def read_json(path):
    """The job in a file that MPI_Finalize has written."""
    return from_text(read_text(path), path)


def from_text(text, path):
    """The job in JSON that came from there."""
    done = 0

    def count(found):
        nonlocal done
        if "pid" in found:
            done += 1
            progress.show("reading %s" % path, done, found.get("size"))
        return found

    try:
        job = json.loads(text, parse_constant=not_a_number, object_hook=count)
    except (ValueError, RecursionError) as error:
        raise BadRecord("%s is not a complete file of JSON (%s)" % (path, error)) from error
    if not isinstance(job, dict) or job.get("format") != "apelink-hooks":
        raise BadRecord("%s is no record of pml_hooks" % path)
    check_head(job, path)
    checked(job["ranks"], path)
    job.update({key: names_of(job, key) for key in schema.NAMES})
    for rank in job["ranks"]:
        name_parts(rank, job["call_kinds"], job["tag_classes"])
    return job


def check_head(job, path):
    """That the outermost object of a file of JSON is what this program reads."""
    version = job.get("version", 0)
    if not isinstance(version, int) or version < 1:
        raise BadRecord("%s is damaged: its version is %s" % (path, repr(version)[:40]))
    if version > VERSION:
        raise BadRecord("%s has version %d; this program reads up to %d: use the apelink-report of the release that wrote "
                        "it" % (path, version, VERSION))
    for key, most in (("job", 1 << 32), ("size", schema.MOST_RANKS)):
        if not isinstance(job.get(key), int) or not 0 <= job[key] <= most:
            raise BadRecord("%s is damaged: its %s is %s" % (path, key, repr(job.get(key))[:40]))
    if not isinstance(job.get("ranks"), list) or not job["ranks"]:
        raise BadRecord("%s is damaged: it has no ranks" % path)


def checked(ranks, where):
    """Records of ranks, after a look whether each field is what it has to be. Fields that they lack become nothing."""
    seen = set()
    for number, rank in enumerate(ranks):
        missing = set()
        wrong = schema.complete_rank(rank, missing)
        if not wrong and rank["rank"] in seen:
            wrong = "rank %d is there twice" % rank["rank"]
        if wrong:
            raise BadRecord("%s is damaged: %s" % (where, wrong))
        seen.add(rank["rank"])
        rank["missing"] = missing
        progress.show("checking the ranks of %s" % where, number, len(ranks))
    return ranks


def names_of(job, key):
    """Names by their numbers."""
    names = job.get(key, [])
    return {i: str(name) for i, name in enumerate(names)} if isinstance(names, list) else {}


def raw_files(directory):
    """The raw records of this user: (path, job, rank)."""
    found = []
    try:
        names = os.listdir(directory)
    except OSError as error:
        raise BadRecord("cannot read the folder %s: %s" % (directory, error.strerror)) from error
    for name in names:
        match = NAME.match(name)
        if match and int(match.group(1)) == os.getuid():
            found.append((os.path.join(directory, name), int(match.group(2)), int(match.group(3))))
    return sorted(found, key=lambda item: (item[1], item[2]))


def process_state(pid, start):
    """The state of a process of this host as in /proc, such as "R"; "" if it is gone, or the id is another one's by
    now."""
    try:
        with open("/proc/%d/stat" % pid, encoding="ascii", errors="replace") as file:
            words = file.read().rpartition(")")[2].split()
        return words[0] if words[0] not in ("Z", "X") and int(words[19]) == start else ""
    except (OSError, IndexError, ValueError):
        return ""


def read_raw(path):
    """The record in a file, with how long ago it began and whether its process lives. The file is as long as it may
    ever become, and mostly empty: it is mapped."""
    try:
        with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            rank = parse_raw(data, path)
    except (OSError, ValueError) as error:
        raise BadRecord("cannot read %s: %s" % (path, error)) from error
    state = process_state(rank["pid"], rank["process_start"])
    rank["alive"], rank["stopped"] = state != "", state in ("T", "t")
    # A record may be of another host, or of a time before this one was started.
    rank["age"] = max(time.monotonic_ns(), rank["clock_last"], rank["clock_start"]) * 1e-9 - rank["clock_start"] * 1e-9
    return rank


def read_running(directory, job):
    """The records in memory of a job, as a job."""
    ranks = []
    for path, number, _ in raw_files(directory):
        if number == job:
            try:
                ranks.append(read_raw(path))
            except BadRecord:
                continue  # it is just being made, or removed
    if not ranks:
        raise BadRecord("there is no job %d in %s; apelink-report --list says which there are" % (job, directory))
    return as_job(ranks)


def as_job(ranks):
    """Records in memory of one job as that."""
    names = {key: ranks[0][key] for key in schema.NAMES}
    return {"format": "apelink-hooks", "version": VERSION, "job": ranks[0]["job"], "size": ranks[0]["size"],
            "ranks": ranks, **names}


def is_raw(path):
    """Whether a file is a record as it lies in memory."""
    try:
        with open(path, "rb") as file:
            return file.read(8) == struct.pack("<Q", MAGIC)
    except OSError:
        return False


def read(path):
    """The job in a file, of either kind."""
    return as_job([read_raw(path)]) if is_raw(path) else read_json(path)


def lives(directory, job):
    """Whether any process of a job that has a record in memory lives."""
    for path, number, _ in raw_files(directory):
        try:
            if number == job and read_raw(path)["alive"]:
                return True
        except BadRecord:
            continue
    return False


def running_jobs(directory):
    """Numbers of the jobs that have records in memory."""
    return sorted({job for _, job, _ in raw_files(directory)})
