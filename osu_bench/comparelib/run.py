# SPDX-License-Identifier: BSD-3-Clause
"""Running: one command with a time-out, the line around it, and the interleaved plan of all runs."""

import os
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field, replace

from . import command, parse, stats

# A task whose first runs all failed is not tried again: its time-outs would take longer than everything else.
GIVE_UP_AFTER = 2

# mpirun passes a signal on to its ranks and needs a moment to clean up after them.
GRACE_SECONDS = 5


# What line_time returns when other load kept it from measuring.
LINE_BUSY_STATUS = 2


class RunError(Exception):
    """A run that failed; the text says how. status is the exit status, None if there is none."""

    def __init__(self, text, status=None):
        super().__init__(text)
        self.status = status


class _Signals:
    """Signals that end us. One that comes while a process is being started waits until we know that process."""

    def __init__(self):
        self.held = False
        self.came = 0

    def __enter__(self):
        self.held = True

    def __exit__(self, *_):
        self.held = False
        if self.came:
            self.end(self.came)

    def take(self, number, _):
        """The handler."""
        if self.held:
            self.came = number
        else:
            self.end(number)

    def end(self, number):
        """What Python does for ^C, and leaving for all others."""
        self.came = 0
        if number == signal.SIGINT:
            raise KeyboardInterrupt
        sys.exit(128 + number)


_SIGNALS = _Signals()


def end_on_signals():
    """Let SIGTERM and SIGHUP end us as ^C does: what we have started is ended with us."""
    for signum in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(signum, _SIGNALS.take)


def _stop(process):
    for signum, patience in ((signal.SIGTERM, GRACE_SECONDS), (signal.SIGKILL, GRACE_SECONDS)):
        try:
            os.killpg(process.pid, signum)
        except ProcessLookupError:
            return
        try:
            process.communicate(timeout=patience)
            return
        except subprocess.TimeoutExpired:
            continue


def first_words(text, limit=300):
    """The first lines with words in them, cut to limit characters: launchers explain first and moan afterwards."""
    lines = [" ".join(line.split()) for line in text.splitlines() if any(c.isalnum() for c in line)]
    joined = " | ".join(lines)
    return joined if len(joined) <= limit else joined[:limit] + "..."


def run(words, timeout, env, both=False, folder=None):
    """Standard output of a command, or both outputs together, which runs in folder. Raises RunError if it fails or does not end."""
    process = None
    try:
        with _SIGNALS:
            process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                       stderr=subprocess.STDOUT if both else subprocess.PIPE, text=True,
                                       errors="replace", env=env, cwd=folder, start_new_session=True)
        out, err = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        _stop(process)
        raise RunError(f"did not end within {timeout:g} s") from None
    except BaseException as error:
        if process is not None:
            _stop(process)
        elif isinstance(error, OSError):
            raise RunError(f"cannot start {words[0]}: {error.strerror}") from None
        raise
    if process.returncode != 0:
        said = first_words(err or "") or first_words(out) or "nothing was printed"
        if process.returncode < 0:
            raise RunError(f"killed by signal {-process.returncode}: {said}")
        raise RunError(f"exit status {process.returncode}: {said}", process.returncode)
    return out


class Line:
    """Measures the one-way time of a cache line; None where that cannot be done."""

    def __init__(self, setup, env):
        self.words = None
        self.env = env
        self.problem = ""
        try:
            path = command.find_program("line_time", setup)
        except command.NotHere as error:
            self.problem = str(error)
            return
        first, second = setup.cores[:2]
        self.words = [path, "-a", str(first), "-b", str(second)]

    def measure(self):
        """(minimum, median) in ns; stats.DISTURBED if the cores were too busy, None if it does not work at all."""
        if self.words is None:
            return None
        try:
            return parse.parse_line_time(run(self.words, 10, self.env))
        except (RunError, parse.ParseError) as error:
            if getattr(error, "status", None) == LINE_BUSY_STATUS:
                return stats.DISTURBED
            self.problem = str(error)
            return None


@dataclass(frozen=True)
class Task:
    """One benchmark over one transport."""

    bench: object
    transport: object
    sizes: tuple
    ranks: int
    words: tuple
    also: tuple = ()  # further benchmarks whose numbers the same run prints


