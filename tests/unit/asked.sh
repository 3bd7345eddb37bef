# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# Sourced by btl_asked.sh, mtl_asked.sh and pml_asked.sh: whether a component takes part in a run, and what it shows. The
# script defines is_used: whether it did, by what is said.
. "$(dirname "$0")/component.sh"

program=$build/tests/unit/btl_sum
verbose= # arguments that have Open MPI say what it selects

# ended 0|1 WORDS: whether the last run was to end well.
ended() {
    if [ "$1" = 0 ]; then
        [ "$status" -eq 0 ] || fail "$2: exit status $status"
    else
        [ "$status" -ne 0 ] || fail "$2: exit status 0"
    fi
}

# run ARGUMENT...: two ranks.
run() {
    # shellcheck disable=SC2086 # several words
    start -n 2 $verbose "$@" "$program"
}

# expect 0|1 used|unused ARGUMENT...
expect() {
    good=$1
    use=$2
    shift 2
    run "$@"
    ended "$good" "$*"
    if is_used; then
        [ "$use" = used ] || fail "$*: it is used"
    else
        [ "$use" = unused ] || fail "$*: it is not used"
    fi
}

# shows "WORDS" PREFIX ARGUMENT...: what PREFIX_show_links and PREFIX_show_memory print, and nothing else does; the words begin it.
shows() {
    who="$1: process 0 on"
    prefix=$2
    shift 2
    links="$who $(hostname | cut -d. -f1)[^ ]* reached others by shm 1 (the only link; long messages go .*)\$"
    memory="$who [^ ]* has [1-9][0-9]* KiB of shared memory, [0-9]* rings in it; [0-9]* times one .*; unexpected messages took [0-9]* KiB at most\$"
    run "$@"
    ! grep -q reached "$work/out" || fail "the links are shown though nobody asked for it"
    ! grep -q "of shared memory" "$work/out" || fail "the memory is shown though nobody asked for it"
    run "$@" --mca "${prefix}_show_links" yes
    [ "$(grep -c "$links" "$work/out")" = 1 ] || fail "the links are not shown once"
    ! grep -q "of shared memory" "$work/out" || fail "the memory is shown with the links"
    run "$@" --mca "${prefix}_show_memory" yes
    [ "$(grep -c "$memory" "$work/out")" = 1 ] || fail "the memory is not shown once"
}
