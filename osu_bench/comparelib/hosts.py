# SPDX-License-Identifier: BSD-3-Clause
"""Runs between hosts: a session starts itself again on the first of several hosts that apelink-hosts makes."""

import os
import sys

from . import command


def are_here():
    """Whether this process runs on a host of apelink-hosts already."""
    return "APELINK_HOSTS" in os.environ


def enter(setup, argv):
    """
    Become apelink-hosts that runs this same command on hosts of its own, which end with it. Its exit status is that of
    the command. Raises NotHere if it is not installed or cannot be started.
    """
    tool = command.find_perf("apelink-hosts", setup)
    slots = max(1, setup.core_count // setup.hosts)
    words = [tool, "run", "-n", str(setup.hosts), "-s", str(slots), "--", sys.executable, *argv]
    sys.stdout.flush()
    try:
        os.execv(tool, words)
    except OSError as error:
        raise command.NotHere(f"cannot start {tool}: {error.strerror}") from None
