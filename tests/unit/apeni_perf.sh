#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# apeni-perf: every mode over every link with few iterations, its formats, what it says about a bad option, that it
# leaves no process behind. No figure is judged.
set -u

build=${APELINK_BUILDDIR:-.}
src=${APELINK_SRCDIR:-.}
tool=$build/tools/apeni-perf
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0
few="-i 4 -x 1 --reps 2"

# Whatever the caller has set must not decide these tests.
for name in $(env | sed -n 's/^\(APENI_[A-Za-z0-9_]*\)=.*/\1/p'); do
    unset "$name"
done

fail() {
    echo "FAIL: $*"
    failures=$((failures + 1))
}

show() {
    sed 's/^/    /' "$work/$1"
}

# expect STATUS ARGUMENT...: runs the tool; the output is in $work/out and $work/err.
expect() {
    wanted=$1
    shift
    LC_ALL=C "$tool" "$@" >"$work/out" 2>"$work/err"
    status=$?
    [ "$status" -eq "$wanted" ] || {
        fail "apeni-perf $*: exit status $status instead of $wanted"
        show err
    }
}

# says FILE TEXT: the file has the text.
says() {
    grep -qF -- "$2" "$work/$1" || {
        fail "no \"$2\" in:"
        show "$1"
    }
}

silent() {
    [ ! -s "$work/err" ] || {
        fail "unexpected on standard error:"
        show err
    }
}

# table ROWS VALUES: the output has so many rows, each a size and so many values, numbers above 0 or "-", and data was
# as it should be.
table() {
    awk -v rows="$1" -v values="$2" '
        /^#/ { next }
        $NF != "Pass" { print "not Pass: " $0; bad = 1 }
        { n++ }
        $1 !~ /^[0-9]+$/ { print "no size: " $0; bad = 1 }
        { for (i = 2; i < 2 + values; i++)
              if ($i != "-" && ($i !~ /^[0-9.]+$/ || $i <= 0)) { print "no value: " $0; bad = 1 } }
        $2 == "-" { empty++ }
        END {
            if (n != rows) { print n + 0 " rows instead of " rows; bad = 1 }
            if (empty == n) { print "no values at all"; bad = 1 }
            exit bad
        }' "$work/out" >"$work/table" || {
        fail "the table is wrong:"
        show table
        show out
    }
}

# csv ROWS: header, so many rows, fields as the header says.
csv() {
    awk -F, -v rows="$1" '
        NR == 1 { if ($0 != "bench,link,size,value,unit,line_ns,state") { print "header: " $0; bad = 1 }; next }
        NF != 7 || $1 !~ /^[a-z_]+$/ || $2 !~ /^(shm|inproc|ucx)$/ || $3 !~ /^[0-9]+$/ || $4 <= 0 ||
            $5 !~ /^(us|ns|MB\/s|messages\/s)$/ || $6 !~ /^[0-9.]*$/ ||
            $7 !~ /^(shared|near|between|far|mixed|busy|none)$/ { print "row: " $0; bad = 1 }
        END { if (NR != rows + 1) { print NR - 1 " rows instead of " rows; bad = 1 }; exit bad }
        ' "$work/out" >"$work/csv" || {
        fail "the CSV is wrong:"
        show csv
    }
}

expect 2 latency --stamps -o write
says err '--stamps'
expect 2 rate --stamps
says err '--stamps means nothing to the mode rate'
expect 0 --help
says out 'usage: apeni-perf'
silent
expect 0 -V
says out 'apeni-perf '

# every mode over every link; 1M is too long for a message over inproc, 16K is not for a transfer
for link in shm inproc; do
    # shellcheck disable=SC2086 # several options
    {
        expect 0 latency --link $link $few -c -m 4,8,100,16K
        table 4 5
        silent
        expect 0 latency --link $link $few -c -r -m 8,4K,64K
        table 3 5
        expect 0 latency --link $link $few --stamps -m 8,100,1K
        grep -q 'depart(ns).*arrive(ns).*deliver(ns).*error(ns)' "$work/out" || fail "no stamps in the heading"
        awk '!/^#/ { n++; if (NF < 14) bad = 1; for (i = 2; i <= 11; i++) if ($i !~ /^[0-9.]+$/) bad = 1 }
            END { exit bad || n != 3 }' "$work/out" || { fail "the stamps are wrong:"; show out; }
        silent
        expect 0 latency --link $link $few --stamps -m 8,16 -o message --csv
        csv 10
        for mode in bw bibw; do
            expect 0 $mode --link $link $few -c -W 5 -m 1,8K,64K -o read,write,message,inline
            table 3 4
            silent
        done
        expect 0 rate --link $link $few -c
        table 1 2
        expect 0 mbw --link $link $few -c -p 2 -W 3 -m 8,1K
        table 2 2
        silent
    }
