#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What the programs print, without and with options: tables that scripts for the OSU suite can read, and sentences for
# mistakes that name the value.
. "$(dirname "$0")/common.sh"

# prints PATTERN FILE WHAT: a line of the file matches.
prints() {
    grep -Eq "$1" "$work/$2" && return
    fail "$3: no line '$1' in:"
    cat "$work/$2"
}

# columns NUMBER SIZES WHAT: the table has these sizes in this order, each row with so many columns.
columns() {
    found=$(awk -v n="$1" '/^#/ || NF == 0 { next } NF != n { print "row of " NF " columns" } { printf "%s ", $1 }' \
        "$work/out")
    [ "$found" = "$2 " ] || fail "$3: rows '$found', wanted '$2' with $1 columns"
}

few="-i 4 -x 1"
# shellcheck disable=SC2086 # $few is a list of words
{
    mpi 2 "$programs/osu_latency" $few -m 4:16 || fail "osu_latency: $(cat "$work/err")"
    prints '^# OSU-style MPI Latency Test v' out osu_latency
    prints '^# Size +Latency \(us\)$' out osu_latency
    prints '^8 +[0-9]+\.[0-9][0-9]$' out osu_latency
    columns 2 "4 8 16" osu_latency

    mpi 2 "$programs/osu_latency" $few -m 0:2 --digits 4 -z50,99 || fail "osu_latency -z: $(cat "$work/err")"
    prints '^# Size +Latency \(us\) +P50 Tail Lat\(us\) +P99 Tail Lat\(us\)$' out "osu_latency -z"
    prints '^1 +[0-9]+\.[0-9]{4} ' out "osu_latency --digits"
    columns 4 "0 1 2" "osu_latency -z"

    for program in osu_latency osu_multi_lat; do
        mpi 2 "$programs/$program" $few -m 1,64,20000 -u || fail "$program -u: $(cat "$work/err")"
        columns 2 "1 64 20000" "$program -u"
    done

    mpi 2 "$programs/osu_bw" $few -m 2 -b multiple -c || fail "osu_bw: $(cat "$work/err")"
    prints '^# Size +Bandwidth \(MB/s\) +Validation$' out osu_bw
    columns 3 "1 2" osu_bw

    mpi 2 "$programs/osu_mbw_mr" $few -m 8,100 -W 3 || fail "osu_mbw_mr: $(cat "$work/err")"
    prints '^# \[ pairs: 1 \] \[ window size: 3 \]$' out osu_mbw_mr
    prints '^# Size +MB/s +Messages/s$' out osu_mbw_mr
    columns 3 "8 100" osu_mbw_mr
    # MB/s are rounded to two digits: on a crowded machine that is much.
    awk '$1 == 100 { d = ($2 * 1e6 / 100 - $3) / ($3 * 0.1 + 51); exit !(d > -1 && d < 1) }' "$work/out" ||
        fail "osu_mbw_mr: bytes and messages disagree: $(cat "$work/out")"
    mpi 2 "$programs/osu_mbw_mr" $few -m 8,100 -R 0 || fail "osu_mbw_mr -R: $(cat "$work/err")"
    columns 2 "8 100" "osu_mbw_mr -R 0"

    mpi 2 "$programs/osu_allreduce" $few -m 2:8 -f || fail "osu_allreduce: $(cat "$work/err")"
    prints '^# Size +Avg Latency\(us\) +Min Latency\(us\) +Max Latency\(us\) +Iterations$' out osu_allreduce
    columns 5 "4 8" osu_allreduce
    awk '/^[0-9]/ && !($3 <= $2 && $2 <= $4 && $5 == 4) { exit 1 }' "$work/out" ||
        fail "osu_allreduce: minimum, mean, maximum, iterations: $(cat "$work/out")"

    mpi 2 "$programs/osu_barrier" $few || fail "osu_barrier: $(cat "$work/err")"
    prints '^# +Avg Latency\(us\)$' out osu_barrier

    mpi 2 "$programs/osu_put_latency" $few -m 8 -w create -s lock || fail "osu_put_latency: $(cat "$work/err")"
    prints '^# Window creation: MPI_Win_create$' out osu_put_latency
    prints '^# Synchronization: MPI_Win_lock/unlock$' out osu_put_latency
    mpi 2 "$programs/osu_fop_latency" $few || fail "osu_fop_latency: $(cat "$work/err")"
    prints '^# Window creation: MPI_Win_allocate$' out osu_fop_latency
    prints '^# Synchronization: MPI_Win_flush$' out osu_fop_latency
    columns 2 8 osu_fop_latency

    mpi 2 "$programs/osu_latency_mt" $few -m 8 -t 2:1 || fail "osu_latency_mt: $(cat "$work/err")"
    prints '^# Number of Sender threads: 2$' out osu_latency_mt
    prints '^# Number of Receiver threads: 1$' out osu_latency_mt
}

mpi 2 "$programs/osu_deep_queue" -i 4 -x 1 -q unexpected -o reverse -a 25 -d 0,7 -m 16 ||
    fail "osu_deep_queue: $(cat "$work/err")"
prints '^# OSU-style MPI Deep Queue Latency Test v' out osu_deep_queue
prints '^# Queue: unexpected messages of 16 bytes$' out osu_deep_queue
prints '^# Order: reverse$' out osu_deep_queue
prints '^# Wildcards: 25 %$' out osu_deep_queue
prints '^# Depth +Latency \(us\)$' out osu_deep_queue
columns 2 "0 7" osu_deep_queue

