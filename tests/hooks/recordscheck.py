#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Reads records that are whole, old, cut off anywhere, or damaged: each is read, or refused with a sentence. And what
the report makes of them besides the text: CSV, JSON, the schema, the comparison of two runs, its line of progress.
"""
import copy
import csv
import gzip
import io
import json
import os
import random
import re
import tempfile

import checking
import make_record
import schemacheck
from checking import expect, report
from reportlib import csvfile, diff, jsonfile, page, progress, records, schema, text, units, waits

FOLDER = os.path.join(make_record.SOURCE, "tests", "hooks", "records")
OLD = os.path.join(FOLDER, "version1.json")
CUTS, CHANGES = 250, 400


def make_all(job):
    """All that can be made of a job; whatever fails in it is a defect."""
    text.report(job)
    waits.verdict(job)
    page.build(job, "")
    diff.report(job, job)
    for table in csvfile.TABLES:
        csvfile.write(job, table, io.StringIO())
    jsonfile.write(job, io.StringIO())


def try_file(path, data):
    """Whether these bytes could be read. A refusal has to be a sentence that names the file."""
    with open(path, "wb") as file:
        file.write(data)
    try:
        job = records.read(path)
    except records.BadRecord as error:
        expect(path in str(error) and "\n" not in str(error) and len(str(error)) < 400, "the refusal: %s" % error)
        return False
    make_all(job)
    return True


def raw_record():
    with gzip.open(os.path.join(FOLDER, "version1.raw.gz"), "rb") as file:
        return file.read()


def flipped(data, draw, ends):
    """The data with some bytes changed, more of them at its begin."""
    changed = bytearray(data)
    for _ in range(draw.randrange(1, 12)):
        changed[draw.randrange(min(draw.choice(ends), len(data)))] = draw.randrange(256)
    return bytes(changed)


def damaged_bytes(folder):
    """Files of both kinds, cut off and with bytes changed."""
    with open(OLD, "rb") as file:
        written = file.read()
    for name, data in (("json", written), ("raw", raw_record())):
        draw, path = random.Random(11), os.path.join(folder, "damaged." + name)
        expect(try_file(path, data), "the whole file of %s is refused" % name)
        ends = {*range(0, 2000, 40), *(draw.randrange(len(data)) for _ in range(CUTS))}
        read = sum(try_file(path, data[:end]) for end in sorted(ends))
        expect(read == 0 or name == "raw", "%d files of JSON that are cut off are read" % read)
        read += sum(try_file(path, flipped(data, draw, (200, 3000, len(data)))) for _ in range(CHANGES))
        print("%s: %d of %d damaged ones could be read" % (name, read, len(ends) + CHANGES))


ODD = (None, True, -1, 0, 1e308, 1 << 63, 1 << 70, -(1 << 70), "", "text", [], {}, [1], [[]], {"rank": 0}, 1.5)


def places(value, found):
    """All (container, key) of a document."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        found.append((value, key))
        places(inner, found)
    return found


def damaged_values(folder):
    """JSON that is whole and says nonsense."""
    with open(OLD, encoding="utf-8") as file:
        good = json.load(file)
    draw, path, read = random.Random(5), os.path.join(folder, "nonsense.json"), 0
    names = sorted({key for holder, key in places(good, []) if isinstance(key, str)})
    for number in range(CHANGES):
        job = copy.deepcopy(good)
        wanted = names[number % len(names)]
        # Each name in turn, so that those that are there once get their share.
        at = [place for place in places(job, []) if place[1] == wanted]
        holder, key = draw.choice(at)
        if draw.random() < 0.2:
            del holder[key]
        else:
            holder[key] = draw.choice(ODD)
        read += try_file(path, json.dumps(job).encode())
    print("nonsense: %d of %d could be read" % (read, CHANGES))
    for wrong in (b"", b"\0" * 100, b"[]", b"{}", b"1", b"NaN", b"[" * 100000, b"\xff\xfe\x00", b'{"format": "apelink-hooks"}'):
        expect(not try_file(path, wrong), "%r is read" % wrong[:30])


def refusals(folder):
    """What is said of files that are none: words, and the exit code."""
    newer = os.path.join(folder, "newer.json")
    with open(OLD, encoding="utf-8") as file:
        job = json.load(file)
    job["version"] = schema.VERSION + 1
    with open(newer, "w", encoding="utf-8") as file:
        json.dump(job, file)
    closed = os.path.join(folder, "closed.json")
    with open(closed, "w", encoding="utf-8") as file:
        file.write("{}")
    os.chmod(closed, 0)
    cases = [
        ([newer], 1, "version 2; this program reads up to 1"), ([folder], 1, "Is a directory"),
        ([folder + "/none.json"], 1, "No such file or directory"), (["123456789"], 1, "there is no job 123456789"),
        (["--directory", folder + "/none", "7"], 1, "cannot read the folder"), ([], 1, "no record is named"),
        ([OLD, "--html", folder + "/none/page.html"], 1, "cannot write"), ([OLD, "--html", folder], 1, "cannot write"),
        (["--diff", OLD], 2, "--diff compares two records"), (["--diff", OLD, newer], 1, "newer.json has version 2"),
        ([OLD, OLD], 2, "one word too many"), (["--live", OLD], 2, "is not the number of a job"),
        ([OLD, "--csv", "--json"], 2, "not allowed with"), ([OLD, "--csv", "--table", "nothing"], 2, "invalid choice"),
    ]
    if os.getuid() != 0:
        cases.append(([closed], 1, "Permission denied"))
    for words, code, said in cases:
        done = report(*words)
        expect(done.returncode == code and said in done.stderr and not done.stdout and "Traceback" not in done.stderr,
               "%s: exit code %d: %s%s" % (words, done.returncode, done.stdout, done.stderr))
    expect(not [name for name in os.listdir(folder) if name.endswith(".part")], "half a page is left")


