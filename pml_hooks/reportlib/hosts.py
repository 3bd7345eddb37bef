# SPDX-License-Identifier: BSD-3-Clause
"""The records in memory of a job that has processes on several hosts."""

import os
import shlex
import subprocess

from . import records

PATIENCE_S = 60  # for all hosts together


class Elsewhere:
    """Other hosts, on each of which apelink-report is called by way of a launcher: LAUNCHER HOST WORD..., the words for
    a shell there. Or files, in which they have told it."""

    def __init__(self, program, names, launcher, files=()):
        self.program, self.names, self.launcher, self.files = program, names, shlex.split(launcher), files
        self.remarks = []

    def start(self, name, directory, number):
        words = [self.program, str(number), "--json", "--directory", directory]
        return subprocess.Popen([*self.launcher, name, *map(shlex.quote, words)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, errors="replace", env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})

    def ask(self, name, process):
        """The ranks on a host; none, and a remark, if it does not tell."""
        try:
            output, errors = process.communicate(timeout=PATIENCE_S)
            if process.returncode == 0:
                return records.from_text(output, name)["ranks"]
            reason = (errors.strip() or "exit status %d" % process.returncode).splitlines()[-1]
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            reason = "no answer for %d s" % PATIENCE_S
        except records.BadRecord as error:
            reason = str(error)
        self.remarks.append("%s: %s" % (name, reason))
        return []

    def ranks(self, directory, number):
        """Those on all of them, which are asked at the same time."""
        self.remarks = []
        try:
            started = [(name, self.start(name, directory, number)) for name in self.names]
        except OSError as error:
            raise records.BadRecord("cannot run %s: %s" % (self.launcher[0], error.strerror)) from error
        told = [rank for path in self.files for rank in records.read(path)["ranks"]]
        return told + [rank for name, process in started for rank in self.ask(name, process)]


def read_running(directory, number, elsewhere):
    """The records of a job here, and on other hosts if there are any to ask."""
    if elsewhere is None:
        return records.read_running(directory, number)
    found = {rank["rank"]: rank for rank in elsewhere.ranks(directory, number)}
    try:
        found.update({rank["rank"]: rank for rank in records.read_running(directory, number)["ranks"]})
    except records.BadRecord as error:
        if not found:
            raise records.BadRecord("; ".join([str(error), *elsewhere.remarks])) from error
    return records.as_job([found[rank] for rank in sorted(found)])
