# SPDX-License-Identifier: BSD-3-Clause
"""Runs one MPI test: starts it, watches its time, judges its end, and leaves no process behind."""

import dataclasses
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time
import uuid

SHM_SIZE = "8g"
NOT_STARTED = "a process never got out of PMIx_Init"
STARTS = 5  # runs of a test before that counts as its failure
LOOK_EVERY = 3  # seconds,
LOOK_RANKS = 16  # and so much longer for each further so many ranks: a look at all takes as much of a core as some of them
FOREVER = float("inf")
START_LIMIT = 15  # seconds without a transport after which all but the last of these runs are given up,
START_RANKS = 64  # and so much more for each further so many ranks, which start one after the other
MARK = "APELINK_MT_RUN"
PRIVATE = "APELINK_MT_PRIVATE"
# Of the ranks over pml match each second one goes over mtl match, rank 0 among them.
MIXED = ('case $OMPI_COMM_WORLD_RANK in *[02468]) OMPI_MCA_pml=cm OMPI_MCA_mtl=match; export OMPI_MCA_pml OMPI_MCA_mtl;; esac; '
         'exec "$@"')
ISOLATED = pathlib.Path(__file__).resolve().parent.parent / "sheet" / "isolated"
# What osc/rdma of Open MPI 4.1 needs between hosts: no dynamic windows, in which it waits for a lock that it holds; and the
# first ranks on the first host, because a process that leads those of its host does not find what it keeps itself about
# ranks on others. With a rank for each host at most that is so anyway.
RDMA_MCA = ("rmaps_base_mapping_policy", "slot")
RDMA_ENV = "APELINK_MT_NO_DYNAMIC=1"
HOST_END = 20  # seconds for processes on other hosts to notice that their job has ended
STAYS = 5  # seconds that a file of ours is there to count as left: /tmp has files that other runs of tests make and remove
# On a host of apelink-hosts where nothing else runs: processes but the first and this one, files that are left.
LOOK = """for p in /proc/[0-9]*; do
    p=${p#/proc/}
    [ $p = 1 ] || [ $p = $$ ] || ! read -r name 2>/dev/null </proc/$p/comm || echo "process $p $name"
done
find /dev/shm "$TMPDIR" -type f | sed 's/^/file /'"""
ENDS = "ends"  # folder with a file for each rank that has come out of MPI_Finalize
LOST = re.compile(r"has exited due to process rank (\d+) with PID \d+ on\s+node \S+ exiting improperly")
FAILED = re.compile("on signal|non-zero status|calling .abort|MPI_ABORT|MT-FAIL")  # words of mpirun, and of mt.c
LEAKS = "lsan"  # begin of the names of LeakSanitizer's reports
COMPONENT = re.compile(r"\((\S*/mca_(?:btl_apelink|mtl_match|pml_match)\.so)\+(0x[0-9a-f]+)\)")
OURS = re.compile("apelink|apeni", re.IGNORECASE)
HELPERS = {"coll": "coll.c", "dt": "dt.c", "dyn": "dyn.c", "rma": "rma.c dt.c", "thr": "thr.c rma.c"}


@dataclasses.dataclass
class Result:
    verdict: str  # "ok" or "not ok"
    why: str
    output: str
    command: str
    notes: list