done
# by UCX, or it is said that there is none
if "$build/tools/apeni-info" --build | grep -q 'links.* ucx '; then
    # shellcheck disable=SC2086
    {
        expect 0 latency --link ucx $few -c -m 8,16K
        table 2 5
        says out 'link ucx, cores'
        silent
        expect 0 bw --link ucx $few -c -W 5 -m 1,64K -o read,write,message
        table 2 3
        expect 0 rate --link ucx $few --csv
        csv 2
        says out 'rate_message,ucx,8,'
    }
else
    expect 1 latency --link ucx
    says err 'UCX'
fi
# shellcheck disable=SC2086
{
    expect 0 search $few -m 1,32,33,100
    grep -q '^32 ' "$work/out" || fail "no row for 32 entries"
    expect 0 table $few -m 32:32 --csv
    csv 6
    says out 'search_worst,inproc,32,'
    silent

    # ranges as the OSU programs take them
    expect 0 latency $few -m 8:64 -o message --link inproc --csv
    csv 4
    expect 0 latency $few -m 2 -o message --link inproc --csv
    csv 2
    expect 0 latency $few -m 4,8,16 --csv --digits 1
    csv 14
    says out 'latency_fetch_op,shm,8,'
    expect 0 bw $few -m 1K,4K -W 2 --csv
    csv 6
    expect 0 mbw $few -m 8:8 -p 1 --csv
    csv 2

    # long transfers without the kernel, and both sides on one core
    LC_ALL=C APENI_SHM_COPY=copy "$tool" bibw $few -c -W 2 -m 64K,256K >"$work/out" 2>"$work/err" ||
        fail "copying through shared memory does not work"
    table 2 3
    core=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*\([0-9]*\).*/\1/p' /proc/self/status)
    expect 0 latency $few -c -m 8,8K --cores "$core,$core"
    table 2 5
    says out 'none'
}

if command -v python3 >/dev/null 2>&1; then
    for mode in latency bw rate mbw search; do
        # shellcheck disable=SC2086
        expect 0 $mode $few -m 8,16 --json
        python3 -c 'import json, sys
data = json.load(sys.stdin)
assert data["program"] == "apeni-perf" and data["mode"] == sys.argv[1], data
assert len(data["rows"]) >= 2, data
for row in data["rows"]:
    assert row["bench"].startswith(sys.argv[1] + "_") and row["size"] in (8, 16), row
    assert 0 < row["min"] <= row["value"] <= row["max"] and row["reps"] in (1, 2), row
    assert row["line_ns"] is None or row["line_ns"] > 0, row' "$mode" <"$work/out" || {
            fail "the JSON of $mode is not as it should be"
            show out
        }
    done
else
    echo "JSON not checked: no python3"
fi

# a bad option is named, with what is accepted
bad() {
    text=$1
    shift
    expect 2 "$@"
    says err "$text"
    [ ! -s "$work/out" ] || fail "apeni-perf $* prints something before it complains"
}
bad 'what is to be measured?'
bad 'unknown mode "lat"' lat
bad 'unexpected argument "bw"' latency bw
bad 'unknown option "-z"' latency -z
bad 'unknown option "--zork"' latency --zork
bad '--csv=yes: this option takes no value' latency --csv=yes
bad '-m: its value is missing' latency -m
bad '-m "9Q": wanted is' latency -m 9Q
bad '-m "8,,16": wanted is' latency -m 8,,16
bad '-m "0": wanted is' latency -m 0
bad '-m "2G": wanted is' latency -m 2G
bad '-m "16:8": the smallest size is above the largest' latency -m 16:8
bad '-i "0": wanted is a whole number from 1' latency -i 0
bad '-i "1x": wanted is a whole number from 1' latency -i 1x
bad '-W "-1": wanted is a whole number from 1' bw -W -1
bad '-p "99": wanted is a whole number from 1 to 32' mbw -p 99
bad '--reps "102": wanted is a whole number from 1 to 101' latency --reps 102
bad '--link "tcp": the links are shm, inproc, ucx and dev' latency --link tcp
bad '--ops "put": latency measures any of message' latency --ops put
bad '--ops "fetch_op": bw measures any of' bw --ops fetch_op
bad '--ops "read,write": mbw measures one of' mbw --ops read,write
bad '--cores "0": wanted are two cores' latency --cores 0
bad '--cores "0,x": wanted are numbers of cores' latency --cores 0,x
bad '--cores: core 1023 does not exist' latency --cores 0,1023
bad '--pairs means nothing to the mode latency' latency -p 2
bad '--rewrite means nothing to the mode bw' bw -r
bad '--write means nothing to the mode bw' bw --write "$work/file"
bad '--json means nothing to the mode tune' --tune --json
bad 'the mode board needs --devices' board
bad '--ops means nothing to the mode board' board -o read
expect 1 board --devices "$work/none"
says err 'it cannot be opened: No such file or directory; see docs/board.md'
bad 'a table has at most' search -m 2M

