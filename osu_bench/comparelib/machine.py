# SPDX-License-Identifier: BSD-3-Clause
"""What is known about the machine."""

import datetime
import os
import platform
import subprocess


def _read(path):
    try:
        with open(path, encoding="ascii", errors="replace") as stream:
            return stream.read().strip()
    except OSError:
        return ""


def cores(read=_read, allowed=None):
    """The first hardware thread of each core that this process may use, in ascending order."""
    if allowed is None:
        allowed = sorted(os.sched_getaffinity(0))
    seen, firsts = set(), []
    for cpu in allowed:
        topology = f"/sys/devices/system/cpu/cpu{cpu}/topology/"
        siblings = read(topology + "thread_siblings_list") or str(cpu)
        if siblings not in seen:
            seen.add(siblings)
            firsts.append(cpu)
    return firsts


def _processor():
    for line in _read("/proc/cpuinfo").splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def _first_line(words):
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=20)
        return (done.stdout or done.stderr).splitlines()[0]
    except (OSError, IndexError, subprocess.TimeoutExpired):
        return "not found"


def about(argv, core_list):
    """For the head of a report and the JSON file."""
    return {"date": datetime.datetime.now().astimezone().isoformat(timespec="seconds"),
            "command": argv, "processor": _processor(), "cores": list(core_list),
            "kernel": platform.release(), "mpirun": _first_line(["mpirun", "--version"])}