mpi 2 "$programs/osu_acc_pieces" -i 2 -n 20 -m 400 || fail "osu_acc_pieces: $(cat "$work/err")"
prints '^400  *[0-9][0-9.]*$' out osu_acc_pieces
mpi 2 "$programs/osu_acc_pieces" -w anywhere && fail "osu_acc_pieces -w anywhere is taken"
prints "usage: osu_acc_pieces" err "osu_acc_pieces -w anywhere"
mpi 2 "$programs/osu_file" -d "$work" -b 4096 -m 1 -i 1 || fail "osu_file: $(cat "$work/err")"
prints '^# 2 ranks, blocks of 4096 bytes in turns$' out osu_file
columns 2 "write_all read_all write_at pwrite" osu_file
ls "$work"/osu_file.* >/dev/null 2>&1 && fail "osu_file leaves its file"
mpi 1 "$programs/osu_file" -b 0 && fail "osu_file -b 0 is taken"
prints "osu_file: '0': a number from 1 to" err "osu_file -b 0"

# refuses PATTERN RANKS PROGRAM ARGUMENT...: fails with one such line on stderr, for all ranks together.
refuses() {
    pattern=$1
    ranks=$2
    program=$3
    shift 3
    mpi "$ranks" "$programs/$program" "$@" && fail "$program $* was taken"
    [ "$(grep -Ec -- "$pattern" "$work/err")" = 1 ] && return
    fail "$program $* with $ranks ranks: not one line '$pattern' in:"
    cat "$work/err"
}

refuses "osu_latency: --message-size '12x': wanted is" 2 osu_latency -m 12x
refuses "--message-size '8:4': wanted is .*MIN not above MAX" 2 osu_latency -m 8:4
refuses "--message-size '8,,4': wanted is" 2 osu_latency -m 8,,4
refuses "--message-size '2G': wanted is" 2 osu_latency -m 2G
refuses "--message-size needs a value" 2 osu_latency -m
refuses "--iterations '0': wanted is a number from 1 to 1000000000" 2 osu_latency -i 0
refuses "--warmup '-1': wanted is a number from 0 to 1000000000" 2 osu_latency -x -1
refuses "--window-size '0': wanted is a number from 1 to 65536" 2 osu_bw -W 0
refuses "--win-option 'made': wanted is create, allocate or dynamic" 2 osu_put_latency -w made
refuses "--sync-option 'sink': wanted is lock, flush" 2 osu_get_bw -s sink
refuses "--type 'mpi_float': wanted is mpi_char, mpi_int or mpi_long_long" 2 osu_cas_latency -T mpi_float
refuses "--num-threads '0:2': wanted is" 2 osu_latency_mt -t 0:2
refuses "--tail-lat '101': wanted is" 2 osu_latency -z101
refuses "--depth '0,1048577': wanted is a list of up to 64 depths, each at most 1048576" 2 osu_deep_queue -d 0,1048577
refuses "--queue 'late': wanted is posted or unexpected" 2 osu_deep_queue -q late
refuses "--order 'sorted': wanted is forward, reverse or random" 2 osu_deep_queue -o sorted
refuses "--pattern 'star': wanted is exch, ring, halo6, pers, any or late" 2 osu_patterns -P star
refuses "--peers 'many': wanted is a list of up to 64 numbers of ranks" 2 osu_peers -N many
refuses "--peers 7: that takes 9 ranks, and there are 2" 2 osu_peers -N 0,7
refuses "--wildcards '101': wanted is a percentage" 2 osu_deep_queue -a 101
refuses "--message-size '8,16': wanted is a number of bytes" 2 osu_deep_queue -m 8,16
refuses "11 buffers of 1024 bytes exceed the limit of 4096 .*largest depth" 2 osu_deep_queue -b multiple -d 10 -m 1K -M 4K
refuses "this program has no option -W" 2 osu_latency -W 4
refuses "'--speed' is no option" 2 osu_latency --speed
refuses "'fast' is not an option" 2 osu_latency fast
refuses "osu_latency: 3 ranks: it needs exactly two" 3 osu_latency
refuses "osu_bcast: 1 ranks: it needs two ranks or more" 1 osu_bcast
refuses "osu_mbw_mr: 2 ranks: there are fewer ranks than two for each pair" 2 osu_mbw_mr -p 2
refuses "64 buffers of 1048576 bytes exceed the limit of 1048576" 2 osu_bw -c -m 1M -M 1M
refuses "a window of 64 times 1048576 bytes exceeds the limit" 2 osu_put_bw -m 1M -M 1M

for program in osu_latency osu_bw osu_bibw osu_mbw_mr osu_multi_lat osu_latency_mt osu_put_latency osu_get_latency \
    osu_acc_latency osu_fop_latency osu_cas_latency osu_put_bw osu_get_bw osu_allreduce osu_alltoall osu_send osu_barrier \
    osu_bcast osu_init osu_deep_queue osu_patterns osu_peers line_time; do
    count=$((count + 2))
    "$programs/$program" -h >"$work/out" 2>"$work/err" || fail "$program -h: $(cat "$work/err")"
    prints "^Usage: $program " out "$program -h"
    case $program in
    osu_init | line_time) ;;
    *) prints '^Defaults: .*-i [0-9]+ -x [0-9]+' out "$program -h" ;;
    esac
    [ -s "$work/err" ] && fail "$program -h complains: $(cat "$work/err")"
    "$programs/$program" -v >"$work/out" 2>"$work/err" || fail "$program -v: $(cat "$work/err")"
    prints '\(apelink\) [0-9]+\.[0-9]+' out "$program -v"
done
finish
