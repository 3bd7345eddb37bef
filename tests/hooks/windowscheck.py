#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What pml_hooks says of one-sided communication: each way in which hooks_windows stops gets its verdict, and a healthy
program none, whose calls of windows are counted. Some of the ways are for APELINK_TEST_ALL=yes."""
import os
import re
import sys
import tempfile

sys.dont_write_bytecode = True

import running as hooks  # pylint: disable=wrong-import-position

WINDOW = r"\(window 2 of communicator 0\), since [\d.]+ s: "
# What each way to stop must be told as.
VERDICTS = {
    "fence": r"0  +\S+ +\d+ +win_fence \(window 2\).*Rank 0 is in MPI_Win_fence " + WINDOW + "rank 2 is not in MPI",
    "lock": r"Rank 0 is in MPI_Win_(lock|unlock|flush) of rank 1 " + WINDOW +
            r"rank 2 has locked rank 1 there, since [\d.]+ s, and is not in MPI",
    "cross": r"Deadlock: rank 0 waits for rank 2 in window 2 of communicator 0, which rank 1 has locked; rank 1 waits for rank 2 in "
             r"window 1 of communicator 0, which rank 0 has locked; and so on in a circle\..*"
             r"Rank 0 is in MPI_Win_(lock|unlock|flush) of rank 2 " + WINDOW + "rank 1 has locked rank 2 there, since",
    "free": r"Rank 0 is in MPI_Win_free " + WINDOW + "rank 1 is not in MPI",
    "wait": r"Rank 0 is in MPI_Win_wait \(window 2 of communicator 0\), since",
}


def stalls(ways):
    for way, transport in hooks.turns(ways):
        with tempfile.TemporaryDirectory() as folder:
            code, _, errors = hooks.mpirun(folder, 3, transport, ["hooks_windows", way], hang_s=2, hang_abort=1)
            if code is None or code == 0 or not re.search(VERDICTS[way], errors, re.DOTALL):
                hooks.fail("%s, %s: exit code %s, and no /%s/ in:\n%s" % (transport, way, code, VERDICTS[way], errors))


def healthy():
    for _, transport in hooks.turns(["healthy"]):
        with tempfile.TemporaryDirectory() as folder:
            code, _, errors = hooks.mpirun(folder, 3, transport, ["hooks_windows", "healthy", "3"], hang_s=2)
            if code != 0 or "pml_hooks" in errors:
                hooks.fail("%s: exit code %s: %s" % (transport, code, errors))
                continue
            ranks = hooks.read(folder)["ranks"]
            # Two of each of win_create and win_free and eight in the last part; each lock has its unlock.
            calls = [rank["window_calls"] for rank in ranks]
            if calls[2] != 10 or min(calls[:2]) < 20 or any(number % 2 for number in calls):
                hooks.fail("%s: calls of windows: %s" % (transport, calls))
            if any(entry["kind"] == 3 for rank in ranks for entry in rank["pending"]):
                hooks.fail("%s: a lock is held in the end" % transport)


if __name__ == "__main__":
    everything = os.environ.get("APELINK_TEST_ALL") == "yes"
    stalls(VERDICTS if everything else ("fence", "cross"))
    healthy()
    sys.exit(1 if hooks.failures else 0)