LC_ALL=C APENI_SHM_RNG_SIZE=32K "$tool" rate >"$work/out" 2>"$work/err"
[ $? -eq 1 ] || fail "a misspelt parameter in the environment is not noticed"
says err 'did you mean APENI_SHM_RING_SIZE?'
[ "$(grep -c APENI "$work/err")" -eq 1 ] || fail "it is not said once"

if [ -w /dev/full ]; then
    "$tool" search -m 1 -i 10 >/dev/full 2>"$work/err"
    [ $? -eq 1 ] || fail "apeni-perf does not notice that it cannot write"
    says err 'standard output'
    "$tool" --help >/dev/full 2>"$work/err"
    [ $? -eq 1 ] || fail "apeni-perf does not notice that it cannot write its help"
    says err 'standard output'
fi

# Nothing of its own takes the place of standard output, where its table would go instead.
"$tool" latency -m 8 -i 10 -R 1 >&- 2>"$work/err"
[ $? -eq 1 ] || fail "apeni-perf does not notice that there is no standard output"
says err 'cannot write to standard output'

# tuning: both kinds of files, and what is recommended is accepted
expect 0 --tune --quick --write "$work/tune.conf"
says out '# For the environment:'
says out '# shm_copy, now auto'
says out '# Copy in and out (message), or a single copy'
# each parameter is tried, or there is a reason why it is not
sed -n 's/^NI_PARAM_ROW(\([a-z_]*\),.*/\1/p' "$src/ni/base/params.def" >"$work/names"
while read -r name; do
    upper=$(echo "$name" | tr '[:lower:]' '[:upper:]')
    grep -Eq "^(# as it is: )?APENI_$upper=|^#   $name +now .*: [a-z-]" "$work/out" || fail "--tune says nothing about $name"
done <"$work/names"
grep -v '^#' "$work/tune.conf" | grep -v '^$' | grep -Eqv '^(btl_apelink|mtl_match|pml_match)_[a-z_]* = [0-9a-zA-Z]*$' &&
    fail "not only MCA parameters in $(cat "$work/tune.conf")"
grep '^APENI_' "$work/out" >"$work/settings"
while read -r setting; do
    env "$setting" "$build/tools/apeni-info" --params >/dev/null || fail "recommended, but not accepted: $setting"
done <"$work/settings"
bad_file=$work/no/such/folder
expect 1 --tune --quick --write "$bad_file"
says err "--write \"$bad_file\""

# whatever ends it, its processes end
"$tool" latency -m 8 -i 100000000 >/dev/null 2>&1 &
parent=$!
workers=
for _ in $(seq 300); do
    [ -e "/proc/$parent/task/$parent/children" ] || break
    sleep 0.2
    workers=$(cat "/proc/$parent/task/$parent/children" 2>/dev/null)
    [ "$(echo "$workers" | wc -w)" -eq 2 ] && break
done
[ -n "$workers" ] || echo "not checked whether processes are left: no list of children in /proc"
kill -9 $parent
wait $parent 2>/dev/null
for worker in $workers; do
    for _ in $(seq 300); do
        state=$(sed -n 's/^State:[[:space:]]*\(.\).*/\1/p' "/proc/$worker/status" 2>/dev/null)
        case $state in
        '' | Z | X) break ;;
        esac
        sleep 0.3
    done
    case $state in
    '' | Z | X) ;;
    *)
        fail "process $worker is left in state $state"
        kill -9 "$worker"
        ;;
    esac
done

if command -v mandoc >/dev/null 2>&1; then
    mandoc -T lint -W warning "$src/docs/man/apeni-perf.1" || fail "remarks on docs/man/apeni-perf.1"
fi

[ $failures -eq 0 ] && echo "apeni-perf does what its manual says"
exit $((failures > 0))
