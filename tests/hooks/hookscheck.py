#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs programs with pml_hooks and compares what it says with what they did. One argument, the name of a check:

  count      the record of hooks_count equals what that counts itself, to the byte
  inter      the record of hooks_inter, over intercommunicators and between jobs, equals what that counts itself
  overlap    the time of nonblocking operations that is not waiting is told, each for itself
  ucx        count, switch and late over pml ucx, where there is one, which does not tell of its queues
  chained    pml monitoring, which is below, counts what hooks_count counts, and coll monitoring, which is on top, its collectives
  device     buffers that a library takes for memory of a GPU are counted, and passed, staged or refused
  switch     what began while recording was on is in the record, and nothing else
  queues     the depths of queues are known, and as they were made
  stalls     each way in which hooks_stall stops gets its verdict
  healthy    slow programs that are healthy get none
  hosts      a hang of processes on several hosts gets one verdict
  killed     the record of a rank that is killed is there, with its last call
  kept       with Presto, prestorun writes the record of ranks that are killed
  peers      with Presto, how much memory the record of a rank takes that has talked to 64 others
  stale      old records of the dead are removed by later jobs, recent ones are not
  damaged    a record that is cut off anywhere, or changed, is read or refused with a sentence
  late       the delay that a rank makes is attributed to it

The transports are those for which components were built, and vader. All of them serve count; the other checks, and ways
to stop, take turns over them, unless APELINK_TEST_ALL is yes in the environment. With a folder in PRESTO_PROGRAMS, where
the programs are as prestocc made them, it is Presto, started by the prestorun that PRESTORUN names.
"""
import glob
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time

import running
from running import BUILD, LIMIT, SOURCE, TRANSPORTS, fail, mpirun, read, report, run_check, transports, turns, words_of


def counted(output):
    """What hooks_count has printed: by (rank, peer), four numbers."""
    found = {}
    for line in output.splitlines():
        match = re.match(r"count (\d+) (\d+) (\d+) (\d+) (\d+) (\d+)$", line)
        if match:
            numbers = [int(word) for word in match.groups()]
            if any(numbers[2:]):
                found[numbers[0], numbers[1]] = tuple(numbers[2:])
    return found


def recorded(job):
    """The same of a record: the program's own messages."""
    found = {}
    for rank in job["ranks"]:
        for peer in rank["peers"]:
            numbers = (peer["sent"][0], peer["sent_bytes"][0], peer["received"][0], peer["received_bytes"][0])
            if any(numbers):
                found[rank["rank"], peer["rank"]] = numbers
    return found


def check_sizes(transport, job):
    """Classes of sizes and smallest and largest agree with the sums."""
    for rank in job["ranks"]:
        for peer in rank["peers"]:
            for way in ("sent", "received"):
                if sum(peer[way + "_by_size"]) != sum(peer[way]):
                    fail("%s: rank %d, peer %d: the classes of sizes have %d of %d messages %s" % (
                        transport, rank["rank"], peer["rank"], sum(peer[way + "_by_size"]), sum(peer[way]), way))
                if peer[way + "_smallest"] > peer[way + "_largest"]:
                    fail("%s: rank %d: smallest above largest" % (transport, rank["rank"]))
        in_slices = sum(part["sent"] for part in rank["slices"])
        if in_slices != sum(sum(peer["sent"]) for peer in rank["peers"]):
            fail("%s: rank %d: the slices of time have %d messages" % (transport, rank["rank"], in_slices))


def check_counts(what, expected, found):
    """What the program counted and what was recorded, by (rank, peer)."""
    if not expected or found != expected:
        wrong = {pair: (expected.get(pair), found.get(pair)) for pair in {*expected, *found}
                 if expected.get(pair) != found.get(pair)}
        fail("%s: by (rank, peer), counted and recorded: %s" % (what, wrong))


MODES = {"synchronous": 0, "buffered": 2, "ready": 3}  # where these are in a record's sends


