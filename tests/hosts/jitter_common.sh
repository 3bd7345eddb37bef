# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh disable=SC2154 # hosts and work are those of common.sh
# Sourced after common.sh by the tests of the OSU programs between hosts whose link shakes. Defines shaking_hosts and osu_programs.
runs=0

# Two hosts. Frames take up to 10 ms at each host's end of the wire, so that no two messages take the same time.
shaking_hosts() {
    expect 0 "$hosts" up -n 2 --link delay=5ms,jitter=5ms
    expect 0 "$hosts" ls
    [ "$(grep -c 'jitter=5ms' "$work/out")" = 2 ] || fail "links of two hosts do not shake: $(cat "$work/out")"
}

# passes RANKS ROWS WORD...: neighbours in rank are on different hosts; all ROWS rows have been checked and are right.
passes() {
    ranks=$1
    rows=$2
    shift 2
    runs=$((runs + 1))
    expect 0 "$hosts" exec h1 timeout -k 10 120 "${MPIRUN:-mpirun}" --map-by node --bind-to none -n "$ranks" "$@"
    { [ "$(grep -c 'Pass$' "$work/out")" = "$rows" ] && ! grep -q Fail "$work/out"; } ||
        fail "$*: not $rows rows that pass: $(cat "$work/out" "$work/err")"
}

# osu_programs FOLDER ARGUMENT...: the programs of the folder, with arguments for mpirun. Short and long messages of each way to
# send them, and odd sizes.
osu_programs() {
    folder=$1
    shift
    few="-c -i 4 -x 1"
    sizes="1,8,65,1000,5000,64K,300000"
    # shellcheck disable=SC2086 # $few is a list of words
    {
        passes 2 7 "$@" "$folder/osu_latency" $few -m $sizes
        passes 2 7 "$@" "$folder/osu_bw" $few -m $sizes -W 16
        passes 4 7 "$@" "$folder/osu_mbw_mr" $few -m $sizes -W 8
        passes 4 2 "$@" "$folder/osu_allreduce" $few -m 8,64K
        passes 4 7 "$@" "$folder/osu_alltoall" $few -m $sizes
    }
}
