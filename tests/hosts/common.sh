# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# Sourced by the tests of apelink-hosts. Sets hosts (the program), here and work (a folder that goes away), and defines
# fail, expect, says, needs_hosts and finish. The state of the hosts lies in work, apart from that of other tests.

here=$(cd "$(dirname "$0")" && pwd)
hosts=${APELINK_BUILDDIR:-.}/tools/apelink-hosts
work=$(mktemp -d) || exit 1
failures=0
unset APELINK_HOSTS APELINK_HOST APELINK_HOSTS_TOOL
APELINK_HOSTS_DIR=$work/state
export APELINK_HOSTS_DIR

leave() {
    trap '' HUP INT TERM # the signal may come twice
    [ ! -d "$work/state" ] || for folder in "$work"/state/*/; do
        [ ! -d "$folder" ] || "$hosts" down --name "$(basename "$folder")" >/dev/null 2>&1
    done
    rm -rf "$work"
}
trap leave EXIT
trap 'exit 1' HUP INT TERM

skip() {
    echo "skipped: $*"
    exit 77
}

fail() {
    echo "FAIL: $*"
    failures=$((failures + 1))
}

# expect STATUS COMMAND...: what it prints is in $work/out and $work/err.
expect() {
    wanted=$1
    shift
    "$@" >"$work/out" 2>"$work/err" </dev/null
    status=$?
    [ "$status" -eq "$wanted" ] || {
        fail "$*: exit status $status instead of $wanted"
        sed 's/^/    /' "$work/out" "$work/err"
    }
}

# says FILE TEXT: the file has the text.
says() {
    grep -qF -- "$2" "$work/$1" || {
        fail "no \"$2\" in:"
        sed 's/^/    /' "$work/$1"
    }
}

needs_hosts() {
    sh "$here/possible.sh" || exit 77
}

finish() {
    [ $failures -eq 0 ] && echo "$1"
    exit $((failures > 0))
}