def check_kinds(transport, job, output):
    """Sends and receives by kind. Open MPI's own are synchronous, or of any source, or none of these."""
    for rank, name, number in re.findall(r"^kind (\d+) (\w+) (\d+)$", output, re.M):
        head = job["ranks"][int(rank)]
        found = head["sends"][MODES[name]] if name in MODES else head[name]
        more = {"synchronous": "sent", "receives_any_source": "received"}.get(name)
        most = int(number) + (sum(peer[more][1] for peer in head["peers"]) if more else 0)
        if not int(number) <= found <= most:
            fail("%s: rank %s: %s of %s were recorded: %d" % (transport, rank, number, name, found))
    for rank in job["ranks"]:
        ways = [rank["sends_" + way] for way in ("blocking", "nonblocking", "persistent")]
        if sum(ways) != sum(rank["sends"]) or min(ways) == 0:
            fail("%s: rank %d: sends %s by mode, %s otherwise" % (transport, rank["rank"], rank["sends"], ways))


def count():
    for transport in transports():
        for ranks, more in ((2, []), (5, []), (3, ["threads"])):
            with tempfile.TemporaryDirectory() as folder:
                code, output, errors = mpirun(folder, ranks, transport, ["hooks_count", *more])
                if code != 0:
                    fail("%s, %d ranks: exit code %s: %s" % (transport, ranks, code, errors[-600:]))
                    continue
                job, expected = read(folder), counted(output)
                check_counts("%s, %d ranks" % (transport, ranks), expected, recorded(job))
                check_sizes(transport, job)
                if transport != "presto":  # which counts less by kind
                    check_kinds(transport, job, output)
                left = [name for name in os.listdir(folder) if name != "hooks.json"]
                if left:
                    fail("%s: left behind: %s" % (transport, left))
        print("count over %s: done" % transport)


# What each way to stop must be told as.
VERDICTS = {
    "circle": r"Deadlock: .*rank 2 waits for a message of rank 0",
    "sends": r"Deadlock: rank 0 waits for that its message is taken by rank 1",
    "tag": r"Rank 0 waits for a message of rank 1, tag 3.*nearest has tag 4 in communicator 0",
    "comm": r"Rank 0 waits for a message of rank 1, tag 3, communicator (\d+): .*nearest has tag 3 in communicator 0",
    "nobody": r"Rank 0 waits for a message of rank 1, tag 3.*rank 1 has not sent it and is in MPI_Finalize",
    "any": r"no rank has sent rank 0 a message that it has not received",
    "absent": r"Rank 2 computes: it has not called MPI for",
    "collectives": r"Different collectives: in communicator 0 rank 0 is in barrier; ranks 1-2 are in bcast",
    "computes": r"rank 1 has not sent it: it is not in MPI, since",
    "made": r"Rank 0 (waits for a message of rank 1, tag .*\n)?.*(rank 1 has not sent it|Rank 0 is in a call that is not followed)",
    "probe": r"Rank 0 waits for a message of rank 1, tag 5",
    "requests": r"Rank 0 waits for a message of rank [12], tag 4[23]",
    "synchronous": r"Rank 0 waits for that its message is taken by rank 1, tag 8",
    "stopped": r"Rank 1 is stopped",
    "early": r"Deadlock: rank 1 waits for a message of rank 2",
}


def stalls():
    for way, transport in turns(VERDICTS):
        if (way, transport) == ("made", "presto"):
            continue  # its MPI_Comm_dup waits for nobody
        with tempfile.TemporaryDirectory() as folder:
            code, _, errors = mpirun(folder, 3, transport, ["hooks_stall", way], hang_s=2, hang_abort=1)
            if code is None or code == 0 or not re.search(VERDICTS[way], errors):
                fail("%s, %s: exit code %s, and no /%s/ in:\n%s" % (transport, way, code, VERDICTS[way], errors))


def healthy():
    for way, transport in turns(("trickle", "alone", "pair", "tests")):
        with tempfile.TemporaryDirectory() as folder:
            code, _, errors = mpirun(folder, 3, transport, ["hooks_stall", way, "6"], hang_s=4)
            if code != 0 or "pml_hooks" in errors:
                fail("%s, %s: exit code %s: %s" % (transport, way, code, errors))


