# SPDX-License-Identifier: BSD-3-Clause
"""A line on the terminal that says how far a long piece of work is."""
import sys
import time

PATIENCE = 1.0  # seconds before the first line
BETWEEN = 0.2  # seconds between two
CLEAR = "\r\033[K"


class Line:
    """The line, which is only there if standard error is a terminal and the work takes long."""

    def __init__(self, out, patience=PATIENCE):
        self.out = out
        self.wanted = out.isatty()
        self.next = time.monotonic() + patience
        self.shown = False

    def show(self, text, done=0, whole=0):
        """Say what is done, and how much of it, if it is time to."""
        if not self.wanted or time.monotonic() < self.next:
            return
        share = ": %.0f %%" % (100.0 * done / whole) if isinstance(whole, int) and whole > 0 else " ..."
        self.out.write(CLEAR + text + share)
        self.out.flush()
        self.next = time.monotonic() + BETWEEN
        self.shown = True

    def clear(self):
        """Take it away: something else is to be printed."""
        if self.shown:
            self.out.write(CLEAR)
            self.out.flush()
            self.shown = False


LINE = Line(sys.stderr)
show, clear = LINE.show, LINE.clear