@dataclasses.dataclass
class Environment:
    work: pathlib.Path
    bindir: pathlib.Path
    mpirun: str
    mca: list
    components: str
    scale: float
    not_built: dict  # program to what the compiler said
    private: bool
    leaks: bool = False  # whether to look for memory that our components keep
    prestorun: str = ""  # what starts programs that were compiled with prestocc, in place of mpirun
    mark: str = dataclasses.field(default_factory=lambda: uuid.uuid4().hex)
    hosts: list = dataclasses.field(default_factory=lambda: other_hosts())

    def cannot(self, test):
        """Why a test cannot run on this machine, or None."""
        if self.hosts and (test.shm or test.hosts == "no"):
            return "is about one host"
        if test.hosts == "only" and not self.hosts:
            return "is about several hosts"
        missing = [h for h in test.named_hosts() if h not in (*self.hosts, os.environ.get("APELINK_HOST"))]
        if missing:
            return f"names hosts that are not there: {', '.join(missing)}"
        if test.needs_root() and not self.private:
            return "needs root, for a /dev/shm of its own"
        if test.wrap in ("userns", "isolated") and not can_unshare(test.wrap):
            return "this machine allows no user namespaces"
        return None

    def transports(self, name, test):
        """Names under which the list of skips knows a test in this run."""
        alone = {"alone"} if 1 < test.np <= len(self.hosts) + 1 else set()
        return {name, "hosts"} | alone if self.hosts else {name}

    def processes(self):
        """Ids of everything that a test has started, also what has left its parents: they carry our mark."""
        mark = f"{MARK}={self.mark}".encode()
        found = []
        for p in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if mark in (p / "environ").read_bytes().split(b"\0") and int(p.name) != os.getpid():
                    found.append(int(p.name))
            except (OSError, ValueError):
                pass
        return found

    def kill_all(self):
        for _ in range(50):
            ids = self.processes()
            if not ids:
                return
            for pid in ids:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            time.sleep(0.05)

    def variables(self, test, tmp):
        env = dict(os.environ)
        env.pop("OMPI_MCA_orte_tmpdir_base", None)  # by TMPDIR, which is looked through for what is left
        env.update({
            MARK: self.mark, "TMPDIR": str(tmp), "LC_ALL": "C",
            "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        })
        if self.leaks:
            # What a component still holds by its variables is lost as well when it is unloaded: globals do not count.
            env.update({
                "APELINK_MT_LEAKS": "1", "ASAN_OPTIONS": "detect_leaks=1:intercept_tls_get_addr=0:fast_unwind_on_malloc=0:malloc_context_size=10:symbolize=0",
                "LSAN_OPTIONS": f"use_globals=0:exitcode=0:log_path={self.work}/{LEAKS}",
            })
        if "long" in test.tags:
            env["APELINK_MT_ENDS"] = str(self.work / ENDS)
        if self.components:
            env["OMPI_MCA_mca_base_component_path"] = self.components
        env.update(pair.split("=", 1) for pair in environment(test, self))
        return env


def can_unshare(wrap):
    """Whether this machine allows the namespaces of a wrapper."""
    more = ["-p", "-f", "-i", "-m", "--mount-proc"] if wrap == "isolated" else []
    return subprocess.run(["unshare", "-U", "-r", *more, "true"], capture_output=True).returncode == 0


def other_hosts():
    """The hosts of apelink-hosts beside this one, if this is one."""
    if "APELINK_HOSTS" not in os.environ:
        return []
    names = [line.split()[0] for line in pathlib.Path(os.environ["OMPI_MCA_orte_default_hostfile"]).read_text().splitlines()]
    return [n for n in names if n != os.environ["APELINK_HOST"]]


def on_host(host, *command):
    """Runs a command on another host."""
    return subprocess.run([os.environ["APELINK_HOSTS_TOOL"], "exec", host, "--", *command], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True)


def rdma_on_hosts(test, env):
    """Whether osc/rdma has to be spared what it cannot do between hosts."""
    return bool(env.hosts) and (test.osc == "rdma" or "rma" in test.tags and not test.osc)


def environment(test, env):
    """NAME=VALUE for all ranks of a test."""
    return [*test.env, RDMA_ENV] if rdma_on_hosts(test, env) else test.env


def components(folders):
    """What makes Open MPI look for components in folders, joined by colons, first; None if there are none."""
    if not folders:
        return None
    found = [pathlib.Path(f) for f in folders.split(":")]
    for folder in found:
        # with a folder that is not there Open MPI finds not even its own components, and says nothing of use
        if not list(folder.glob("mca_*.so")):
            sys.exit(f"{sys.argv[0]}: there is no mca_*.so in {folder}, a folder of components")
    return ":".join([str(f.resolve()) for f in found] + ["SYSTEM_DEFAULT:USER_DEFAULT"])


def show(text, limit=60):
    """Prints the end of a test's output, as comments."""
    lines = text.splitlines()
    if len(lines) > limit:
        print(f"# ... {len(lines) - limit} lines before")
    for line in lines[-limit:]:
        print("# | " + line)


def build(src, out, mpicc):
    """Makes the programs that are older than their sources. Returns what did not compile, with the messages."""
    out.mkdir(parents=True, exist_ok=True)
    headers = max(p.stat().st_mtime for p in src.glob("*.h"))
    failed = {}
    for c in sorted(src.glob("*_*.c")):
        extra = ["mt.c"] + HELPERS.get(c.stem.split("_")[0], "").split()
        if c.stem == "deny_cma":
            extra = []
        files = [str(c)] + [str(src / e) for e in extra]
        exe = out / c.stem
        newest = max([headers] + [pathlib.Path(f).stat().st_mtime for f in files])
        if exe.exists() and exe.stat().st_mtime > newest:
            continue
        command = [mpicc, "-std=gnu11", "-D_GNU_SOURCE", "-O2", "-g", "-Wall", "-Wextra", *files, "-o", str(exe),
                   "-lpthread", "-lm"]
        r = subprocess.run(command, capture_output=True, text=True)
        if r.returncode:
            exe.unlink(missing_ok=True)
            failed[c.stem] = r.stderr
    return failed


def program(test, env):
    """The command of each rank."""
    wrappers = {"": [], "deny_cma": [str(env.bindir / "deny_cma")], "userns": ["unshare", "-U", "-c"],
                "isolated": [str(ISOLATED)], "mixed": ["sh", "-c", MIXED, "mixed"]}
    return [*wrappers[test.wrap], str(env.bindir / test.command[0]), *test.command[1:]]


def launcher(test, env, more=()):
    if env.prestorun:
        return [env.prestorun, "-n", str(test.np)]
    command = [env.mpirun, "-n", str(test.np), "--oversubscribe", "--bind-to", "none"]
    params = dict(p.split("=", 1) for p in ["mpi_yield_when_idle=1", *env.mca, *test.mca])
    if test.osc:
        params["osc"] = test.osc
    if rdma_on_hosts(test, env) and test.np > len(env.hosts) + 1:
        params.setdefault(*RDMA_MCA)
    for name, value in params.items():
        command += ["--mca", name, value]
    if test.recovery:
        command.append("--enable-recovery")
    for pair in environment(test, env) if env.hosts else []:
        command += ["-x", pair.split("=", 1)[0]]
    return command + list(more)


def start(command, env, test, tmp, log):
    # Fortified against input that is waited for: mpirun reads its own.
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                            env=env.variables(test, tmp), cwd=tmp, start_new_session=True)


def stacks(env):
    """Where hanging processes are, on all hosts."""
    text = stacks_here(env.processes())
    for host in env.hosts:
        r = on_host(host, sys.executable, __file__, "stacks")
        text += f"--- host {host}\n{r.stdout}"
    return text


def stacks_here(pids, limit=6):
    """The same on this host, if there is a debugger, without the threads that Open MPI has for itself."""
    gdb, text = shutil.which("gdb"), ""
    if not gdb:
        return "(no gdb here to show where the processes hang)\n"
    for pid in pids:
        try:
            name = pathlib.Path(f"/proc/{pid}/comm").read_text().strip()
            if name in ("mpirun", "orted", "sh", "ompi-server", "apelink-hosts") or limit == 0:
                continue
            limit -= 1
            r = subprocess.run([gdb, "-p", str(pid), "-batch", "-ex", "thread apply all bt 12"], capture_output=True,
                               text=True, timeout=20)
            threads = re.split(r"^(?=Thread \d+ )", r.stdout, flags=re.MULTILINE)[1:]
            text += f"--- process {pid} {name}\n" + "".join(t for t in threads if "event_base_loop" not in t)
        except (OSError, subprocess.TimeoutExpired):
            pass
    return text


def is_copy(pid):
    """Whether a process runs the program of its parent: a helper that a rank has forked, which never starts MPI."""
    parent = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1]
    return os.readlink(f"/proc/{pid}/exe") == os.readlink(f"/proc/{parent}/exe")