def hosts():
    """Two folders stand for what is in memory of two hosts, and a script for ssh."""
    with tempfile.TemporaryDirectory() as folder:
        places = [os.path.join(folder, name) for name in ("one", "two")]
        for place in places:
            os.mkdir(place)
        launcher = os.path.join(folder, "launcher")
        with open(launcher, "w", encoding="utf-8") as file:
            file.write('#!/bin/sh\n[ "$1" = node2 ] || { echo "no route to $1" >&2; exit 1; }\nshift\necho "$*" | sed "s|%s|%s|" | sh\n' % tuple(places))
        os.chmod(launcher, 0o755)
        common = words_of(places[0], 1, "vader", ["hooks_stall", "circle"], hang_s=0)
        at = common.index("pml_hooks_directory") + 1
        second = ["-n", "2", *common[common.index("--mca"):]]
        second[second.index("pml_hooks_directory") - 1:second.index("pml_hooks_directory") + 2] = ["-x", "OMPI_MCA_pml_hooks_directory=" + places[1]]
        first = [*common[:at - 2], "-x", "OMPI_MCA_pml_hooks_directory=" + places[0], *common[at + 1:]]
        with subprocess.Popen([*first, ":", *second], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            try:
                look_at_two_hosts(places[0], launcher)
            finally:
                process.terminate()


def look_at_two_hosts(place, launcher):
    end, done = time.monotonic() + LIMIT, None
    while time.monotonic() < end and (done is None or "Deadlock" not in done.stdout):
        files = glob.glob(place + "/apelink-hooks.*")
        if files:
            done = report(place, "--live", files[0].rsplit(".", 2)[1], "--hosts", "node2,node3", "--launcher", launcher)
        time.sleep(0.1)
    text = done.stdout if done else ""
    for expected in (r"^0 .* recv", r"^2 .* recv", "^node3: no route to node3$", r"Deadlock: rank 0 waits for a message of rank 1, .*; rank 2 waits for a"):
        if not re.search(expected, text, re.M):
            fail("hosts: no /%s/ in: %s%s" % (expected, text, done.stderr if done else ""))


def killed():
    for transport in transports():
        with tempfile.TemporaryDirectory() as folder:
            if transport == "presto":
                mpirun(folder, 3, transport, ["hooks_stall", "killed"], option=False)
            else:
                mpirun(folder, 3, transport, ["hooks_stall", "killed"])
            files = glob.glob(folder + "/apelink-hooks.*")
            if len(files) != 3:
                fail("%s: %d records are left of 3" % (transport, len(files)))
                continue
            number = files[0].rsplit(".", 2)[1]
            done = report(folder, "--why", number)
            if done.returncode != 0 or "Rank 2 ended without MPI_Finalize, while it waited for a message of rank 0" \
                    not in done.stdout or "Rank 1 ended without MPI_Finalize, and not in MPI" not in done.stdout:
                fail("%s: %s%s" % (transport, done.stdout, done.stderr))
            text = report(folder, number)
            if text.returncode != 0 or "did not come to MPI_Finalize" not in text.stdout:
                fail("%s: %s%s" % (transport, text.stdout, text.stderr))
            if report(folder, "--clean").returncode != 0 or glob.glob(folder + "/apelink-hooks.*"):
                fail("%s: --clean leaves records" % transport)


def field_place(data, name):
    """Where a number of the head is in a record, by the description that it carries."""
    return int(re.search(rb"field %s U64 (\d+) 1\n" % name.encode(), bytes(data)).group(1))


def make_old(path):
    """Have a record be of a process that began two days ago."""
    with open(path, "r+b") as file:
        data = file.read(16384)
        file.seek(field_place(data, "start_seconds"))
        seconds = int.from_bytes(file.read(8), "little")
        file.seek(-8, os.SEEK_CUR)
        file.write((seconds - 2 * 24 * 3600).to_bytes(8, "little"))


def stale():
    """A job that lasts longer than a moment removes old records of dead processes, no recent ones."""
    transport = transports()[-1]
    with tempfile.TemporaryDirectory() as folder:
        params = {"option": False} if transport == "presto" else {}
        mpirun(folder, 3, transport, ["hooks_stall", "killed"], **params)
        left = sorted(glob.glob(folder + "/apelink-hooks.*"))
        if len(left) != 3:
            fail("%d records are left of 3" % len(left))
            return
        make_old(left[1])
        code, _, errors = mpirun(folder, 3, transport, ["hooks_stall", "trickle", "3"])
        found = sorted(glob.glob(folder + "/apelink-hooks.*"))
        if code != 0 or found != [left[0], left[2]]:
            fail("exit code %s, left of %s: %s: %s" % (code, left, found, errors))


def peers():
    """The record of a rank that has talked to 64 others takes at most 512 KiB."""
    with tempfile.TemporaryDirectory() as folder:
        mpirun(folder, 65, "presto", ["hooks_stall", "peers"], option=False)
        files = glob.glob(folder + "/apelink-hooks.*.0")
        size = os.stat(files[0]).st_blocks * 512 if len(files) == 1 else None
        known = report(folder, "--json", files[0].rsplit(".", 2)[1]).stdout if size else ""
        talked = [len(rank["peers"]) for rank in json.loads(known)["ranks"] if rank["rank"] == 0] if known else []
        if size is None or size > 512 * 1024 or talked != [64]:
            fail("records %s, bytes %s, peers %s" % (files, size, talked))


def kept():
    """With Presto prestorun writes the file if the ranks cannot."""
    with tempfile.TemporaryDirectory() as folder:
        code, _, errors = mpirun(folder, 3, "presto", ["hooks_stall", "killed"])
        if code == 0 or os.listdir(folder) != ["hooks.json"]:
            fail("exit code %s, files %s: %s" % (code, os.listdir(folder), errors))
            return
        done = report(folder, os.path.join(folder, "hooks.json"))
        if done.returncode != 0 or "did not come to MPI_Finalize" not in done.stdout or len(read(folder)["ranks"]) != 3:
            fail("%s%s" % (done.stdout, done.stderr))
    with tempfile.TemporaryDirectory() as folder:
        code, _, errors = mpirun(folder, 2, "presto", ["hooks_inter", "die"])
        if code == 0 or sorted(os.listdir(folder)) != ["hooks.json", "hooks.json.1"]:
            fail("later, exit code %s, files %s: %s" % (code, os.listdir(folder), errors))
        elif [len(job["ranks"]) for job in read_jobs(folder)] != [2, 3]:
            fail("later: %s" % [len(job["ranks"]) for job in read_jobs(folder)])


def damaged():
    sys.path.insert(0, os.path.join(SOURCE, "pml_hooks"))
    sys.dont_write_bytecode = True
    from reportlib import records, text, waits  # pylint: disable=import-outside-toplevel,import-error

    def read_all(data):
        """Whether the record could be read; whatever else than a refusal comes is a defect."""
        try:
            rank = records.parse_raw(data, "record")
        except records.BadRecord:
            return False
        rank.update(alive=True, stopped=False, age=1.0)
        job = {"job": rank["job"], "size": 2, "ranks": [rank]}
        text.report(job)
        waits.verdict(job)
        return True

    with tempfile.TemporaryDirectory() as folder:
        mpirun(folder, 3, "vader", ["hooks_stall", "killed"])
        with open(sorted(glob.glob(folder + "/apelink-hooks.*"))[0], "rb") as file:
            data = bytearray(file.read(160 * 1024))
        if not read_all(bytes(data)):
            fail("a good record is refused")
        draw = random.Random(7)
        ends = [*range(0, 9000, 61), *(draw.randrange(len(data)) for _ in range(60))]
        read = sum(read_all(bytes(data[:end])) for end in ends)
        for _ in range(150):
            changed = bytearray(data)
            for _ in range(draw.randrange(1, 20)):
                changed[draw.randrange(draw.choice((1024, 8192, len(data))))] = draw.randrange(256)
            read += read_all(bytes(changed))
        print("damaged: %d of %d records could be read" % (read, len(ends) + 150))
    with tempfile.TemporaryDirectory() as folder:
        mpirun(folder, 2, "vader", ["hooks_count"])
        with open(os.path.join(folder, "hooks.json"), "rb") as file:
            data = file.read()
        path = os.path.join(folder, "cut.json")
        for number, end in enumerate(range(0, len(data) - 3, max(1, len(data) // 97))):
            with open(path, "wb") as file:
                file.write(data[:end])
            try:
                records.read(path)
                refusal = "it is read"
            except records.BadRecord as error:
                refusal = str(error)
            # What the program makes of a refusal is the same for all.
            done = report(folder, path) if number % 32 == 0 else None
            if "is not a complete file of JSON" not in refusal or (done and (done.returncode != 1 or refusal not in done.stderr)):
                fail("JSON of %d bytes: %s; %s" % (end, refusal, done))
                break


def switch():
    ways = (["variable", "on"], ["signal", "on"], ["variable", "off"], ["variable", "on", "threads"])
    for transport in transports():
        for way in ways:
            with tempfile.TemporaryDirectory() as folder:
                code, output, errors = mpirun(folder, 3, transport, ["hooks_switch", *way], record=way[1], signal="USR1")
                if code != 0:
                    fail("%s, %s: exit code %s: %s" % (transport, way, code, errors[-600:]))
                    continue
                job, expected = read(folder), counted(output)
                check_counts("%s, %s" % (transport, way), expected, recorded(job))
                check_sizes(transport, job)
                peer = next(peer for peer in job["ranks"][0]["peers"] if peer["rank"] == 1)
                if peer["late_sender_ticks"] < 0.5:
                    fail("%s, %s: rank 1 sends late by %g s" % (transport, way, peer["late_sender_ticks"]))
    with tempfile.TemporaryDirectory() as folder:
        code, _, errors = mpirun(folder, 3, "vader", ["hooks_stall", "late"], signal="USR3")
        if code != 0 or "pml_hooks_signal: USR3 is none of" not in errors or "-mca pml_hooks_signal USR1\n---" not in errors:
            fail("no such signal: exit code %s: %s" % (code, errors))


def queues():
    for transport in transports():
        with tempfile.TemporaryDirectory() as folder:
            code, _, errors = mpirun(folder, 2, transport, ["hooks_queues"])
            if code != 0:
                fail("%s: exit code %s: %s" % (transport, code, errors[-600:]))
                continue
            found = {key: value for key, value in read(folder)["ranks"][0].items()
                     if re.search("queue|_sum|samples", key)}
            text = report(folder, os.path.join(folder, "hooks.json")).stdout
        for kind in ("posted", "unexpected"):
            # An interface that matches has a receive of its own for each of so many peers, and the program one at a time.
            greatest, now = found[kind + "_queue_greatest"], found[kind + "_queue_now"]
            if not 40 <= greatest <= 50 or now > 10:
                fail("%s: %s: %s" % (transport, kind, found))
            if not 0.1 * greatest < found[kind + "_sum"] / found["samples"] < 0.9 * greatest:
                fail("%s: %s on average: %s" % (transport, kind, found))
            if kind + " queue mean" not in text:
                fail("%s: the report does not tell it: %s" % (transport, text))


def read_jobs(folder):
    """The records of all jobs."""
    jobs = []
    for path in sorted(glob.glob(folder + "/hooks.*")):
        with open(path, encoding="utf-8") as file:
            jobs.append(json.load(file))
    return jobs


def by_name(jobs):
    """The same as recorded, of several jobs by their letters, the older one first: by (name, name)."""
    letters = {job["job"]: letter for job, letter in zip(sorted(jobs, key=lambda job: job["job"]), "ab")}
    found = {}
    for job in jobs:
        for rank in job["ranks"]:
            for peer in rank["peers"]:
                numbers = (peer["sent"][0], peer["sent_bytes"][0], peer["received"][0], peer["received_bytes"][0])
                if any(numbers):
                    found["%s%d" % (letters[job["job"]], rank["rank"]),
                          "%s%d" % (letters[peer["job"]], peer["rank"])] = numbers
    return found


def inter():
    for transport in transports():
        with tempfile.TemporaryDirectory() as folder:
            # vader alone does not reach other jobs.
            more = ["--mca", "btl", "vader,tcp,self"] if transport == "vader" else []
            # Presto's prestorun gives the file of a later job another name by itself.
            name = "hooks.json" if transport == "presto" else "hooks.%j.json"
            code, output, errors = mpirun(folder, 2, transport, ["hooks_inter"], more, output=os.path.join(folder, name))
            jobs = read_jobs(folder)
        expected = {(match[0], match[1]): tuple(int(number) for number in match[2:]) for match in
                    re.findall(r"count (\w+) (\w+) (\d+) (\d+) (\d+) (\d+)", output)}
        if code != 0 or len(jobs) != 2 or len(expected) < 20:
            fail("%s: exit code %s, %d records, %d pairs: %s" % (transport, code, len(jobs), len(expected), errors[-600:]))
            continue
        found = by_name(jobs)
        for one, other in re.findall(r"leaders (\w+) (\w+)", output):
            # What both have in addition, at most a few messages.
            more = [a - b for a, b in zip(found[one, other], expected[one, other])]
            if not 0 <= more[0] <= 8 or not 0 <= more[2] <= 8:
                fail("%s: %s and %s have %s more" % (transport, one, other, more))
            for pair, changed in (((one, other), more), ((other, one), more[2:] + more[:2])):
                expected[pair] = tuple(a + b for a, b in zip(expected[pair], changed))
        check_counts(transport, expected, found)


def overlap():
    for transport in transports():
        with tempfile.TemporaryDirectory() as folder:
            code, _, errors = mpirun(folder, 3, transport, ["hooks_stall", "ahead"])
            if code != 0:
                fail("%s: exit code %s: %s" % (transport, code, errors))
                continue
            rank = read(folder)["ranks"][0]
            span, ahead = rank["span_ticks"], rank["span_ticks"] - rank["span_wait_ticks"]
            # Four receives, each 0.2 s, of which 0.05 s are no waiting; a busy machine adds to both.
            if span < 0.76 or not 0.19 <= ahead <= 0.6 * span:
                fail("%s: %g s, of which %g s are no waiting" % (transport, span, ahead))


def has_component(framework, name):
    """Whether Open MPI has it."""
    done = subprocess.run(["ompi_info", "--parsable"], capture_output=True, text=True, timeout=LIMIT, check=False)
    return "mca:%s:%s:version" % (framework, name) in done.stdout


def ucx():
    if not has_component("pml", "ucx"):
        print("ucx: skipped: Open MPI has no pml ucx")
        return
    running.chosen.append("ucx")
    # There are variables of ob1, too, until MPI_T is finalised.
    with tempfile.TemporaryDirectory() as folder:
        code, output, errors = mpirun(folder, 2, "ucx", ["hooks_pvars", "early"])
        if code != 0 or output.split().count("good") != 2:
            fail("ucx: variables: exit code %s: %s" % (code, errors[-600:]))
    count()
    switch()
    late()
    with tempfile.TemporaryDirectory() as folder:
        code, _, errors = mpirun(folder, 2, "ucx", ["hooks_queues"])
        rank = read(folder)["ranks"][0] if code == 0 else {}
        if code != 0 or rank["pml"] != "ucx" or rank["samples"] or rank["posted_queue_now"] != 2 ** 64 - 1 or \
                "Not known: what carries the messages does not tell." not in report(folder, os.path.join(folder, "hooks.json")).stdout:
            fail("ucx: queues: exit code %s: %s" % (code, errors[-600:]))
    running.chosen.clear()


def chained():
    if not has_component("pml", "monitoring"):
        print("chained: skipped: Open MPI has no pml monitoring")
        return
    for transport in transports():
        with tempfile.TemporaryDirectory() as folder:
            more = ["--mca", "pml", TRANSPORTS[transport][1] + ",monitoring", "--mca", "pml_monitoring_enable", "2", "--mca", "pml_monitoring_enable_output", "3",
                    "--mca", "pml_monitoring_filename", os.path.join(folder, "below")]
            code, output, errors = mpirun(folder, 3, transport, ["hooks_count"], more)
            if code != 0:
                fail("%s: exit code %s: %s" % (transport, code, errors[-600:]))
                continue
            expected, below, on_top = counted(output), {}, 0
            if not expected or recorded(read(folder)) != expected:
                fail("%s: counted %s and recorded %s" % (transport, expected, recorded(read(folder))))
            for path in glob.glob(folder + "/below.*.prof"):
                with open(path, encoding="utf-8") as file:
                    text = file.read()
                on_top += sum(map(int, re.findall(r"^A2A\t\d+\t\d+ bytes\t(\d+) msgs", text, re.M)))
                for rank, peer, size, messages in re.findall(r"E\t(\d+)\t(\d+)\t(\d+) bytes\t(\d+) msgs", text):
                    below[int(rank), int(peer)] = (int(messages), int(size))
            sent = {pair: numbers[:2] for pair, numbers in expected.items() if numbers[0]}
            # Over pml cm it takes persistent requests for others, and leaves them out.
            good = all(below.get(pair, (0, 0)) <= numbers for pair, numbers in sent.items()) if transport == "match" else below == sent
            if not below or not good or not on_top:
                fail("%s: sent %s and counted below %s; collectives on top: %d" % (transport, sent, below, on_top))


def device():
    library = os.path.join(BUILD, "tests/hooks/.libs/cuda_like.so")
    for transport in transports():
        for policy in ("pass", "refuse"):
            with tempfile.TemporaryDirectory() as folder:
                code, output, errors = mpirun(folder, 2, transport, ["hooks_device", library, policy],
                                              device=policy, device_library=library)
                if code != 0 or output.split() != ["good", "good"]:
                    fail("%s, %s: exit code %s: %s%s" % (transport, policy, code, output, errors[-600:]))
                    continue
                ranks = read(folder)["ranks"]
            # Two messages each: of 1000 and 3000 bytes from the device, of 3000 and 4000 to it.
            sends = {size: n for size, n in enumerate(ranks[0]["device_sends_by_size"]) if n}
            receives = {size: n for size, n in enumerate(ranks[1]["device_receives_by_size"]) if n}
            refused = [rank["device_refused"] for rank in ranks]
            if sends != {10: 2, 12: 2} or receives != {12: 4} or refused != ([4, 4] if policy == "refuse" else [0, 0]):
                fail("%s, %s: sends %s, receives %s, refused %s" % (transport, policy, sends, receives, refused))
            if ("which is memory of a GPU: take pml_hooks_device stage" in errors) != (policy == "refuse"):
                fail("%s, %s: it says %s" % (transport, policy, errors))
        with tempfile.TemporaryDirectory() as folder:
            code, output, errors = mpirun(folder, 2, transport, ["hooks_staged", library], device="stage", device_library=library)
            if code != 0 or output.split() != ["good", "good"]:
                fail("%s, stage: exit code %s: %s%s" % (transport, code, output[:600], errors[-600:]))
                continue
            for rank in read(folder)["ranks"]:
                messages = sum(rank["device_sends_by_size"]) + sum(rank["device_receives_by_size"])
                if rank["device_staged"] != messages or messages < 30 or rank["device_refused"] != 0:
                    fail("%s, stage: %d of %d messages" % (transport, rank["device_staged"], messages))
    for params, text in (({"device": "keep"}, "pml_hooks_device: keep is none of pass, stage and refuse"),
                         ({"device": "pass", "device_library": "/no/such.so"}, "/no/such.so: cannot open shared object file")):
        with tempfile.TemporaryDirectory() as folder:
            code, _, errors = mpirun(folder, 2, "vader", ["hooks_pvars"], **params)
            if text not in errors or (code == 0) != ("device_library" in params):
                fail("%s: exit code %s: %s" % (params, code, errors))


def late():
    for transport in transports():
        with tempfile.TemporaryDirectory() as folder:
            code, _, errors = mpirun(folder, 3, transport, ["hooks_stall", "late"])
            if code != 0:
                fail("%s: exit code %s: %s" % (transport, code, errors))
                continue
            sums = {}
            for rank in read(folder)["ranks"]:
                for peer in rank["peers"]:
                    sums[rank["rank"], peer["rank"]] = peer["late_sender_ticks"]
            whole = sum(sums.values())
            # Rank 1 sends to rank 0 a second late in all, and nobody else is late. A busy machine adds to it, or
            # has rank 0 begin to wait late, too, and its answers be late.
            if sums.get((0, 1), 0) < 0.5 or sums[0, 1] < 0.6 * whole:
                fail("%s: lateness by (rank, peer): %s" % (transport, sums))
        with tempfile.TemporaryDirectory() as folder:
            code, _, errors = mpirun(folder, 3, transport, ["hooks_stall", "begun"])
            if code != 0:
                fail("%s: exit code %s: %s" % (transport, code, errors))
                continue
            peer = next(peer for peer in read(folder)["ranks"][0]["peers"] if peer["rank"] == 1)
            if peer["late_receiver_ticks"] < 0.5 or peer["late_receiver_known"] < 20:
                fail("%s: rank 1 receives late by %g s in %d waits, %d are not known" % (
                    transport, peer["late_receiver_ticks"], peer["late_receiver_known"], peer["late_receiver_unknown"]))


def main():
    names = (count, inter, switch, queues, device, overlap, ucx, chained, stalls, healthy, hosts, killed, kept, peers, stale, damaged, late)
    checks = {check.__name__: check for check in names}
    if not run_check(checks):
        sys.exit(__doc__)
    sys.exit(1 if running.failures else 0)


if __name__ == "__main__":
    main()