@dataclass
class Results:
    """What a session has gathered."""

    samples: list = field(default_factory=list)
    failures: list = field(default_factory=list)
    left_out: dict = field(default_factory=dict)  # what -> why
    lines: list = field(default_factory=list)  # medians of line_time in ns
    seconds: float = 0

    def add(self, other):
        """Those of another session, as repetitions behind ours."""
        first = 1 + max((one.rep for one in self.samples + self.failures), default=-1)
        self.samples += [replace(one, rep=first + one.rep) for one in other.samples]
        self.failures += [replace(one, rep=first + one.rep) for one in other.failures]
        self.left_out.update(other.left_out)
        self.lines += other.lines
        self.seconds += other.seconds


def run_in_folder(task, timeout, env):
    """The output of a program that reads files and may write one."""
    with tempfile.TemporaryDirectory(prefix="apelink-compare-") as folder:
        for name, text in task.bench.inputs:
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text.format(ranks=task.ranks))
        out = run(list(task.words), timeout, env, folder=folder)
        if not task.bench.output:
            return out
        try:
            with open(os.path.join(folder, task.bench.output), encoding="utf-8", errors="replace") as file:
                return file.read()
        except OSError as error:
            raise RunError(f"{task.bench.program} wrote no {task.bench.output}: {error.strerror}") from None


def run_task(task, rep, line, timeout, env, results):
    """One run, with the line measured before and after it."""
    before = line.measure()
    begin = time.monotonic()
    values = {}

    def failed(bench, error):
        results.failures.append(stats.Failure(bench.key, task.transport.key, rep, str(error), shlex.join(task.words)))

    try:
        if task.bench.inputs:
            out = run_in_folder(task, timeout, env)
        else:
            out = run(list(task.words), timeout, env, task.bench.style == "told")
    except RunError as error:
        for bench in (task.bench, *task.also):
            failed(bench, error)
        return
    seconds = time.monotonic() - begin
    for bench in (task.bench, *task.also):
        try:
            values[bench.key] = parse.parse_output(bench, out, seconds)
        except parse.ParseError as error:
            failed(bench, error)
    if not values:
        return
    after = line.measure()
    known = [line_ns[1] for line_ns in (before, after) if line_ns not in (None, stats.DISTURBED)]
    results.lines += known
    state = stats.sample_state(before, after)
    mean = sum(known) / len(known) if known else 0
    for key, by_size in values.items():
        results.samples += [stats.Sample(key, task.transport.key, size, value, state, mean, rep)
                            for size, value in by_size.items()]


def rotate(items, count):
    """items with the first count of them moved to the end."""
    if not items:
        return []
    count %= len(items)
    return items[count:] + items[:count]


def plan_round(tasks, rep):
    """The tasks of one repetition: benchmark by benchmark, its transports in an order that moves on each time."""
    by_bench = {}
    for task in tasks:
        by_bench.setdefault(task.bench.key, []).append(task)
    return [task for group in by_bench.values() for task in rotate(group, rep)]


def wanted_benches(tasks, samples, state, reps):
    """Benchmarks of which a transport has fewer than reps runs in state."""
    counts = stats.counts_in_state(samples, state)
    return {task.bench.key for task in tasks
            if counts.get((task.bench.key, task.transport.key), 0) < reps}


def hopeless(task, results):
    """True if a task has failed a few times and never given a value; says so in results.left_out."""
    pair = (task.bench.key, task.transport.key)
    failed = sum((f.bench, f.transport) == pair for f in results.failures)
    if failed < GIVE_UP_AFTER or any((s.bench, s.transport) == pair for s in results.samples):
        return False
    name = f"{pair[0]} over {pair[1]}"
    results.left_out.setdefault(name, f"its first {failed} runs failed, so it was not tried again")
    return True


def run_all(tasks, options, line, env, progress):
    """
    options: reps, timeout, state ("" for any), max_reps.
    Each repetition runs every task once. With a state, repetitions go on until each task of a benchmark has reps runs
    in it, max_reps at the most. Returns Results; an interrupt ends early with what there is.
    """
    results = Results()
    begin = time.monotonic()
    try:
        for rep in range(options.max_reps if options.state else options.reps):
            plan = [task for task in plan_round(tasks, rep) if not hopeless(task, results)]
            if options.state and rep >= options.reps:
                wanted = wanted_benches(tasks, results.samples, options.state, options.reps)
                plan = [task for task in plan if task.bench.key in wanted]
            if not plan:
                break
            for number, task in enumerate(plan):
                progress.show(rep, number, len(plan), task)
                run_task(task, rep, line, options.timeout, env, results)
    except KeyboardInterrupt:
        results.left_out["the rest of the runs"] = "interrupted"
    progress.end()
    results.seconds = time.monotonic() - begin
    return results
