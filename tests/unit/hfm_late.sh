#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Covers: dnp/board/realtime.c, dnp/board/realtime.h, dnp/board/writer.c, dnp/board/writer.h, hfm/daemon/spawn.c, hfm/daemon/spawn.h.
# What must not hold up a daemon: standard error and a record that nobody reads, and a hook whose file cannot be read.
# Daemons that are held up are silent, or answer nobody.
set -u

hfm=${APELINK_BUILDDIR:?}/hfm/apelink-hfm
[ -x "$hfm" ] || { echo "skipped: apelink-hfm was not built, for want of libevent"; exit 77; }
command -v python3 >/dev/null 2>&1 || { echo "skipped: no python3"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

python3 - "$hfm" "$work" <<'EOP'
import ctypes, fcntl, json, os, signal, socket, subprocess, sys, time
hfm, work = sys.argv[1:]
PAGE = 4096
failures = 0

def fail(what):
    global failures
    failures += 1
    print("FAIL: " + what)

def full_pipe():
    """Both ends of one for which nothing more fits."""
    ends = os.pipe2(os.O_CLOEXEC)
    fcntl.fcntl(ends[1], 1031, PAGE)  # F_SETPIPE_SZ
    fill(ends[1])
    return ends

def fill(end):
    os.set_blocking(end, False)
    try:
        while True:
            os.write(end, b"x" * PAGE)
    except BlockingIOError:
        pass
    try:
        while True:
            os.write(end, b"\n")
    except BlockingIOError:
        pass
    os.set_blocking(end, True)

def memory(node, percent):
    with open(f"{work}/proc{node}/new", "w") as out:
        print(f"MemTotal: 1000000 kB\nMemAvailable: {percent * 10000} kB", file=out)
    os.rename(f"{work}/proc{node}/new", f"{work}/proc{node}/meminfo")

ports = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(3)]
for one in ports:
    one.bind(("127.0.0.1", 0))
numbers = [one.getsockname()[1] for one in ports]
for one in ports:
    one.close()
with open(work + "/key", "w") as out:
    print("0123456789abcdefFEDCBA9876543210", file=out)
with open(work + "/hook", "w") as out:
    print(f'#!/bin/sh\necho "$*" >>{work}/hooked', file=out)
os.chmod(work + "/hook", 0o755)
os.mkfifo(work + "/record")
record = os.open(work + "/record", os.O_RDWR | os.O_CLOEXEC)
fcntl.fcntl(record, 1031, PAGE)

# Nobody reads standard error of the first two, which are the master and one that tells it what changes.
errors = [full_pipe(), full_pipe(), None]
daemons = []
for node in range(3):
    os.mkdir(f"{work}/proc{node}")
    memory(node, 50)
    with open(f"{work}/conf{node}", "w") as out:
        print("torus 3x1x1", file=out)
        for other in range(3):
            print(f"node {other} 127.0.0.1:{numbers[other]} n{other} {'' if other else 'master'}", file=out)
        print(f"key {work}/key\nping 50\ngrace 60000\nhold 1000\nask 0\nlook 50\nproc {work}/proc{node}\nsys {work}/sys", file=out)
        print(f"control {work}/c{node}", file=out)
        if node == 0:
            print(f"record {work}/record\nhook {work}/hook", file=out)

def start(node):
    error = errors[node][1] if errors[node] else open(f"{work}/log{node}", "w")
    daemons.append(subprocess.Popen([hfm, "run", "--node", str(node), f"{work}/conf{node}"], stderr=error))

