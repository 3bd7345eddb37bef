# SPDX-License-Identifier: BSD-3-Clause
"""The three lists of the MPI tests: testlist, transports, skips. Their formats are explained in the files."""

import dataclasses
import fnmatch
import shlex
import sys

KINDS = {"mpirun", "pair", "killall"}
EXPECT = {"ok", "abort", "error"}


def rows(path):
    """Yields (line number, text) without comments and empty lines."""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        text = line.split("#", 1)[0].strip()
        if text:
            yield number, text


def wrong(path, number, what):
    sys.exit(f"{path}:{number}: {what}")


@dataclasses.dataclass
class Test:
    name: str
    np: int
    command: list  # program and arguments
    tags: set
    timeout: float = 60.0  # seconds
    kind: str = "mpirun"
    expect: str = "ok"
    match: str = ""  # what the output must contain (a regular expression)
    oks: int = 1  # MT-OK lines wanted
    osc: str = ""  # osc component
    mca: list = dataclasses.field(default_factory=list)  # NAME=VALUE
    env: list = dataclasses.field(default_factory=list)  # NAME=VALUE
    wrap: str = ""  # deny_cma, userns, isolated or mixed: in front of each rank's program
    shm: str = ""  # size of /dev/shm, for example 1m
    recovery: bool = False  # mpirun leaves the survivors of a dead rank alone
    max_lines: int = 2000  # of output
    only: list = dataclasses.field(default_factory=list)  # transports
    hosts: str = ""  # no: is about processes of one host; only: about several hosts

    def replace(self, words):
        """Puts what a transport says in the place of each @NAME@."""
        for name, value in words.items():
            def put(text, name=name, value=value):
                return text.replace(f"@{name}@", value)

            self.command, self.mca, self.env = ([put(text) for text in texts] for texts in (self.command, self.mca, self.env))
            self.match = put(self.match)

    def needs_root(self):
        return bool(self.shm)

    def named_hosts(self):
        """Hosts that the program is told to use."""
        pairs = zip(self.command, self.command[1:])
        return [host for key, value in pairs if key in ("-on", "-host") for host in value.split(",")]


def variants(name, nps, options):
    """One row with lists of np and osc stands for several tests."""
    oscs = [o[4:].split(",") for o in options if o.startswith("osc=")]
    for np in nps.split(","):
        for osc in oscs[0] if oscs else [""]:
            parts = [f"np={np}"] * ("," in nps) + [osc] * bool(osc)
            yield name + (f"[{','.join(parts)}]" if parts else ""), int(np), osc


def set_option(test, word):
    """Applies one KEY=VALUE; returns what is wrong, or None."""
    key, eq, value = word.partition("=")
    if not eq or not value:
        return f"'{word}' is not KEY=VALUE"
    if key in ("mca", "env"):
        if "=" not in value:
            return f"'{word}' is not {key}=NAME=VALUE"
        getattr(test, key).append(value)
    elif key == "timeout":
        test.timeout = float(value)
    elif key in ("oks", "max_lines"):
        setattr(test, key, int(value))
    elif key == "recovery":
        test.recovery = value == "yes"
    elif key in ("kind", "expect"):
        if value not in (KINDS if key == "kind" else EXPECT):
            return f"{key} '{value}' is unknown"
        setattr(test, key, value)
    elif key == "only":
        test.only = value.split(",")
    elif key in ("match", "wrap", "shm", "hosts"):
        setattr(test, key, value)
    elif key != "osc":
        return f"option '{key}' is unknown"
    return None


def read_tests(path):
    tests, seen = [], set()
    for number, text in rows(path):
        left, bar, right = text.partition("|")
        words, options = shlex.split(left), shlex.split(right)
        if not bar or len(words) < 3 or not options:
            wrong(path, number, "want: NAME NP PROGRAM [ARGUMENT...] | TAG,... [KEY=VALUE...]")
        for name, np, osc in variants(words[0], words[1], options[1:]):
            test = Test(name, np, words[2:], set(options[0].split(",")), osc=osc)
            for word in options[1:]:
                complaint = set_option(test, word)
                if complaint:
                    wrong(path, number, complaint)
            if name in seen:
                wrong(path, number, f"a second test with the name '{name}'")
            seen.add(name)
            tests.append(test)
    return tests


def read_transports(path):
    """Name to list of NAME=VALUE MCA parameters."""
    return {name: [p for p in params if not p.startswith("@")] for name, params in _transports(path).items()}


def read_words(path, transport):
    """What a transport puts in the place of @NAME@ in the tests: name to value."""
    return dict(p[1:].split("=", 1) for p in _transports(path)[transport] if p.startswith("@"))


def _transports(path):
    found = {}
    for number, text in rows(path):
        name, *params = text.split()
        for p in params:
            if "=" not in p:
                wrong(path, number, f"'{p}' is not NAME=VALUE")
        found[name] = params
    return found


class Skips:
    def __init__(self, entries):
        self.entries = entries

    def reason(self, transport, test, names):
        """Why a test is not run over a transport, or None; names: all that an entry may have for it."""
        if test.only and transport not in test.only:
            return f"is about {' and '.join(test.only)} only"
        for who, pattern, why in self.entries:
            # brackets are part of a name here, not a set of characters
            literal = pattern.replace("[", "[[]")
            if names & set(who.split(",")) and fnmatch.fnmatchcase(test.name, literal):
                return why
        return None


def read_skips(path):
    entries = []
    for number, text in rows(path):
        words = text.split(None, 2)
        if len(words) < 3:
            wrong(path, number, "want: TRANSPORT,... TEST REASON")
        entries.append(tuple(words))
    return Skips(entries)
