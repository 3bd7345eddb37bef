#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Covers: presto/tools/run_help.c
# What prestorun promises: output, exit codes, signals, a rank that dies, nothing left behind.
set -u
run=${APELINK_BUILDDIR:-.}/presto/tools/prestorun
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
    echo "FAIL: $*"
    failures=$((failures + 1))
    sed 's/^/    out: /' "$work/out"
    sed 's/^/    err: /' "$work/err"
}

# expect CODE WHAT ARGUMENT...: prestorun with these arguments ends with CODE; output is in out and err.
expect() {
    code=$1
    what=$2
    shift 2
    timeout -k 10 60 "$run" "$@" >"$work/out" 2>"$work/err"
    status=$?
    [ $status -eq "$code" ] || fail "$what: exit status $status, not $code"
}

has() { # FILE PATTERN
    grep -Eq "$2" "$work/$1" || fail "$what: no line of $1 is $2"
}

expect 0 "help" --help
has out '^usage: prestorun'
expect 0 "version" --version
expect 2 "no command" -n 2
has err 'no command to run'
expect 2 "a bad number" -n 0 true
has err '^prestorun: -n 0: a number of ranks from 1 to 4096'
expect 2 "no number" -n abc true
has err '^prestorun: -n abc: a number of ranks from 1 to 4096'
expect 2 "a bad directory" --wdir "$work/nothing" true
has err '^prestorun: --wdir .*nothing: No such file'
expect 2 "a bad binding" --bind-to socket true
expect 2 "an unknown option" --nonsense true
has err '^prestorun: --nonsense: there is no such option;'
expect 2 "an unknown letter" -z true
has err '^prestorun: -z: there is no such option;'
expect 2 "an option without a value" --wdir
has err '^prestorun: --wdir: it needs a value;'

# What users of mpirun type: taken, or refused with what to do instead.
expect 0 "habits" -np 2 --allow-run-as-root --oversubscribe --map-by core:OVERSUBSCRIBE -bind-to none --host localhost:2,127.0.0.1 true
expect 2 "parameters of Open MPI" --mca btl self,vader -n 1 true
has err '^prestorun: --mca: .*leave it out'
expect 2 "no ranks of a host" --host localhost:0 true
expect 2 "another mapping" --map-by ppr:2:node true
has err '^prestorun: --map-by ppr:2:node: '
expect 0 "the ranks of a host" --host "localhost:2,$(uname -n)" echo here
[ "$(grep -c here "$work/out")" -eq 3 ] || fail "$what: not three"
expect 0 "one output" -n 2 --merge-stderr-to-stdout sh -c 'echo one >&2'
[ "$(cat "$work/out")" = "$(printf 'one\none')" ] || fail "$what: not on standard output"
expect 2 "no such reader" -n 2 --stdin 2 true
expect 2 "all read" -n 2 --stdin all true
expect 127 "a missing command" -n 2 "$work/nothing"
has err 'cannot run .*nothing: No such file'
: >"$work/file"
expect 127 "a file that is no program" -n 2 "$work/file"
has err 'cannot run .*file: Permission denied'
expect 0 "a directory" -n 1 --wdir / pwd
has out '^/$'
expect 0 "one dash" -np 1 -wdir / -timeout 60 -tag-output pwd
has out '^\[0\]<stdout>:/$'