def old_records():
    """A record of an earlier release, of both kinds, reads, and says what it lacks."""
    with open(OLD, encoding="utf-8") as file:
        job = json.load(file)
    found = schemacheck.wrong(job, schema.json_schema())
    expect(found is None, "the earlier record is not as the schema says: %s" % found)
    done = report(OLD)
    expect(done.returncode == 0 and "hooks_count: 2 ranks on node1" in done.stdout, done.stdout + done.stderr)
    peers = {rank["rank"]: rank["peers"][0] for rank in records.read(OLD)["ranks"]}
    expect(peers[0]["sent"] == peers[1]["received"] and peers[0]["sent_bytes"][0] > 0, "its numbers: %s" % peers)
    job["ranks"][0]["new_field"], job["new_field"] = {"a": 1}, 2
    del job["ranks"][1]["peers"][0]["late_sender_ticks"]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "changed.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(job, file)
        read = records.read(path)
        expect("peer.late_sender_ticks" in read["ranks"][1]["missing"], "a field that is absent is not noted")
        make_all(read)
        raw = os.path.join(folder, "raw")
        with open(raw, "wb") as file:
            file.write(raw_record())
        done = report(raw)
        expect(done.returncode == 0 and "Rank 0 did not come to MPI_Finalize" in done.stdout
               and re.search(r"1\. Rank 0 waits .* in a recv that has not ended", done.stdout), done.stdout + done.stderr)


def records_in_memory(folder):
    """Which jobs there are; records of processes that have ended are removed, of one job or of all."""
    names = ["apelink-hooks.%d.%d.0" % (os.getuid(), job) for job in (7, 8, 9)]
    for name in names:
        with open(os.path.join(folder, name), "wb") as file:
            file.write(raw_record())
    listed = report("--directory", folder, "--list").stdout.splitlines()
    expect([line.split()[0] for line in listed] == ["7", "8", "9"], "--list: %s" % listed)
    done = report("--directory", folder, "--live")
    expect(done.returncode == 1 and "there are several jobs: give one of 7, 8, 9" in done.stderr, done.stdout + done.stderr)
    done = report("--directory", folder, "--clean", "8")
    expect("removed 1 records" in done.stdout and sorted(os.listdir(folder)) == [names[0], names[2]], "--clean 8: " + done.stdout)
    done = report("--directory", folder, "--clean", "x")
    expect(done.returncode == 2 and "is not the number of a job" in done.stderr, "--clean x: " + done.stderr)
    done = report("--directory", folder, "--clean")
    expect("removed 2 records" in done.stdout and not os.listdir(folder), "--clean: " + done.stdout)


def check_csv():
    """CSV has all fields, all pairs, and the numbers of the record."""
    job = make_record.make_job(5)
    for rank in job["ranks"]:
        rank["missing"] = set()
        for entry in (*rank["calls"], *rank["classes"]):
            entry["name"] = "a, \"name\""
    for table, part in csvfile.TABLES.items():
        out = io.StringIO()
        csvfile.write(job, table, out)
        rows = list(csv.DictReader(io.StringIO(out.getvalue())))
        entries = [entry for rank in job["ranks"] for entry in ([rank] if part == "head" else rank[schema.PARTS[part]])]
        expect(len(rows) == len(entries), "%s: %d rows of %d" % (table, len(rows), len(entries)))
        names = out.getvalue().partition("\n")[0].split(",")
        expect(len(names) == len(set(names)), "%s: a column is there twice: %s" % (table, names))
        expect(all(None not in row and None not in row.values() for row in rows), table + ": rows of different lengths")
    out = io.StringIO()
    csvfile.write(job, "pairs", out)
    sent = sum(int(row["sent"]) + int(row["sent_internal"]) for row in csv.DictReader(io.StringIO(out.getvalue())))
    expect(sent == sum(sum(peer["sent"]) for rank in job["ranks"] for peer in rank["peers"]), "CSV: messages sent")


