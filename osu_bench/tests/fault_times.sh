#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# fault_times: each thing fails once, and the master comes to know of all of them; without cards where there can be none.
set -u

src=${APELINK_SRCDIR:?}
build=${APELINK_BUILDDIR:?}
[ -x "$build/hfm/apelink-hfm" ] || { echo "skipped: apelink-hfm was not built, for want of libevent"; exit 77; }
command -v python3 >/dev/null 2>&1 || { echo "skipped: no python3"; exit 77; }
failures=0

run() { # LINES OPTION...
    lines=$1
    shift
    # periods that a busy machine keeps
    said=$("$src/osu_bench/fault_times" --build "$build" --rounds 1 --write 20 --read 50 --ping 50 "$@" 2>&1)
    status=$?
    case $said in
    *'no FUSE passthrough'* | *'only root may serve'* | */dev/fuse*)
        echo "skipped: $said"
        exit 77
        ;;
    esac
    [ $status = 0 ] && [ "$(echo "$said" | grep -cE '^[a-z CR]+( +[0-9.]+){4}$')" = "$lines" ] &&
        echo "$said" | grep -q '^0 not known within 20 s' && return
    failures=$((failures + 1))
    echo "FAIL: $*: $said"
}

run 3 --no-cards --torus 3x1x1
[ "$(id -u)" -ne 0 ] || run 8 --torus 3x1x1
echo "$failures failures"
[ "$failures" -eq 0 ]
