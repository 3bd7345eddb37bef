#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Covers: hfm/daemon/alarm.c, hfm/daemon/http.c, hfm/daemon/look.c, hfm/daemon/files.c, hfm/daemon/hook.c, hfm/daemon/rights.c, hfm/daemon/control.c, hfm/print_page.c.
# Four daemons without cards on one host: what they tell over HTTP, readers that are slow, hooks, the record, a host's status
# from a folder, the rights that are left, and that memory does not grow.
set -u

hfm=${APELINK_BUILDDIR:?}/hfm/apelink-hfm
src=${APELINK_SRCDIR:?}
[ -x "$hfm" ] || { echo "skipped: apelink-hfm was not built, for want of libevent"; exit 77; }
command -v python3 >/dev/null 2>&1 || { echo "skipped: no python3"; exit 77; }
work=$(mktemp -d) || exit 1
failures=0
pids=
trap '[ -z "$pids" ] || kill -9 $pids 2>/dev/null; rm -rf "$work"' EXIT

fail() {
    echo "FAIL: $*"
    failures=$((failures + 1))
}

# The tools that the hook for Slurm calls, as files: what scontrol shows of a node is $work/slurm/NODE.
mkdir -p "$work/bin" "$work/slurm" "$work/proc"
cat >"$work/bin/scontrol" <<'EOC'
#!/bin/sh
folder=$(dirname "$0")/../slurm
echo "$*" >>"$folder/calls"
case $* in
*show*) for node; do :; done; cat "$folder/$node" ;;
*State=DRAIN*) node=${2#NodeName=}; echo "NodeName=$node State=IDLE+DRAIN ${4} [root@now]" >"$folder/$node" ;;
*State=RESUME*) node=${2#NodeName=}; echo "NodeName=$node State=IDLE " >"$folder/$node" ;;
esac
EOC
chmod +x "$work/bin/scontrol"
echo "NodeName=n1 State=IDLE " >"$work/slurm/n1"
echo "NodeName=n2 State=IDLE+DRAIN Reason=broken fan [admin@now]" >"$work/slurm/n2"
cat >"$work/hook" <<EOC
#!/bin/sh
echo "\$*" >>'$work/hooked'
PATH=$work/bin:\$PATH exec '$src/hfm/hook-drain' "\$@"
EOC
chmod +x "$work/hook"
echo "MemTotal: 1000000 kB
MemAvailable: 500000 kB" >"$work/proc/meminfo"

ports=$(python3 -c 'import socket
s = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for i in range(4)] + [socket.socket()]
for one in s: one.bind(("127.0.0.1", 0))
print(*[one.getsockname()[1] for one in s])')
# shellcheck disable=SC2086 # five words
set -- $ports
http=$5
echo 0123456789abcdefFEDCBA9876543210 >"$work/key"
cat >"$work/conf" <<EOC
torus 4x1x1
node 0 127.0.0.1:$1 n0 master
node 1 127.0.0.1:$2 n1
node 2 127.0.0.1:$3 n2
node 3 127.0.0.1:$4 n3
key $work/key
ping 50
grace 60000
hold 200
ask 0
look 50
proc $work/proc
sys $work/sys
history 64
EOC
serve() { # NODE SETTING...: $pid
    node=$1
    shift
    { cat "$work/conf"; printf '%s\n' "control $work/c$node" "$@"; } >"$work/conf$node"
    "$hfm" run --node "$node" "$work/conf$node" 2>>"$work/log$node" &
    pid=$!
    pids="$pids $pid"
}
holds() { # EXPRESSION: true of the master's status, as s, and of its nodes, as n
    "$hfm" status --json -c "$work/c0" >"$work/json" 2>&1
    python3 - "$work/json" "$1" <<'EOP'
import json, sys
s = json.load(open(sys.argv[1]))
n = s["nodes"]
if not eval(sys.argv[2]):
    sys.exit("states %s" % [x["fault"] for x in n])
EOP
}
becomes() { # EXPRESSION WHAT: within half a minute
    for _ in $(seq 150); do
        holds "$1" 2>"$work/why" && return
        sleep 0.2
    done
    fail "$2: $(cat "$work/why")"
}
until_true() { # WHAT COMMAND...
    what=$1
    shift
    for _ in $(seq 150); do
        "$@" >/dev/null 2>&1 && return
        sleep 0.2
    done
    fail "$what"
}

info=$APELINK_BUILDDIR/tools/apeni-info
serve 0 "page $work/page" "http 127.0.0.1:$http" "hook $work/hook" "record $work/record"
daemon0=$pid
# one becomes another user, whose folder the record is in; a folder is where its page would be
mkdir "$work/blocked" "$work/nobody"
user=
[ "$(id -u)" -ne 0 ] || { chmod 711 "$work" && chmod 644 "$work/key" && chown nobody "$work/nobody" && user="user nobody"; }
serve 1 "record $work/nobody/record" "page $work/blocked" "$user"
daemon1=$pid
serve 2
daemon2=$pid
serve 3
daemon3=$pid
becomes 's["acts"] and all(x["state"] == "normal" for x in n) and s["messages"]["received"] > 20' "the daemons do not begin"

# rights: no capabilities are left, and none can be had
if [ "$(id -u)" -eq 0 ]; then
    grep -q "^Uid:.*$(id -u nobody)\$" "/proc/$daemon1/status" || fail "it has not become nobody"
    [ "$(stat -c %U "$work/c1")" = nobody ] || fail "the socket is not the user's"
    for pid in $daemon0 $daemon1; do
        grep -q '^CapEff:.*[1-9a-f]$' "/proc/$pid/status" && fail "it keeps capabilities: $(grep Cap "/proc/$pid/status")"
        grep -q '^CapBnd:.*0000000000000000$' "/proc/$pid/status" || fail "it can get capabilities again"
        grep -q '^NoNewPrivs:.*1$' "/proc/$pid/status" || fail "it can get new privileges"
    done
fi

# over HTTP; 200 readers that send nothing, or half a line, hold up nobody
python3 - "$http" "$work" "$daemon0" <<'EOP' || fail "HTTP"
import html.parser, json, os, re, socket, sys, time, urllib.error, urllib.request
base = "http://127.0.0.1:%s" % sys.argv[1]
idle = []
for i in range(100):
    idle.append(socket.create_connection(("127.0.0.1", int(sys.argv[1]))))
    if i % 2: idle[-1].send(b"GET / HT")
for i in range(40):
    idle.append(socket.socket(socket.AF_UNIX))
    idle[-1].connect(sys.argv[2] + "/c1")
def get(path):
    return urllib.request.urlopen(base + path, timeout=20)
def refused(path, method="GET", data=None):
    try:
        urllib.request.urlopen(urllib.request.Request(base + path, method=method, data=data), timeout=20)
    except urllib.error.HTTPError as error:
        return error.code
    return 200
assert json.load(get("/status.json"))["master"] == 0
assert get("/health").status == 200
page = get("/").read().decode()
class Parser(html.parser.HTMLParser):
    def __init__(self): super().__init__(); self.tags = {}
    def handle_starttag(self, tag, attributes): self.tags[tag] = self.tags.get(tag, 0) + 1
parser = Parser()
parser.feed(page)
assert parser.tags["circle"] == 4 and parser.tags["line"] == 5, parser.tags
assert "http://" not in page and "src=" not in page
for line in get("/metrics").read().decode().splitlines():
    assert re.fullmatch(r'# (HELP|TYPE) apelink_hfm_\w+ .+|apelink_hfm_\w+(\{\w+="[^"]*"(,\w+="[^"]*")*\})? -?[0-9.e+-]+', line), line
assert refused("/etc/passwd") == 404
assert refused("/", "POST", b"x") in (405, 501)
assert refused("/" + "x" * 20000) in (400, 413, 414, 431)
# more readers than it may have files for wait, and it does not spin meanwhile
def files(): return len(os.listdir("/proc/%s/fd" % sys.argv[3]))
def ran(): return sum(int(x) for x in open("/proc/%s/stat" % sys.argv[3]).read().rsplit(")", 1)[1].split()[11:13])
for i in range(300):
    idle.append(socket.socket())
    idle[-1].setblocking(False)
    idle[-1].connect_ex(("127.0.0.1", int(sys.argv[1])))
for i in range(100):
    if files() >= 240: break
    time.sleep(0.1)
before = ran()
time.sleep(2)
assert 240 <= files() <= 270, files()
assert ran() - before < os.sysconf("SC_CLK_TCK") / 2, ran() - before
for one in idle: one.close()
assert get("/health").status == 200
EOP
holds 'all(x["state"] == "normal" for x in n)' || fail "readers that are slow make it miss nodes"

# memory of the host, from a folder
echo "MemTotal: 1000000 kB
MemAvailable: 20000 kB" >"$work/proc/meminfo"
becomes 'all(x["fault"] == "memory sick" for x in n)' "want of memory is not known"
[ "$("$hfm" status -c "$work/c0" | grep -c 'memory sick')" -ge 3 ] || fail "the status does not say what is sick"
"$hfm" status -c "$work/c0" >/dev/null
[ $? = 1 ] || fail "sick nodes are not exit status 1"
echo "MemTotal: 1000000 kB
MemAvailable: 500000 kB" >"$work/proc/meminfo"
becomes 'all(x["state"] == "normal" for x in n)' "memory is there again, and nobody knows"

# a sensor that does not answer makes the host sick, and holds up nobody
mkdir -p "$work/sys/class/hwmon/hwmon0"
echo disk >"$work/sys/class/hwmon/hwmon0/name"
mkfifo "$work/sys/class/hwmon/hwmon0/temp1_input"
exec 9<>"$work/sys/class/hwmon/hwmon0/temp1_input"
becomes 'all(x["fault"] == "peripheral sick" for x in n)' "a sensor that does not answer is not missed"
grep -q '"state": "lost"' "$work/record" && fail "a sensor holds up its daemon"
rm "$work/sys/class/hwmon/hwmon0/temp1_input"
exec 9>&-
becomes 'all(x["state"] == "normal" for x in n)' "a sensor answers again, and nobody knows"

"$info" --faults="$work/page" >"$work/info" || fail "apeni-info has no faults"
grep -q 'normal *4 of 4 nodes' "$work/info" || fail "apeni-info says: $(cat "$work/info")"
"$info" --faults="$work/nothing" >"$work/info" 2>&1
{ [ $? = 1 ] && grep -q 'apelink-hfm does not run here' "$work/info"; } || fail "a page that is not there: $(cat "$work/info")"

# hooks: node 1 is drained and given back; node 2 was drained by its administrator, and stays
mv "$work/slurm/n1" "$work/slurm/away" # Slurm does not answer for it at first
kill -STOP "$daemon1" "$daemon2"
becomes 'n[1]["state"] == "lost"' "a daemon that is stopped is not missed"
"$info" --faults="$work/page" >"$work/info"
grep -q 'node 1  *lost: node gone, daemon silent (n1; by no ping heard by node 0 over the service network' "$work/info" || fail "apeni-info says: $(cat "$work/info")"
"$info" --faults="$work/page" --json | python3 -c 'import json, sys
f = json.load(sys.stdin)["faults"]
assert f["nodes"][2]["state"] == "lost" and f["master"] == 0 and not f["old"]' || fail "apeni-info --faults --json"
until_true "a hook that fails is not said" grep -q 'for node 1 exited with 1; it is called again' "$work/log0"
[ ! -e "$work/slurm/n1" ] || fail "a node is drained whose reason is not known"
mv "$work/slurm/away" "$work/slurm/n1"
until_true "node 1 is not drained" grep -q 'Reason=apelink-hfm: node gone' "$work/slurm/n1"
kill -CONT "$daemon1" "$daemon2"
becomes 'all(x["state"] == "normal" for x in n)' "the daemons go on, and nobody knows"
until_true "node 1 is not given back" grep -q 'State=IDLE $' "$work/slurm/n1"
until_true "the hook was not told that node 2 is normal" grep -q '^2 n2 normal lost' "$work/hooked"
grep -q 'Reason=broken fan' "$work/slurm/n2" || fail "what an administrator drained was given back"
grep -q '^1 n1 lost normal node gone, daemon silent$' "$work/hooked" || fail "the hook was told something else: $(cat "$work/hooked")"

# each change is a line of the record, which a signal opens anew
grep -q '"state": "lost"' "$work/record" || fail "the record has not what happened"
python3 -c 'import json, sys
for line in open(sys.argv[1]): json.loads(line)' "$work/record" || fail "the record is no JSON"
mv "$work/record" "$work/record.1"
kill -HUP "$daemon0"
until_true "the record is not opened anew" [ -e "$work/record" ]
grep -q "page $work/blocked: " "$work/log1" || fail "a page that cannot be made is not said"
mv "$work/nobody/record" "$work/nobody/record.1"
kill -HUP "$daemon1"
until_true "a user's record is not opened anew" [ -e "$work/nobody/record" ]
if [ -n "$user" ]; then
    mv "$work/nobody/record" "$work/record.2"
    chown root "$work/nobody"
    kill -HUP "$daemon1"
    until_true "a record that cannot be opened anew is not said" grep -q 'cannot be opened anew.*nobody' "$work/log1"
fi

# memory: of the history only so much stays, and readers and changes leave nothing
rss() {
    sed -n 's/^VmRSS: *\([0-9]*\).*/\1/p' "/proc/$daemon0/status"
}
load() { # ROUNDS
    python3 - "$http" "$work/c0" "$1" <<'EOP'
import socket, sys, urllib.request
for i in range(int(sys.argv[3])):
    for path in ("/", "/status.json", "/metrics"):
        urllib.request.urlopen("http://127.0.0.1:%s%s" % (sys.argv[1], path), timeout=20).read()
    c = socket.socket(socket.AF_UNIX)
    c.connect(sys.argv[2])
    c.send([b"text\n", b"json\n", b"acknowledge 1\n", b"nonsense\n", b"x" * 1000][i % 5])
    try:
        while c.recv(65536): pass
    except ConnectionResetError:
        pass # of a line that is too long
EOP
}
load 20
before=$(rss)
load 60
after=$(rss)
case ${APELINK_SANITIZER-} in
?*) ;; # keeps what was freed
*) [ $((after - before)) -le 512 ] || fail "memory grows from $before to $after KiB" ;;
esac
for pid in $daemon0 $daemon1 $daemon2 $daemon3; do
    kill -TERM "$pid"
    wait "$pid" || fail "a daemon ended with $?"
done
pids=
[ ! -e "$work/page" ] || fail "the page is still there"
[ $failures -eq 0 ] || tail -n 5 "$work"/log*
echo "$failures failures"
[ "$failures" -eq 0 ]
