# SPDX-License-Identifier: BSD-3-Clause
"""What the programs that look at reports share: a check that fails is printed and counted; the report as a program."""
import os
import subprocess
import sys

import make_record

REPORT = os.path.join(make_record.SOURCE, "pml_hooks", "report")

failures = 0


def expect(good, words):
    global failures
    if not good:
        failures += 1
        print("FAILED: " + words)


def report(*words):
    return subprocess.run([sys.executable, REPORT, *words], capture_output=True, text=True, timeout=300, check=False)


def finish():
    sys.exit(1 if failures else 0)
