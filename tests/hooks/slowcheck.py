#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Of programs that are slow and healthy pml_hooks says nothing; where a rank computes for longer than pml_hooks_hang_s while another waits for it
that is said once, with the table of all ranks, and the program goes on."""
import concurrent.futures
import re
import sys
import tempfile

sys.dont_write_bytecode = True

import running as hooks  # pylint: disable=wrong-import-position

WAYS = ("ring", "turns", "farm", "polled", "probed", "taken-late", "again", "drop-by-drop", "bulk", "threads", "split", "last", "stop-and-go")
AT_ONCE = 4  # they mostly sleep
SECONDS, HANG_S = 7, 4

# What is printed of "pause": a line for each rank, and the reason.
PAUSE = [
    r"pml_hooks: nothing has completed on \S+ for \d+ s \(pml_hooks_hang_s\):",
    r"rank +host +pid +does +peer +tag +comm +bytes +since",
    r"0 +\S+ +\d+ +recv +1 +3 +0 +4 +[\d.]+ s",
    r"1 +\S+ +\d+ +not in MPI +- +- +- +- +[\d.]+ s",
    r"2 +\S+ +\d+ +finalize +- +- +- +\S+ +[\d.]+ s",
    r"Rank 0 waits for a message of rank 1, tag 3, communicator 0: rank 1 has not sent it: it is not in MPI, since [\d.]+ s\.",
]


def healthy(way, transport):
    """What is wrong, or None."""
    with tempfile.TemporaryDirectory() as folder:
        code, _, errors = hooks.mpirun(folder, 3, transport, ["hooks_slow", way, str(SECONDS)], hang_s=HANG_S)
    return None if code == 0 and "pml_hooks" not in errors else "%s, %s: exit code %s: %s" % (transport, way, code, errors)


def goes_on(transport):
    with tempfile.TemporaryDirectory() as folder:
        code, _, errors = hooks.mpirun(folder, 3, transport, ["hooks_slow", "pause", str(SECONDS)], hang_s=2)
        found = [line for line in errors.splitlines() if line.strip()]
        wrong = [want for want in PAUSE if sum(re.fullmatch(want, line.strip()) is not None for line in found) != 1]
        if code != 0 or wrong:
            hooks.fail("%s, pause: exit code %s, not said once: %s in:\n%s" % (transport, code, wrong, errors))
        elif hooks.read(folder)["ranks"][0]["end_stamp"] is None:
            hooks.fail("%s, pause: its record has no end" % transport)


if __name__ == "__main__":
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        for said in pool.map(lambda one: healthy(*one), hooks.turns(WAYS)):
            if said:
                hooks.fail(said)
    for _, one in hooks.turns(("pause",)):
        goes_on(one)
    sys.exit(1 if hooks.failures else 0)