def states():
    said = subprocess.run([hfm, "status", "--json", "-c", work + "/c0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    try:
        return [node["fault"] for node in json.loads(said)["nodes"]]
    except (ValueError, KeyError):
        return None

def becomes(wanted, what):
    """Within some seconds, and nobody is silent meanwhile."""
    said = None
    for _ in range(100):
        said = states()
        if said == wanted:
            return True
        if said is None or any("silent" in fault for fault in said):
            break
        time.sleep(0.1)
    fail(f"{what}: {said}")
    return False

def change_often(times):
    for _ in range(times):
        for percent, word in ((2, "memory sick"), (50, "normal")):
            memory(1, percent)
            if not becomes(["normal", word, "normal"], f"node 1 is not {word}"):
                return False
    return True

def begins():
    for node in range(3):
        start(node)
    for _ in range(300):
        if states() == ["normal"] * 3:
            return True
        time.sleep(0.1)
    fail(f"the daemons do not begin: {states()}")
    return False

def read_on(end, until, seconds=20):
    """What comes out of a pipe until a text has come."""
    os.set_blocking(end, False)
    text, end_at = b"", time.monotonic() + seconds
    while until not in text and time.monotonic() < end_at:
        try:
            text += os.read(end, 1 << 16)
        except BlockingIOError:
            time.sleep(0.05)
    return text

try:
    # What a daemon says before it has begun is to be heard; from then on nobody listens.
    drained = [pipe for pipe in errors if pipe]
    for pipe in drained:
        os.set_blocking(pipe[0], False)
        os.read(pipe[0], 1 << 16)
    good = begins()
    for pipe in drained:
        fill(pipe[1])
    fill(record)
    good = good and change_often(3)

    # a hook whose file is held: who opens it waits
    signal.signal(signal.SIGIO, signal.SIG_IGN)
    held = os.open(work + "/hook", os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.fcntl(held, fcntl.F_SETLEASE, fcntl.F_WRLCK)
        leased = True
    except OSError as error:
        leased = False
        print(f"no lease can be had here: {error}; hooks are not looked at")
    if good and leased:
        for _ in range(100):  # those of the changes before have been called
            before = os.path.getsize(work + "/hooked") if os.path.exists(work + "/hooked") else 0
            time.sleep(0.3)
            if os.path.exists(work + "/hooked") and os.path.getsize(work + "/hooked") == before:
                break
        memory(1, 2)
        becomes(["normal", "memory sick", "normal"], "before the hook is called")
        memory(2, 2)
        becomes(["normal", "memory sick", "memory sick"], "while the hook's file is held")
        memory(1, 50)
        becomes(["normal", "normal", "memory sick"], "while the hook's file is held")
        if os.path.getsize(work + "/hooked") != before:
            fail("the hook was called")
        fcntl.fcntl(held, fcntl.F_SETLEASE, fcntl.F_UNLCK)
        for _ in range(100):
            if b"2 n2 sick normal memory sick" in open(work + "/hooked", "rb").read():
                break
            time.sleep(0.1)
        else:
            fail("the hook is not called: " + open(work + "/hooked").read())

    # what nobody has read yet is not lost, and comes as it was written
    if good:
        text = read_on(errors[1][0], b"this host: normal again")
        if text.count(b"this host: 2 % of memory are available") < 3 and b"lines of log and record are lost" not in text:
            text += read_on(errors[1][0], b"nothing", 2)
        if text.count(b"this host: 2 % of memory are available") < 3:
            fail(f"the log has not what happened: {text.strip(b'x')[:2000]}")
        text = read_on(record, b'"memory sick"')
        lines = [line for line in text.strip(b"x\n").split(b"\n") if line.startswith(b"{")]
        if not any(json.loads(line)["fault"] == "memory sick" for line in lines[:-1] if b"fault" in line):
            fail(f"the record has not what happened: {text.strip(b'x')[:2000]}")

    # memory is locked, where that may be
    with open(f"/proc/{daemons[2].pid}/status") as status:
        locked = [int(line.split()[1]) for line in status if line.startswith("VmLck")][0]
    libc = ctypes.CDLL(None)
    may = os.geteuid() == 0 and libc.mlockall(1) == 0
    libc.munlockall()
    if may and not os.environ.get("APELINK_SANITIZER") and locked == 0:
        fail("no memory is locked")
    for node, daemon in enumerate(daemons):
        daemon.terminate()
    for node, daemon in enumerate(daemons):
        try:
            status = daemon.wait(20)
            if status != 0:
                fail(f"daemon {node} ended with {status}")
        except subprocess.TimeoutExpired:
            fail(f"daemon {node} does not end")
finally:
    for daemon in daemons:
        if daemon.poll() is None:
            daemon.kill()
            daemon.wait()
print(f"{failures} failures")
sys.exit(failures > 0)
EOP
