# SPDX-License-Identifier: BSD-3-Clause
"""The progress line: rewritten in place on a terminal, one line now and then elsewhere."""

import sys
import time

# Seconds between two lines where lines cannot be rewritten.
PERIOD = 10


def format_time(seconds):
    """'42 s', '3 min 05 s', '1 h 02 min'."""
    seconds = int(seconds + 0.5)
    if seconds < 60:
        return f"{seconds} s"
    if seconds < 3600:
        return f"{seconds // 60} min {seconds % 60:02d} s"
    return f"{seconds // 3600} h {seconds % 3600 // 60:02d} min"


class Progress:
    """Shows which run is under way and how long the rest will take, judged by the runs so far."""

    def __init__(self, reps, stream=sys.stderr, clock=time.monotonic):
        self.reps = reps
        self.stream = stream
        self.clock = clock
        self.begin = clock()
        self.done = 0
        self.last = None
        self.tty = stream.isatty()
        self.width = 0

    def text(self, rep, number, count, task):
        """The line for run number of count in repetition rep."""
        more = max(self.reps - rep, 1) * count - number
        rest = "?"
        if self.done:  # runs begun before this one have ended
            rest = format_time((self.clock() - self.begin) / self.done * more)
        return (f"repetition {rep + 1} of {max(self.reps, rep + 1)}, run {number + 1} of {count}: "
                f"{task.bench.key} over {task.transport.key}; {rest} to go")

    def show(self, rep, number, count, task):
        """Called before each run."""
        line = self.text(rep, number, count, task)
        self.done += 1
        if self.tty:
            self.stream.write("\r" + line.ljust(self.width))
            self.width = len(line)
        elif self.last is None or self.clock() - self.last >= PERIOD:
            self.last = self.clock()
            self.stream.write(line + "\n")
        self.stream.flush()

    def end(self):
        """Called after the last run."""
        if self.tty and self.width:
            self.stream.write("\r" + " " * self.width + "\r")
            self.stream.flush()