# shellcheck disable=SC2016 # the ranks' shells expand it
{
    expect 0 "output" -np 3 sh -c 'echo "rank $PRESTO_RANK of $PRESTO_SIZE"; echo oops >&2'
    [ "$(sort "$work/out")" = "$(printf 'rank 0 of 3\nrank 1 of 3\nrank 2 of 3')" ] || fail "output: not three lines"
    [ "$(cat "$work/err")" = "$(printf 'oops\noops\noops')" ] || fail "output: not three errors"
    expect 0 "tags" -n 2 --tag-output sh -c 'echo a; printf b; echo c >&2'
    has out '^\[0\]<stdout>:a$'
    has out '^\[1\]<stdout>:a$'
    has err '^\[1\]<stderr>:c$'
    expect 0 "a last line without end" -n 1 printf end
    [ "$(cat "$work/out")" = end ] || fail "a last line without end: lost"
    expect 0 "a variable" -n 1 -x 'PLANET=Mars rover' sh -c 'echo "$PLANET"'
    has out '^Mars rover$'
    expect 0 "binding" -n 2 --bind-to hwthread sh -c 'grep Cpus_allowed_list /proc/self/status'
    grep -Eq 'list:[[:space:]]*[0-9]+$' "$work/out" || fail "binding: not one processor"
    expect 0 "binding to cores" -n 1 --bind-to core sh -c 'exec nproc'

    echo word | timeout -k 10 60 "$run" -n 2 cat >"$work/out" 2>"$work/err" || fail "input: exit status $?"
    [ "$(cat "$work/out")" = word ] || fail "input: rank 0, and no other, reads it"

    echo word | timeout -k 10 60 "$run" -n 3 --stdin 2 sh -c 'echo "$PRESTO_RANK$(cat)"' >"$work/out" 2>"$work/err" || fail "input of rank 2: exit status $?"
    [ "$(sort "$work/out")" = "$(printf '0\n1\n2word')" ] || fail "input of rank 2: another has read it"
    echo word | timeout -k 10 60 "$run" -n 1 --stdin none cat >"$work/out" 2>"$work/err" || fail "no input: exit status $?"
    [ ! -s "$work/out" ] || fail "no input: somebody has read it"

    # Several commands: numbers, directories and variables of each; what is not the ranks' to say.
    expect 0 "several commands" -n 1 -x A=1 -x PRESTO_SIZE=9 -x PRESTO_THREADS=2 --wdir / \
        sh -c 'echo "$PRESTO_APPNUM $PRESTO_RANK $PRESTO_SIZE ${A-none} ${PRESTO_THREADS-none}"; env | grep ^PWD' : \
        -n 2 sh -c 'echo "$PRESTO_APPNUM $PRESTO_RANK $PRESTO_SIZE ${A-none}"' :
    [ "$(sort "$work/out")" = "$(printf '0 0 3 1 none\n1 1 3 none\n1 2 3 none\nPWD=/')" ] || fail "$what: not what was asked for"
    expect 2 "a command without a number" true : -n 2 true
    has err '^prestorun: -n: of several commands each needs'
    expect 2 "no first command" : -n 2 true
    has err 'no command to run'
    expect 2 "an option behind a colon" -n 1 true : --mca a b -n 1 true
    has err '^prestorun: --mca: '
    expect 2 "too many ranks" -n 4000 true : -n 97 true
    expect 127 "the second is missing" -n 1 sleep 600 : -n 1 "$work/nothing"
    has err '^prestorun: rank 1 cannot run .*nothing: No such file'

    # Without standard input, output and error: rank 0 finds nothing to read, and what ranks print goes nowhere.
    for gone in '<&-' '>&-' '2>&-' '<&- >&- 2>&-'; do
        (eval "timeout 60 '$run' -n 2 sh -c 'cat; echo out; echo error >&2' $gone") </dev/null >"$work/out" 2>"$work/err"
        status=$?
        [ $status -eq 0 ] || fail "without $gone: exit status $status"
        case $gone in
        *' >&-'* | '>&-'*) [ ! -s "$work/out" ] || fail "without $gone: output" ;;
        *) [ "$(sort "$work/out")" = "$(printf 'out\nout')" ] || fail "without $gone: not what was printed" ;;
        esac
    done

    # What the ranks print is lost on a full disk; a reader who has gone did not want it.
    if [ -w /dev/full ]; then
        what="a full disk"
        timeout -k 10 60 "$run" -n 2 sh -c 'echo hello' >/dev/full 2>"$work/err"
        status=$?
        [ $status -eq 1 ] || fail "$what: exit status $status, not 1"
        has err '^prestorun: cannot write what the ranks print to standard output: No space left on device$'
        timeout -k 10 60 "$run" --help >/dev/full 2>"$work/err"
        status=$?
        [ $status -eq 1 ] || fail "$what, help: exit status $status, not 1"
        has err '^prestorun: cannot write to standard output: No space left on device$'
    fi

    # One rank fails, and the others would wait for long.
    expect 7 "an exit code" -n 3 sh -c '[ "$PRESTO_RANK" != 1 ] || exit 7; exec sleep 600'
    has err '^prestorun: rank 1 \(pid [0-9]+\) exited with code 7; ending the other ranks$'
    expect 137 "a kill" -n 3 sh -c '[ "$PRESTO_RANK" != 2 ] || kill -9 $$; exec sleep 600'
    has err '^prestorun: rank 2 \(pid [0-9]+\) was ended by signal 9 \(Killed\); ending the other ranks$'
    expect 3 "ranks that go on" -n 2 --keep-going sh -c '[ "$PRESTO_RANK" != 1 ] || exit 3; sleep 0.2; echo done'
    has out '^done$'
    expect 124 "a time-out" -n 2 --timeout 0.2 sleep 600

    # More ranks than cores, whose lines come in pieces.
    expect 0 "whole lines" -n 12 sh -c 'for i in 1 2 3 4 5; do printf "%s" "$PRESTO_RANK:"; printf "%s:" $i; echo end; done'
    [ "$(grep -cE '^[0-9]+:[1-5]:end$' "$work/out")" -eq 60 ] || fail "whole lines: some are mixed or lost"
    [ "$(wc -l <"$work/out")" -eq 60 ] || fail "whole lines: not 60"

    # A rank that says what is no message: the job ends, and prestorun tells which it was.
    expect 1 "a malformed message" -n 2 sh -c '[ "$PRESTO_RANK" != 0 ] || eval "printf nonsense >&$PRESTO_FD"; exec sleep 600'
    has err '^prestorun: rank 0 \(pid [0-9]+\) says what is no message .*; ending the job$'
    expect 1 "a message without end" -v -n 1 sh -c 'eval "printf \"\\1\\1\\122\\120\\377\\377\\377\\377\" >&$PRESTO_FD"; exec sleep 600'
    has err 'says what is no message \(kind 0x50520101, 4294967295 bytes\)'
    has err '^prestorun: 0 of 1 ranks joined, 1 messages refused, exit status 1$'

    expect 0 "verbose" -v -n 2 true
    has err '^prestorun: rank 1 is pid [0-9]+$'
    has err '^prestorun: rank 0 \(pid [0-9]+\) has ended: exit code 0$'

    # What a rank starts goes with it.
    expect 0 "a child left behind" -n 1 sh -c 'sleep 600 >/dev/null 2>&1 & echo $!'
    ! kill -0 "$(cat "$work/out")" 2>/dev/null || fail "a child left behind: it lives"
}

