#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs programs with faults and looks at what pml_hooks makes of them. One argument, the name of a check:

  errors     the nth call returns the error, through the communicator's error handler
  truncated  a receive that there is no room for, blocking and not
  delayed    delays are done and recorded
  reordered  a later message to another peer arrives first, and each pair keeps its order
  unreceived a message that is held back and that nobody receives does not keep MPI_Finalize from its end
  stops      a rank stops until SIGCONT, or dies, at the nth message
  ends       who has died, by what, and who waits for it, is said before the job is ended
  goes-on    where mpirun lets them live, the others get errors and go on
  survives   the same for each way to wait for the dead
  living     a receive from any source that a living rank has begun to serve is let be
  seeds      the same seed gives the same faults, another one others
  wrong      a wrong schedule ends the job with a sentence that names what is wrong
"""
import glob
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
import running  # pylint: disable=wrong-import-position
from running import fail, mpirun, read, report, transports  # pylint: disable=wrong-import-position

KINDS = ("delay", "error", "reorder", "truncate", "stop", "die")


def ring(transport, folder, rules, *words, ranks=3, **params):
    return mpirun(folder, ranks, transport, ["hooks_faults", "ring", *words], inject=rules, **params)


def faults(folder):
    """(rank, kind, rule, peer, tag, number, value) of each fault in the record."""
    return [(rank["rank"], KINDS[entry["kind"]], entry["rule"], entry["peer"], entry["tag"], entry["number"], entry["value"])
            for rank in read(folder)["ranks"] for entry in rank["faults"]]


def told(output):
    """What hooks_faults has told: (rank, call, round, class)."""
    return sorted((int(a), b, int(c), int(d)) for a, b, c, d in re.findall(r"^error (\d+) (\w+) (\d+) (\d+)$", output, re.M))


def expect(what, found, expected):
    if found != expected:
        fail("%s: %s, and not %s" % (what, found, expected))


def healthy(what, code, output, errors):
    """Whether a run ended well."""
    if code != 0 or "FAILED" in output:
        fail("%s: exit code %s: %s%s" % (what, code, output[-600:], errors[-600:]))
        return False
    return True


OTHER, NO_MEM, TRUNCATE = 16, 39, 15  # classes of errors in Open MPI's mpi.h
RECV = 2  # of the kinds of calls


def errors_():
    rules = "error@rank=0,op=send,nth=4;error=MPI_ERR_NO_MEM@rank=1,op=recv,nth=2"
    for transport in transports():
        with tempfile.TemporaryDirectory() as folder:
            code, output, errors = ring(transport, folder, rules)
            if not healthy(transport, code, output, errors):
                continue
            expect(transport, told(output), [(0, "send", 3, OTHER), (1, "recv", 1, NO_MEM)])
            expect(transport + ", recorded", faults(folder), [(0, "error", 1, 1, 5, 4, OTHER), (1, "error", 2, 0, 5, 2, NO_MEM)])
            expect(transport + ", said", sorted(re.findall(r"rank (\d): 1 faults were injected \(error 1; pml_hooks_seed 1\)", errors)),
                   ["0", "1"])
            text = report(folder, os.path.join(folder, "hooks.json"))
            if "2 errors" not in text.stdout or "rule 2" not in text.stdout:
                fail("%s: the report does not tell of the errors: %s%s" % (transport, text.stdout, text.stderr))
            # The ninth is a persistent one, its third.
            code, output, errors = ring(transport, folder, "error@rank=2,op=send,nth=9")
            if healthy(transport, code, output, errors):
                expect(transport, told(output), [(2, "send", 8, OTHER)])
            code, _, errors = ring(transport, folder, "error@rank=0,op=send,nth=4", "fatal")
            if code in (0, None):
                fail("%s: with MPI_ERRORS_ARE_FATAL the exit code is %s: %s" % (transport, code, errors))


def truncated():
    for transport in transports():
        with tempfile.TemporaryDirectory() as folder:
            code, output, errors = ring(transport, folder, "truncate=8@rank=1,nth=4;truncate@rank=2,nth=5")
            if healthy(transport, code, output, errors):
                expect(transport, told(output), [(1, "recv", 3, TRUNCATE), (2, "recv", 4, TRUNCATE)])
                expect(transport, [rank["receives_truncated"] for rank in read(folder)["ranks"]], [0, 1, 1])


def delayed():
    for transport in transports():
        with tempfile.TemporaryDirectory() as folder:
            code, output, errors = ring(transport, folder, "delay=50ms@rank=1,op=send,every=4")
            if healthy(transport, code, output, errors):
                expect(transport, faults(folder), [(1, "delay", 1, 2, 5, n, 50000000) for n in (4, 8, 12, 16, 20)])
                waited = sum(peer["receive_wait_ticks"] for peer in read(folder)["ranks"][2]["peers"] if peer["rank"] == 1)
                if waited < 0.2:
                    fail("%s: rank 2 has waited for rank 1 %s s" % (transport, waited))


def reordered():
    for transport in transports():
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "received")
            for rules, first in ("delay=0us@nth=1", "0"), ("reorder=2@rank=0,nth=1", "2"):
                code, output, errors = mpirun(folder, 3, transport, ["hooks_faults", "overtaken", file], inject=rules)
                os.unlink(file)
                if healthy(transport, code, output, errors):
                    expect("%s, %s" % (transport, rules), re.findall(r"^first (\d)$", output, re.M), [first])
            expect(transport, faults(folder), [(0, "reorder", 1, 1, 1, 1, 2)])
            code, output, errors = ring(transport, folder, "reorder@chance=0.5,of=any;delay=1ms@chance=0.2", ranks=4)
            healthy(transport, code, output, errors)


def unreceived():
    for transport in transports():
        with tempfile.TemporaryDirectory() as folder:
            code, output, errors = mpirun(folder, 2, transport, ["hooks_faults", "unreceived"], inject="reorder@rank=0,nth=1")
            if healthy(transport, code, output, errors) and "rank 0: 1 messages that pml_hooks_inject has held back" not in errors:
                fail("%s: it does not say that the message is given up: %s" % (transport, errors))


def stops():
    for transport in transports():
        with tempfile.TemporaryDirectory() as folder:
            code, _, errors = ring(transport, folder, "die@rank=1,nth=7")
            if code == 0 or not re.search(r"rank 1 \(pid \d+\) is killed: rule 1 of pml_hooks_inject, operation 7", errors):
                fail("%s: exit code %s: %s" % (transport, code, errors))
            left = glob.glob(folder + "/apelink-hooks.*")
            done = report(folder, left[0].rsplit(".", 2)[1]) if left else None
            if done is None or "1 die" not in done.stdout:
                fail("%s: the record does not tell of the death: %s" % (transport, done))
        with tempfile.TemporaryDirectory() as folder:
            stopped(transport, folder)


def stopped(transport, folder):
    """A rank stops; when it has, it is told to go on."""
    log = os.path.join(folder, "log")
    with open(log, "w", encoding="utf-8") as file:
        words = running.words_of(folder, 3, transport, ["hooks_faults", "ring"], inject="stop@rank=1,nth=7")
        with subprocess.Popen(words, stdout=file, stderr=file) as process:
            end = time.monotonic() + running.LIMIT
            while process.poll() is None and time.monotonic() < end:
                with open(log, encoding="utf-8") as text:
                    found = re.search(r"rank 1 \(pid (\d+)\) stops", text.read())
                if found and running.is_stopped(int(found.group(1))):
                    os.kill(int(found.group(1)), signal.SIGCONT)
                    break
                time.sleep(0.01)
            try:
                code = process.wait(running.LIMIT)
            except subprocess.TimeoutExpired:
                process.kill()
                code = None
    if code != 0:
        with open(log, encoding="utf-8") as text:
            fail("%s: stop: exit code %s: %s" % (transport, code, text.read()))
    else:
        expect(transport, [entry[:2] for entry in faults(folder)], [(1, "stop")])


# Where Open MPI ends the job, it gives the others this many seconds twice: enough on a busy machine, too.
PATIENCE = ("--mca", "odls_base_sigkill_timeout", "3")

WAY_TO_END = {
    "kill": "not in MPI;",
    "fault": r"not in MPI, by signal 11 \(Segmentation fault\);",
    "exit": "not in MPI, by exit;",
    "abort": None,
}


# What the record of the dead says of its end: a signal, where it could note it, or 1000 and 1001.
ENDED_BY = {"kill": 0, "fault": 11, "exit": 1000, "abort": 1001}


def last_calls(folder, what, ended_by):
    """The record of who has ended without MPI_Finalize is there, with its last call, and the report shows it."""
    left = sorted(glob.glob(folder + "/apelink-hooks.*"))
    number = left[0].rsplit(".", 2)[1] if left else "0"
    done = report(folder, "--json", number)
    ranks = {rank["rank"]: rank for rank in json.loads(done.stdout)["ranks"]} if done.returncode == 0 else {}
    call = ranks[1]["calls"][0] if 1 in ranks else {}
    if len(left) != 3 or call.get("kind") != RECV or call.get("peer") != 2 or call.get("tag") != 1 or ranks[1]["ended_by"] != ended_by:
        fail("%s: of three records %d are left, the last call is %s: %s" % (what, len(left), call, done.stderr))
    elif ranks[1]["death_seen"] is not None and not 0.45 <= ranks[1]["death_seen"] - call["since"] <= running.LIMIT:
        fail("%s: its death was seen %g s after its last call, half a second after which it has ended" % (
            what, ranks[1]["death_seen"] - call["since"]))
    if "did not come to MPI_Finalize" not in report(folder, number).stdout:
        fail("%s: the report does not say who did not come to MPI_Finalize" % what)


def ends():
    for way, transport in running.turns(WAY_TO_END):
        with tempfile.TemporaryDirectory() as folder:
            code, _, errors = mpirun(folder, 3, transport, ["hooks_faults", "ends", way, "fatal"], PATIENCE)
            last_calls(folder, "%s, %s" % (transport, way), ENDED_BY[way])
        said = re.findall(r"pml_hooks: rank .* has ended.*", errors)
        if WAY_TO_END[way] is None:
            expect("%s, %s" % (transport, way), said, [])
            continue
        expected = r"pml_hooks: rank 1 \(pid \d+ on [^ ]+\) has ended without MPI_Finalize, %s waiting for it: (.*)" % WAY_TO_END[way]
        found = re.fullmatch(expected, said[0]) if len(said) == 1 else None
        if code == 0 or not found or "rank 0 in recv (rank 1, tag 2)" not in found.group(1) \
                or "rank 2 in recv (any rank)" not in found.group(1):
            fail("%s, %s: exit code %s, said: %s, in: %s" % (transport, way, code, said, errors))


def end(job):
    """End mpirun and its ranks."""
    with open("/proc/%d/task/%d/children" % (job.pid, job.pid), encoding="ascii") as file:
        pids = [int(word) for word in file.read().split()]
    for pid in pids + [job.pid]:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    job.wait()


def run_recovered(folder, transport, command, goes_on_at, options=()):
    """(exit code, output, errors) of a job of which a rank is killed. Open MPI 4.1.4 may leave those who live in MPI_Finalize for good, where they
    wait for its own barrier: then the code is None, once both have said what `goes_on_at` matches and the record is there."""
    words = running.words_of(folder, 3, transport, command, ("--enable-recovery", *options))
    name = os.path.join(folder, "output")
    with open(name, "wb") as file, open(name + "2", "wb") as errors:
        with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=file, stderr=errors) as job:
            last = time.monotonic() + running.LIMIT
            while job.poll() is None and time.monotonic() < last:
                time.sleep(0.2)
                with open(name, encoding="utf-8", errors="replace") as output:
                    if len(re.findall(goes_on_at, output.read(), re.M)) == 2 and os.path.exists(os.path.join(folder, "hooks.json")):
                        last = min(last, time.monotonic() + 20)
            code = job.poll()
            if code is None:
                end(job)
    with open(name, encoding="utf-8", errors="replace") as output, open(name + "2", encoding="utf-8", errors="replace") as errors:
        return code, output.read(), errors.read()


def goes_on():
    """Where mpirun lets the others live: errors are returned, MPI_ANY_SOURCE is told, and the record is whole."""
    for transport in transports():
        with tempfile.TemporaryDirectory() as folder:
            code, output, errors = run_recovered(folder, transport, ["hooks_faults", "ends", "kill"], r"^error \d+ recv")
            if code not in (0, None) or "FAILED" in output:
                fail("%s, goes on: exit code %s: %s%s" % (transport, code, output[-600:], errors[-600:]))
                continue
            expect(transport, told(output), [(0, "recv", 0, OTHER), (2, "recv", 0, OTHER)])
            expect(transport, [rank["state"] for rank in read(folder)["ranks"]], [2, 1, 2])


# What hooks_survive tells of, in the order in which either of those who live does.
WAYS_TO_WAIT = ["irecv", "any source", "issend", "long isend", "persistent", "waitall", "waitany", "waitsome", "recv", "send", "ssend", "probe",
                "mprobe", "iprobe", "sendrecv", "ibarrier", "any source, blocking", "long mrecv", "long recv"]


def survives():
    """Each way to wait for the dead ends with an error. (A nonblocking collective operation ends the job over match, which says why.)"""
    for transport in transports():
        for way in ("few",) if "match" in transport else ("all", "threads"):
            survives_over(transport, way)


def survives_over(transport, way):
    over_ob1, what = way != "few", "%s, %s" % (transport, way)
    expected = [name for name in WAYS_TO_WAIT if over_ob1 or name != "ibarrier"] + ["wait of a thread"] * (way == "threads")
    with tempfile.TemporaryDirectory() as folder:
        code, output, errors = run_recovered(folder, transport, ["hooks_survive", way], r"^goes on \d")
        classes = dict(re.findall(r"^told (.*) (\d+)$", output, re.M))
        expect(what + ", told", sorted(classes), sorted(expected))
        wrong = [name for name, number in classes.items() if number == "0" or over_ob1 and int(number) != OTHER]
        if code not in (0, None) or "FAILED" in output or len(re.findall("^goes on", output, re.M)) != 2 or wrong:
            fail("%s, survives: exit code %s, wrong: %s: %s%s" % (what, code, wrong, output[-2000:], errors[-600:]))
            return
        expect(what, [rank["state"] for rank in read(folder)["ranks"]], [2, 1, 2])
        expect(what, [rank["deaths"] for rank in read(folder)["ranks"]][::2], [1, 1])
        if over_ob1:
            left = [entry for entry in read(folder)["ranks"][0]["pending"] if entry["kind"] != 0]
            expect(what + ", under way in the end", left, [])


def living():
    """What a living rank has begun to send comes whole, also where its sender has to do it itself (vader without a copy by the kernel)."""
    for transport in transports():
        with tempfile.TemporaryDirectory() as folder:
            code, output, errors = run_recovered(folder, transport, ["hooks_survive", "living"], r"^goes on \d",
                                                 ("--mca", "btl_vader_single_copy_mechanism", "none"))
            classes = dict(re.findall(r"^told (.*) (\d+)$", output, re.M))
            if code not in (0, None) or "FAILED" in output or len(re.findall("^goes on", output, re.M)) != 2 or "0" in classes.values():
                fail("%s, living: exit code %s: %s: %s%s" % (transport, code, classes, output[-2000:], errors[-600:]))
                continue
            expect(transport + ", told", sorted(classes), ["any source, of the dead", "recv"])


def seeds():
    found = []
    for transport in transports():
        for seed in 5, 5, 6:
            with tempfile.TemporaryDirectory() as folder:
                code, output, errors = ring(transport, folder, "error@chance=0.2;delay=1ms@chance=0.1", seed=seed)
                if healthy(transport, code, output, errors):
                    found.append((seed, sorted(faults(folder))))
    for seed, entries in found:
        expect("seed %d" % seed, entries == found[0][1], seed == found[0][0])
    if not found[0][1]:
        fail("no faults with seed 5")


def wrong():
    with tempfile.TemporaryDirectory() as folder:
        for rules, named, params in (("delai=1ms@nth=1", "pml_hooks_inject: 'delai' is no action", {}),
                                     ("delay=1ms@nth=1", "pml_hooks_enable 1", {"enable": 0})):
            code, _, errors = ring("vader", folder, rules, **params)
            if code in (0, None) or named not in errors:
                fail("%s: exit code %s: %s" % (rules, code, errors))


CHECKS = {"errors": errors_, "truncated": truncated, "delayed": delayed, "reordered": reordered, "unreceived": unreceived, "stops": stops, "ends": ends, "goes-on": goes_on, "survives": survives, "living": living, "seeds": seeds,
          "wrong": wrong}


def main():
    if not running.run_check(CHECKS):
        sys.exit(__doc__)
    sys.exit(1 if running.failures else 0)


if __name__ == "__main__":
    main()