class Starts:
    """Looks for processes that hang where no transport is loaded yet: now and then, mostly when a job of several is
    spawned on a busy machine, PMIx 4.2 under Open MPI 4.1 never answers the PMIx_Init of a new process, over whatever
    transport. The process has libmpi by then, but none of its components."""

    def __init__(self, env, limit, ranks):
        self.env, self.limit = env, limit
        self.every = LOOK_EVERY * max(1, ranks / LOOK_RANKS)
        self.started = set()
        self.since = {}  # process to when it was first seen without a transport

    def hang(self, limit):
        """Whether a process has been without a transport for so many seconds."""
        now, before = time.monotonic(), self.since
        self.since = {}
        for pid in set(self.env.processes()) - self.started:
            try:
                if is_copy(pid):
                    continue
                maps = pathlib.Path(f"/proc/{pid}/maps").read_text()
            except OSError:
                continue
            if "/mca_pml_" in maps:
                self.started.add(pid)
            elif "/libmpi.so" in maps:
                self.since[pid] = before.get(pid, now)
        return any(now - since >= limit for since in self.since.values())

    def wait(self, process, seconds):
        """True if it ended in time; false at once if a process is beyond the limit."""
        end = time.monotonic() + seconds
        while True:
            try:
                process.wait(timeout=min(self.every, max(0.1, end - time.monotonic())))
                return True
            except subprocess.TimeoutExpired:
                if time.monotonic() >= end or self.hang(self.limit):
                    return False