# until_true COMMAND...: for some seconds.
until_true() {
    tries=0
    until "$@" || [ $tries -gt 500 ]; do
        sleep 0.02
        tries=$((tries + 1))
    done
    [ $tries -le 500 ]
}

two_lines() {
    [ "$(wc -l <"$work/out")" -eq 2 ]
}

# Two ranks that have said their pids; prestorun's is in pid.
start_two() {
    : >"$work/out" # now: what starts in the background may come to it late
    "$run" -n 2 sh -c 'echo $$; exec sleep 600' >"$work/out" 2>"$work/err" &
    pid=$!
    until_true two_lines || fail "$what: two ranks do not start"
}

state_is() { # STATE PID
    grep -q "^State:.$1" "/proc/$2/status" 2>/dev/null
}

gone() {
    ! kill -0 "$1" 2>/dev/null
}

ends_with() { # CODE: prestorun, $pid, ends with this status, and no rank of those in the file lives
    wait $pid
    status=$?
    [ $status -eq "$1" ] || fail "$what: exit status $status, not $1"
    while read -r rank; do
        gone "$rank" || fail "$what: rank $rank lives"
    done <"$work/out"
}

# Fewer open files than the ranks need: said before any begins, also where nobody takes it at first. A soft limit is raised.
# shellcheck disable=SC2016 # the inner shell expands it
{
    for limit in 16 32 64; do
        what="$limit open files"
        timeout -k 1 120 sh -c 'ulimit -n "$0"; exec "$@"' $limit "$run" -n 60 sh -c 'echo begun' >"$work/out" 2>"$work/err"
        status=$?
        [ $status -eq 1 ] || fail "$what: exit status $status, not 1"
        has err "^prestorun: 60 ranks need (18[4-9]|19[0-9]) open files, and the limit is $limit: raise it \\(ulimit -n "
        [ "$(wc -l <"$work/err")" -eq 1 ] || fail "$what: says more"
        [ ! -s "$work/out" ] || fail "$what: a rank has begun"
    done
    what="as many open files as it says"
    needed=$(sed -n 's/.*(ulimit -n \([0-9]*\).*/\1/p' "$work/err")
    timeout -k 1 120 sh -c 'ulimit -n "$0"; exec "$@"' "$needed" "$run" -n 60 echo here >"$work/out" 2>"$work/err" || fail "$what: exit status $?"
    [ "$(grep -c here "$work/out")" -eq 60 ] || fail "$what: not 60"
    what="a soft limit of open files"
    timeout -k 1 120 sh -c 'ulimit -S -n 32; exec "$@"' 0 "$run" -n 60 true >"$work/out" 2>"$work/err" || fail "$what: exit status $?"
    what="few open files, and output that is taken late"
    { timeout -k 1 120 sh -c 'ulimit -n 32; exec "$@"' 0 "$run" -n 60 true 2>&1 || echo "exit status $?"; } | { sleep 0.3; cat; } >"$work/out"
    has out '^exit status 1$'
}