def check_json(folder):
    """What --json prints is as the schema that --schema prints, has all fields, and is read again as the same."""
    path = os.path.join(folder, "made.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(make_record.make_job(3), file)
    printed, again, described = report(path, "--json").stdout, os.path.join(folder, "again.json"), report("--schema").stdout
    with open(again, "w", encoding="utf-8") as file:
        file.write(printed)
    expect(report(again, "--json").stdout == printed and report(again).stdout == report(path).stdout, "--json loses something")
    job, meaning = json.loads(printed), json.loads(described)
    expect(schemacheck.wrong(job, meaning) is None, "--json: %s" % schemacheck.wrong(job, meaning))
    missing = schemacheck.lacking(job, meaning, optional=schema.OUTSIDE)
    expect(missing is None, "--json: %s" % missing)
    for key, value in (("size", 0), ("version", 2), ("job", "x")):
        expect(schemacheck.wrong({**job, key: value}, meaning), "the schema lets %s be %s" % (key, value))
    job["ranks"][1]["peers"][0]["sent"] = [1, 2, 3]
    expect(schemacheck.wrong(job, meaning), "the schema lets an array have any length")


def check_diff(folder):
    """The comparison names what is different, and nothing of a run with itself."""
    job = make_record.make_job(4)
    paths = [os.path.join(folder, name) for name in ("a.json", "b.json")]
    for path, factor in zip(paths, (1, 3)):
        made = copy.deepcopy(job)
        made["ranks"][1]["peers"][2]["receive_wait_ticks"] += 10 * (factor - 1)
        made["ranks"][1]["classes"][0]["wait_ticks"] += 10 * (factor - 1)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(made, file)
    peer = job["ranks"][1]["peers"][2]["rank"]
    done = report("--diff", *paths)
    table = done.stdout.partition("Waiting by pair")[2].splitlines()
    expect(done.returncode == 0 and table[2].split()[:2] == ["1", str(peer)], done.stdout + done.stderr)
    same = report("--diff", paths[0], paths[0]).stdout
    expect("No pair by more than 1 %" in same and "%" not in same.partition("waiting in")[0].partition("change")[2],
           "a run and itself: " + same)


def check_mixed(folder):
    """What ranks wait for the program's own messages is told apart from what they wait for the same ones in collectives: late by 0.4 s of
    0.5 s, and in a barrier by 0.1 of 0.3. An older record does not tell it apart, and is read all the same."""
    job = make_record.make_job(2)
    for rank in job["ranks"]:
        for peer in rank["peers"]:
            peer.update({field.name: field.nothing() for field in schema.FIELDS["peer"] if "wait" in field.name or "late" in field.name})
        for one in rank["classes"]:
            one["wait_ticks"] = 0.0
    peer, classes = job["ranks"][0]["peers"][0], job["ranks"][0]["classes"]
    peer.update(sent=[20, 5], received=[20, 5], receive_wait_ticks=0.8, receive_wait_internal_ticks=0.3, late_sender_ticks=0.5,
                late_sender_internal_ticks=0.1, late_sender_known=25, late_sender_internal=5)
    classes[0]["wait_ticks"], classes[make_record.CLASSES.index("barrier")]["wait_ticks"] = 0.5, 0.3
    path = os.path.join(folder, "mixed.json")
    for internal, said in ((True, r"Rank 0 waits .* \(400 ms\) for messages of rank 1, which sends late by 20 ms on average"),
                           (False, r"Rank 0 waits .* \(31[23] ms\) for messages of rank 1, which sends late by")):
        for name in [name for name in peer if "internal" in name and not internal]:
            del peer[name]
        with open(path, "w", encoding="utf-8") as file:
            json.dump(job, file)
        told = report(path).stdout
        expect(re.search(said, told) and re.search(r"Rank 0 waits .* in barrier \(300 ms\)", told), "no /%s/ in: %s" % (said, told[:900]))


class Terminal(io.StringIO):
    """Standard error as a terminal."""

    def isatty(self):
        return True


def check_progress():
    """The line is there where work takes long, only on a terminal, and goes away."""
    for out, patience, shown in ((Terminal(), 0.0, True), (Terminal(), 60.0, False), (io.StringIO(), 0.0, False)):
        line = progress.Line(out, patience)
        line.show("reading", 1, 4)
        line.clear()
        expect(("reading: 25 %" in out.getvalue()) == shown, "progress: %r" % out.getvalue())
        expect(not shown or out.getvalue().endswith(progress.CLEAR), "the line of progress is left: %r" % out.getvalue())


def check_units():
    """What is rounded up to the next unit is printed in that."""
    for seconds, expected in ((3599.998, "1 h"), (3541, "59 min"), (599.9, "10 min"), (59.99, "60 s"), (0.9999, "1 s"), (1e-7, "100 ns")):
        expect(units.duration(seconds) == expected, "%g s: %s" % (seconds, units.duration(seconds)))


def main():
    with tempfile.TemporaryDirectory() as folder:
        damaged_bytes(folder)
        damaged_values(folder)
    with tempfile.TemporaryDirectory() as folder:
        refusals(folder)
        check_json(folder)
        check_diff(folder)
        check_mixed(folder)
    with tempfile.TemporaryDirectory() as folder:
        records_in_memory(folder)
    old_records()
    check_csv()
    check_progress()
    check_units()
    print("%d failures" % checking.failures)
    checking.finish()


if __name__ == "__main__":
    main()