def go_private():
    """Starts this script again in a mount namespace with an empty /dev/shm: what tests leave there is seen
    exactly, goes away with the namespace, and nobody else's processes come between."""
    if PRIVATE in os.environ:
        return
    probe = ["unshare", "-m", "mount", "-t", "tmpfs", "-o", "size=64k", "none", "/dev/shm"]
    try:
        if subprocess.run(probe, capture_output=True).returncode != 0:
            return
    except FileNotFoundError:
        return
    os.environ[PRIVATE] = "1"
    script = f'mount -t tmpfs -o mode=1777,size={SHM_SIZE} none /dev/shm && exec "$0" "$@"'
    os.execvp("unshare", ["unshare", "-m", "--propagation", "private", "sh", "-c", script, sys.executable, *sys.argv])


class Folder:
    """Names in a folder before a test, to tell what the test has left."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.before = self.names()

    def names(self):
        try:
            return {p.name for p in self.path.iterdir()}
        except OSError:
            return set()

    def new(self):
        return sorted(self.names() - self.before)


def leftovers(shm, tmp_dir, env):
    """What the test left and nobody removes: (ours, which is a failure; others', which is a remark)."""
    end = time.monotonic() + STAYS
    while True:
        ours, others = new_files(shm, tmp_dir, env)
        if not ours or time.monotonic() > end:
            return ours, others
        time.sleep(0.1)


def new_files(shm, tmp_dir, env):
    """What is there that was not there before the test, ours and others'."""
    ours, others = [], []
    for f in shm.new():
        (ours if OURS.search(f) else others).append("/dev/shm/" + f)
    for f in tmp_dir.new():
        p = tmp_dir.path / f
        if OURS.search(f) and not p.is_dir():
            ours.append(str(p))
    for p in (env.work / "tmp").rglob("*"):
        if OURS.search(p.name):
            ours.append(str(p))
    return ours, others


def left_elsewhere(env):
    """What a test that has ended left on other hosts: (ours, which is a failure; others', which is a remark). Nothing
    of it is there afterwards."""
    ours, others = [], []
    for host in env.hosts:
        end = time.monotonic() + HOST_END
        while True:
            found = on_host(host, "sh", "-c", LOOK).stdout.splitlines()
            processes = [line.split()[1:] for line in found if line.startswith("process ")]
            if not processes or time.monotonic() > end:
                break
            time.sleep(0.1)
        files = [line.split(None, 1)[1] for line in found if line.startswith("file ")]
        if processes or files:
            on_host(host, "sh", "-c", f"kill -9 {' '.join(p[0] for p in processes)}; rm -f {' '.join(files)}")
        ours += [f"{p[1]} (process {p[0]} on {host})" for p in processes]
        for path in map(pathlib.Path, files):
            # in Open MPI's folders what is ours goes with the folder, and the folder with an orderly end of mpirun
            runtimes = any(part.startswith("ompi.") for part in path.parts)
            (ours if OURS.search(path.name) and not runtimes else others).append(f"{path.name} on {host}")
    return ours, others


def remount_shm(size):
    subprocess.run(["mount", "-o", f"remount,size={size}", "/dev/shm"], check=True)


def lost_at_the_end(test, code, output, ends):
    """Whether mpirun has missed the end of one of many ranks: that of 4.1 now and then takes one of 192 that end at once on
    few cores for one that left without MPI_Finalize, over any transport, vader too. It does not tell that rank's exit status,
    but the rank has left a file in ends if it came out of MPI_Finalize, and then returns 0. Nothing else may have failed."""
    lost = LOST.findall(output)
    return "long" in test.tags and code == 1 and len(lost) == 1 and (ends / lost[0]).exists() and not FAILED.search(output)


def judge(test, code, output, in_time, ends):
    """Why the test has failed, or None."""
    oks = re.findall(r"^MT-OK \S+ checks=(\d+)", output, re.MULTILINE)
    if not in_time:
        return f"not ended after its limit of {test.timeout:g} s"
    if output.count("\n") > test.max_lines:
        return f"printed {output.count(chr(10))} lines; {test.max_lines} are the most"
    if test.match and not re.search(test.match, output):
        return f"the output has nothing like '{test.match}'"
    if test.expect == "ok":
        if code != 0 and not lost_at_the_end(test, code, output, ends):
            return f"exit status {code}"
        if len(oks) != test.oks or "0" in oks:
            return f"{len(oks)} lines MT-OK with {', '.join(oks) or 'no'} checks; wanted {test.oks} lines"
        return None
    # with --enable-recovery mpirun itself ends well whatever its processes did
    if code == 0 and not test.recovery:
        return "exit status 0, an error was wanted"
    if oks:
        return "got to its end, an error was wanted"
    if not output.strip():
        return "ended without a word"
    return None


def where(component, offset):
    """The line of source of an address, if there is a tool that tells."""
    tool = shutil.which("addr2line")
    if not tool:
        return f"{component}+{offset}"
    r = subprocess.run([tool, "-f", "-i", "-s", "-e", component, offset], capture_output=True, text=True)
    return " ".join(r.stdout.split())


def leaks(env):
    """Memory that our components have not given back, and how many reports there were."""
    text, reports = "", list(env.work.glob(LEAKS + ".*"))
    for report in reports:
        for record in report.read_text(errors="replace").split("\n\n"):
            frames = COMPONENT.findall(record)
            if frames:
                text += record.strip().splitlines()[0] + "\n" + "".join(f"    {where(*f)}\n" for f in frames[:8])
        report.unlink()
    return text, len(reports)


def judge_leaks(test, env):
    """(Why the test has failed, or None; what was leaked)."""
    text, reports = leaks(env)
    if text:
        return "a component has kept memory", text
    # Open MPI leaks something in each process: no report means that nothing has looked
    return (None if reports >= test.np else f"{reports} reports of leaks; are the programs built with it?"), ""


def run_mpirun(test, env, tmp, log, starts):
    command = launcher(test, env) + program(test, env)
    p = start(command, env, test, tmp, log)
    in_time = starts.wait(p, test.timeout * env.scale)
    return p, in_time, " ".join(command)


def run_killall(test, env, tmp, log, starts):
    """Kills ranks and launcher at once when the program says that it is in the middle of its work."""
    command = launcher(test, env) + program(test, env)
    p = start(command, env, test, tmp, log)
    end = time.monotonic() + test.timeout * env.scale
    while time.monotonic() < end and p.poll() is None:
        if "ready" in pathlib.Path(log.name).read_text(errors="replace"):
            time.sleep(0.3)
            env.kill_all()
            p.wait()
            log.write("all killed\n")
            log.flush()
            # a process that cleans up after the dead gets the time for it
            time.sleep(2)
            return p, True, " ".join(command)
        time.sleep(0.05)
    return p, False, " ".join(command)


def run_pair(test, env, tmp, log, starts):
    """Two jobs that meet through a name server: -server FILE and -client FILE."""
    uri, port = tmp / "uri", tmp / "port"
    server = start(["ompi-server", "--no-daemonize", "-r", str(uri)], env, test, tmp, log)
    end = time.monotonic() + 10
    while not uri.exists() and time.monotonic() < end:
        time.sleep(0.05)
    jobs, command = [], ""
    for role in ("-server", "-client"):
        words = program(test, env)
        command = launcher(test, env, ["--ompi-server", f"file:{uri}"]) + [words[0], role, str(port), *words[1:]]
        jobs.append(start(command, env, test, tmp, log))
    end = time.monotonic() + test.timeout * env.scale
    in_time = all([starts.wait(j, end - time.monotonic()) for j in jobs])
    if in_time:
        server.kill()
        server.wait()
    # of a pair with a dying server the client is the one that is looked at
    worst = jobs[1] if test.expect == "abort" or jobs[1].returncode else jobs[0]
    return worst, in_time, " ".join(command)


def run(test, env):
    """Runs a test; again if a process was lost before it had a transport."""
    notes = []
    for number in range(STARTS):
        begin = time.monotonic()
        patience = START_LIMIT * env.scale * max(1, test.np / START_RANKS) if number < STARTS - 1 else FOREVER
        result = run_once(test, env, Starts(env, patience, test.np))
        if result.why != NOT_STARTED:
            break
        notes.append(f"a process hung in PMIx_Init, before any transport: given up after {time.monotonic() - begin:.0f} s")
    result.notes.extend(notes)
    return result


def run_once(test, env, starts):
    if test.command[0] in env.not_built:
        return Result("not ok", "does not compile", env.not_built[test.command[0]], "", [])
    tmp, ends = env.work / "tmp", env.work / ENDS
    tmp.mkdir(exist_ok=True)
    shutil.rmtree(ends, ignore_errors=True)
    ends.mkdir()
    shm, tmp_dir = Folder("/dev/shm"), Folder("/tmp")
    if test.shm:
        remount_shm(test.shm)
    how = {"mpirun": run_mpirun, "killall": run_killall, "pair": run_pair}[test.kind]
    log_path = env.work / "output"
    with open(log_path, "w+") as log:
        p, in_time, command = how(test, env, tmp, log, starts)
        stuck = not in_time and starts.hang(0)
        # of a run that another follows all is known
        where = "" if in_time or (stuck and starts.limit < FOREVER) else stacks(env)
    env.kill_all()
    p.wait()
    output = log_path.read_text(errors="replace") + where
    notes = []
    if test.kind == "killall":
        why = None if in_time else "never got to the middle of its work"
    else:
        why = judge(test, p.returncode, output, in_time, ends)
        if why is None and lost_at_the_end(test, p.returncode, output, ends):
            notes.append("mpirun has missed the end of a rank, after all had ended their checks")
    if stuck:
        why = NOT_STARTED
    if env.leaks and not why and test.expect == "ok" and test.kind == "mpirun":
        why, text = judge_leaks(test, env)
        output += text
    ours, others = leftovers(shm, tmp_dir, env)
    ours_there, others_there = left_elsewhere(env)
    if (ours or ours_there) and not why:
        why = "left behind: " + " ".join(ours + ours_there)
    if others or others_there:
        notes.append("others left: " + ", ".join((others + others_there)[:4]) + (" ..." if len(others + others_there) > 4 else ""))
    for f in ours + others if env.private else []:
        pathlib.Path(f).unlink(missing_ok=True)
    if test.shm:
        remount_shm(SHM_SIZE)
    shutil.rmtree(tmp, ignore_errors=True)
    return Result("not ok" if why else "ok", why or "", output, command, notes)


if __name__ == "__main__":
    # On another host, for stacks().
    print(stacks_here([int(p.name) for p in pathlib.Path("/proc").glob("[0-9]*") if p.name not in ("1", str(os.getpid()))]))