# Signals to prestorun.
for signal in TERM:143 HUP:129 INT:130; do
    code=${signal#*:}
    signal=${signal%:*}
    what="signal $signal"
    start_two
    kill -s "$signal" $pid
    ends_with "$code"
done

# Output that nobody takes keeps prestorun from nothing: it is given up when somebody wants the job to end.
# shellcheck disable=SC2016 # the ranks' shells expand it
{
    mkfifo "$work/fifo"
    for way in time-out TERM:out TERM:both; do
        what="output that nobody takes, $way"
        # shellcheck disable=SC2217 # to have it open is enough
        sleep 600 <"$work/fifo" &
        holder=$!
        : >"$work/out"
        case $way in
        time-out)
            code=124
            "$run" -n 2 --timeout 0.5 yes >"$work/fifo" 2>"$work/err" &
            ;;
        TERM:out)
            code=143
            "$run" -n 2 sh -c 'echo $$ >>"$0"; exec yes' "$work/out" >"$work/fifo" 2>"$work/err" &
            ;;
        TERM:both)
            code=143
            "$run" -n 2 sh -c 'echo $$ >>"$0"; exec yes' "$work/out" >"$work/fifo" 2>&1 &
            ;;
        esac
        pid=$!
        if [ "$code" -eq 143 ]; then
            until_true two_lines || fail "$what: two ranks do not start"
            sleep 0.3 # for the pipe to fill
            kill $pid
        fi
        until_true gone $pid || kill -s KILL $pid
        ends_with "$code"
        kill $holder
        wait $holder 2>/dev/null
    done
}

# Who reads late gets all of it, in whole lines, and then what prestorun says.
what="output that is taken late"
{ timeout -k 10 60 "$run" -v -n 2 sh -c 'seq 20000' 2>&1 || echo "exit status $?"; } | { sleep 0.5; cat; } >"$work/out"
: >"$work/err"
[ "$(grep -c '^[0-9]*$' "$work/out")" -eq 40000 ] || fail "$what: lines are lost or mixed"
has out '^prestorun: 0 of 2 ranks joined, 0 messages refused, exit status 0$'
[ "$(tail -n 1 "$work/out" | cut -c 1-10)" = prestorun: ] || fail "$what: not in order"
[ "$(grep -c 'exit status' "$work/out")" -eq 1 ] || fail "$what: has failed"

# Who starts prestorun may have signals ignored: a child's end is noticed all the same, and only nohup is heeded.
what="SIGCHLD ignored"
timeout -k 1 120 env --ignore-signal=CHLD "$run" -n 2 sh -c 'exit 3' >"$work/out" 2>"$work/err"
status=$?
[ $status -eq 3 ] || fail "$what: exit status $status, not 3"
what="nohup"
: >"$work/out"
# shellcheck disable=SC2016 # the ranks' shells expand it
env --ignore-signal=HUP "$run" -n 2 sh -c 'echo $$; while [ ! -e "$0" ]; do sleep 0.05; done' "$work/go" >"$work/out" 2>"$work/err" &
pid=$!
until_true two_lines || fail "$what: two ranks do not start"
kill -s HUP $pid
while read -r rank; do
    kill -s HUP "$rank"
