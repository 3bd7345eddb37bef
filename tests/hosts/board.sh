#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# btl apelink with links=dev: ranks of two hosts, and of the four of a torus, reach each other by an APEnet+ card for each
# host, those of one host by shared memory.
devices=
. "$(dirname "$0")/common.sh"
needs_hosts
. "$here/components.sh"
# shellcheck source=/dev/null
. "${APELINK_SRCDIR:-$here/../..}/tests/links/boards.sh"
trap 'end_boards KILL; leave' EXIT

# run PROGRAM RANKS...: half of the ranks on each host, whose card is by a device of its own. $components are what they use.
components="--mca pml ob1 --mca btl apelink,self --mca btl_apelink_links dev --mca btl_apelink_show_links yes"
run() {
    program=$build/tests/mpi/$1
    half=$(($2 / 2))
    shift 2
    # shellcheck disable=SC2086 # words
    expect 0 "$hosts" exec h1 timeout -k 10 300 "${MPIRUN:-mpirun}" --bind-to none --map-by slot --hostfile @HOSTFILE@ \
        --mca mpi_yield_when_idle 1 $components \
        --host "h1:$half" -n "$half" -x "APENI_DEV_DEVICE=${devices% *}" "$program" "$@" : \
        --host "h2:$half" -n "$half" -x "APENI_DEV_DEVICE=${devices#* }" "$program" "$@"
    says out MT-OK
    cat "$work/out" "$work/err" >"$work/reached"
}

# square HOSTS COMMAND: one rank on each of these hosts, with their numbers from 1 on; COMMAND is words.
square() {
    ranks=$1
    command=$2
    set --
    for rank in $ranks; do
        [ $# -eq 0 ] || set -- "$@" :
        # shellcheck disable=SC2086 # words
        set -- "$@" --host "h$rank" -n 1 --wdir "$work" -x "APENI_DEV_DEVICE=$work/device$((rank - 1))/apelink0" $command
    done
    expect 0 "$hosts" exec h1 timeout -k 10 300 "${MPIRUN:-mpirun}" --bind-to none --map-by slot --hostfile @HOSTFILE@ \
        --mca mpi_yield_when_idle 1 --mca pml ob1 --mca btl apelink,self --mca btl_apelink_links dev "$@"
}

# run_netpipe: between opposite corners, up to 16 KiB; of each size a line comes out.
run_netpipe() {
    command -v NPopenmpi >/dev/null 2>&1 || { echo "netpipe: not run, there is no NPopenmpi (Debian: netpipe-openmpi)"; return; }
    square "1 4" "NPopenmpi -u 16384 -n 10 -o $work/bandwidths"
    [ "$(wc -l <"$work/bandwidths")" -gt 20 ] || fail "netpipe has said only: $(cat "$work/bandwidths")"
    echo "netpipe: $(tail -n 1 "$work/bandwidths" | awk '{print $1 " bytes, " $2 " Mbit/s"}')"
}

# run_hpcc: all of its benchmarks, small, on all four hosts; each checks its results.
run_hpcc() {
    example=/usr/share/doc/hpcc/examples/_hpccinf.txt
    { command -v hpcc >/dev/null 2>&1 && [ -r $example ]; } || { echo "hpcc: not run, it is not installed (Debian: hpcc)"; return; }
    awk 'NR == 6 { $0 = "240 Ns" } NR == 8 { $0 = "40 NBs" } NR == 11 { $0 = "2 Ps" } NR == 12 { $0 = "2 Qs" } { print }' \
        $example >"$work/hpccinf.txt"
    square "1 2 3 4" hpcc
    { grep -q '^Success=1' "$work/hpccoutf.txt" && grep -q PASSED "$work/hpccoutf.txt" && ! grep FAILED "$work/hpccoutf.txt"; } ||
        fail "hpcc: $(tail -n 20 "$work/hpccoutf.txt")"
    echo "hpcc: $(grep -c PASSED "$work/hpccoutf.txt") checks passed"
}

# One card, with loop-back.
start_boards 1
card=$devices
devices="$card $card"
expect 0 "$hosts" up -n 2
run p2p_match 2
says reached 'btl apelink: process 0 on h1 reached others by dev 1 (out of reach of the first; long messages go by packets)'
state 0 'r["rx_packets"] > 100 and sum(r["link_packets"]) == 0' || fail "nothing has gone by the card"
end_boards
expect 0 "$hosts" down

start_boards 2
expect 0 "$hosts" up -n 2
run p2p_sizes 2 -m 20000
says reached 'btl apelink: process 0 on h1 reached others by dev 1 (out of reach of the first; long messages go by packets)'
run p2p_all 4
says reached 'btl apelink: process 0 on h1 reached others by shm 1 (the first link that reaches them; long messages go by '
says reached 'dev 2-3 (out of reach of the first; long messages go by packets)'
# Many messages at once. The list of MPI tests is for the stage hosts-dev.
run p2p_match 2
# The same card under the MTL.
components="--mca pml cm --mca mtl match --mca mtl_match_links dev --mca mtl_match_show_links yes"
run p2p_match 2
says reached 'mtl match: process 0 on h1 reached others by dev 1'
end_boards
expect 0 "$hosts" down

# A torus of 2x2: what goes from a corner to the opposite one is forwarded by the card between.
start_square
expect 0 "$hosts" up -n 4
square "1 2 3 4" "$build/tests/mpi/p2p_all -n 10"
says out MT-OK
forwarded=0
for card in 0 1 2 3; do
    state $card 'sum(r["link_packets"]) > r["rx_packets"]' && forwarded=$((forwarded + 1))
done
[ $forwarded -gt 0 ] || fail "no card has forwarded anything"
echo "2x2: $forwarded cards have forwarded packets"
if [ "${APELINK_TEST_ALL-}" = yes ]; then
    run_netpipe
    run_hpcc
fi
finish "ranks of several hosts reached each other by cards"
