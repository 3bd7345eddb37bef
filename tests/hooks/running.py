# SPDX-License-Identifier: BSD-3-Clause
"""What the checks of pml_hooks that run programs share: over which transports, with which words, and what the report says then.

The transports are those for which components were built, and vader. With a folder in PRESTO_PROGRAMS, where the programs are
as prestocc made them, it is Presto, started by the prestorun that PRESTORUN names.
"""
import json
import os
import subprocess
import sys

SOURCE = os.environ.get("APELINK_SRCDIR", ".")
BUILD = os.environ.get("APELINK_BUILDDIR", ".")
MPIRUN = os.environ.get("MPIRUN") or "mpirun"
REPORT = os.path.join(SOURCE, "pml_hooks", "report")
TRANSPORTS = {
    "vader": ["pml", "ob1", "btl", "vader,self"],
    "apelink": ["pml", "ob1", "btl", "apelink,self"],
    "match": ["pml", "cm", "mtl", "match"],
    "pml-match": ["pml", "match"],
    "ucx": ["pml", "ucx", "pml_ucx_tls", "any", "pml_ucx_devices", "any"],
}
PRESTO_PROGRAMS = os.environ.get("PRESTO_PROGRAMS")
LIMIT = 120  # seconds after which a run has hung

failures = 0


def fail(text):
    global failures
    failures += 1
    print("FAILED: " + text)


chosen = []  # transports, if not those of this build
turn = None  # the number of the check, which picks its transport; None for all of them


def built():
    """The transports that this build has."""
    if PRESTO_PROGRAMS:
        return ["presto"]
    if chosen:
        return chosen
    found = ["vader"]
    for name, path in (("apelink", "btl_apelink/.libs/mca_btl_apelink.so"), ("match", "mtl_match/.libs/mca_mtl_match.so"),
                       ("pml-match", "pml_match/.libs/mca_pml_match.so")):
        if os.path.exists(os.path.join(BUILD, path)):
            found.append(name)
    return found


def transports():
    """Those that this check is to use."""
    return by_turn(turn)


def by_turn(number):
    found = built()
    if number is None or os.environ.get("APELINK_TEST_ALL") == "yes":
        return found
    return [found[number % len(found)]]


def is_stopped(pid):
    """Whether a process is stopped."""
    try:
        with open("/proc/%d/stat" % pid, encoding="ascii", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] in ("T", "t")
    except (OSError, IndexError):
        return False


def words_of(folder, ranks, transport, command, more=(), **params):
    """The command line that runs a program with pml_hooks in a folder."""
    settings = {"enable": "1", "directory": folder, "output": os.path.join(folder, "hooks.json"), "report": REPORT}
    settings.update({name: str(value) for name, value in params.items()})
    words = [MPIRUN, "-n", str(ranks), "--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"]
    pairs = TRANSPORTS[transport]
    for name, value in zip(pairs[::2], pairs[1::2]):
        if name not in more:
            words += ["--mca", name, value]
    words += more
    for name, value in settings.items():
        words += ["--mca", "pml_hooks_" + name, value]
    return words + [os.path.join(BUILD, "tests/hooks", command[0]), *command[1:]]


def presto_of(folder, ranks, command, option=True, **params):
    """The same with Presto, by prestorun's option or by a variable alone: the command line, and the environment."""
    words = [os.environ["PRESTORUN"], "-n", str(ranks)]
    file = params.pop("output", os.path.join(folder, "hooks.json"))
    settings = {"directory": folder, "program": REPORT}
    settings.update({name: str(value) for name, value in params.items()})
    environment = {**os.environ, **{"PRESTO_REPORT_" + name.upper(): value for name, value in settings.items()}}
    if option:
        words += ["--report", file]
    else:
        environment["PRESTO_REPORT"] = file
    return words + [os.path.join(PRESTO_PROGRAMS, command[0]), *command[1:]], environment


def mpirun(folder, ranks, transport, command, more=(), **params):
    """Run it; (exit code, standard output, standard error)."""
    if transport == "presto":
        words, environment = presto_of(folder, ranks, command, **params)
    else:
        words, environment = words_of(folder, ranks, transport, command, more, **params), None
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=LIMIT, check=False, env=environment)
    except subprocess.TimeoutExpired:
        return None, "", "was ended after %d s" % LIMIT
    return done.returncode, done.stdout, done.stderr


def read(folder):
    with open(os.path.join(folder, "hooks.json"), encoding="utf-8") as file:
        return json.load(file)


def turns(ways):
    """(way, transport): each way over one of the transports, or over all."""
    for number, way in enumerate(ways):
        for transport in by_turn(number):
            yield way, transport


def report(folder, *words):
    return subprocess.run([sys.executable, REPORT, "--directory", folder, *words], capture_output=True, text=True,
                          timeout=LIMIT, check=False)


def run_check(checks):
    """The one that the command line names."""
    global turn
    if len(sys.argv) != 2 or sys.argv[1] not in checks:
        return False
    turn = None if sys.argv[1] == "count" else list(checks).index(sys.argv[1])
    checks[sys.argv[1]]()
    return True