done <"$work/out"
sleep 0.2 # for it to do harm
: >"$work/go"
wait $pid
status=$?
[ $status -eq 0 ] || fail "$what: exit status $status, not 0"

both_told() {
    [ "$(grep -c told "$work/out")" -eq 2 ]
}

# What a rank has started gets the signals, too, and time to heed them.
what="a program within a script"
: >"$work/out"
# shellcheck disable=SC2016 # the ranks' shells expand it
"$run" -n 2 sh -c 'trap : USR1; sh -c "$0"; :' \
    'trap "echo told" USR1; trap "sleep 0.5; echo saved; exit" TERM; echo ready; while :; do sleep 0.05; done' >"$work/out" 2>"$work/err" &
pid=$!
until_true two_lines || fail "$what: two ranks do not start"
kill -s USR1 $pid
until_true both_told || fail "$what: is not told"
kill $pid
wait $pid
status=$?
[ $status -eq 143 ] || fail "$what: exit status $status, not 143"
[ "$(grep -c saved "$work/out")" -eq 2 ] || fail "$what: has no time"

# What was a child of the shell that prestorun has replaced is none of the ranks'.
what="a child from before"
# shellcheck disable=SC2016 # the shell that is replaced expands it
timeout -k 10 60 sh -c 'sleep 600 & echo $! >"$0"; exec "$@"' "$work/before" "$run" -n 1 true >"$work/out" 2>"$work/err" || fail "$what: exit status $?"
kill "$(cat "$work/before")" 2>/dev/null || fail "$what: is gone"

# Stopped, all are, and go on together.
what="signal TSTP"
start_two
rank=$(head -n 1 "$work/out")
kill -s TSTP $pid
until_true state_is T "$rank" || fail "$what: a rank does not stop"
until_true state_is T $pid || fail "$what: prestorun does not stop"
kill -s CONT $pid
until_true state_is S "$rank" || fail "$what: a rank stays stopped"
kill $pid
wait $pid
[ $? -eq 143 ] || fail "$what: prestorun does not go on"

# From a terminal, where all have the signal: a rank gets it once.
what="interrupted in a terminal"
if command -v python3 >/dev/null; then
    timeout -k 10 60 python3 - "$run" >"$work/out" 2>"$work/err" <<'END' || fail "$what: exit status $?"
import os
import pty
import sys

RANK = """
import os, signal, time
heard, told = os.pipe()
os.set_blocking(told, False)
signal.signal(signal.SIGINT, lambda *_: None)
signal.set_wakeup_fd(told) # a byte for each
print("ready", flush=True)
first = os.read(heard, 1)
time.sleep(0.5)
os.set_blocking(heard, False)
try:
    first += os.read(heard, 100)
except BlockingIOError:
    pass
print("interrupted %d times" % len(first), flush=True)
"""
pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], [sys.argv[1], "-n", "2", sys.executable, "-c", RANK])
said, sent = b"", False
while True:
    try:
        piece = os.read(terminal, 4096)
    except OSError:
        break
    if not piece:
        break
    said += piece
    if not sent and said.count(b"ready") == 2:
        os.write(terminal, b"\x03")
        sent = True
code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
print(said.decode(), code)
sys.exit(said.count(b"interrupted 1 times") != 2 or code != 130)
END
else
    echo "not shown how ranks are interrupted in a terminal: there is no python3"
fi

# Killed, it can say nothing to anybody; the ranks go all the same, and files in memory have no names to leave.
what="signal KILL"
start_two
kill -s KILL $pid
wait $pid 2>/dev/null
while read -r rank; do
    until_true gone "$rank" || fail "$what: rank $rank lives"
done <"$work/out"

echo "prestorun: $failures failures"
[ $failures -eq 0 ]
