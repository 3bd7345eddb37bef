#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Each program with -c over the BTL of APELINK_TEST_BTL (default: ours, vader,self where that is not built): all data arrives as it was sent.
. "$(dirname "$0")/common.sh"

few="-c -i 6 -x 2"
# Eager and rendezvous messages of any BTL: 1 byte to 64 KiB, and odd sizes.
sizes="1,3,8,63,64,65,1000,4K,5000,64K"
many=10

# shellcheck disable=SC2086 # $few is a list of words
{
    passes 2 $many "$programs/osu_latency" $few -m $sizes
    passes 2 $many "$programs/osu_latency" $few -m $sizes -u
    passes 2 $many "$programs/osu_bw" $few -m $sizes -W 16
    passes 2 $many "$programs/osu_bibw" $few -m $sizes -W 16
    passes 2 $many "$programs/osu_mbw_mr" $few -m $sizes -W 16
    passes 5 $many "$programs/osu_mbw_mr" $few -m $sizes -W 4 -p 2
    passes 3 $many "$programs/osu_multi_lat" $few -m $sizes
    passes 2 $many "$programs/osu_latency_mt" $few -m $sizes
    passes 2 $many "$programs/osu_latency_mt" $few -m $sizes -t 2:3

    for window in create allocate dynamic; do
        passes 2 $many "$programs/osu_put_latency" $few -m $sizes -w $window
        passes 2 $many "$programs/osu_get_latency" $few -m $sizes -w $window
    done
    for sync in lock flush_local lock_all pscw fence; do
        passes 2 $many "$programs/osu_put_latency" $few -m $sizes -w create -s $sync
        passes 2 $many "$programs/osu_get_latency" $few -m $sizes -w create -s $sync
    done
    passes 2 $many "$programs/osu_put_bw" $few -m $sizes -w create -W 8
    passes 2 $many "$programs/osu_get_bw" $few -m $sizes -w create -W 8
    passes 2 $many "$programs/osu_put_bw" $few -m $sizes -w create -W 8 -s fence
    for type in mpi_char mpi_int mpi_long_long mpi_float; do
        passes 2 2 "$programs/osu_acc_latency" $few -m 8,4K -w create -T $type
        passes 2 1 "$programs/osu_fop_latency" $few -w create -T $type
        passes 2 2 "$programs/osu_allreduce" $few -m 8,4K -T $type
    done
    # Not over an allocated window: osc rdma of Open MPI 4.1 hands the BTL an address of the wrong process there.
    for type in mpi_char mpi_int mpi_long_long; do
        passes 2 1 "$programs/osu_cas_latency" $few -w create -T $type
    done
    passes 2 1 "$programs/osu_cas_latency" $few -w create -s fence

    for queue in posted unexpected; do
        for order in forward reverse random; do
            passes 2 4 "$programs/osu_deep_queue" -c -i 60 -x 7 -q $queue -o $order -d 0,1,9,300
            passes 2 3 "$programs/osu_deep_queue" -c -i 60 -x 7 -q $queue -o $order -d 0,10,300 -a 10
        done
        passes 2 2 "$programs/osu_deep_queue" $few -q $queue -d 2,40 -m 64K -a 100
        passes 2 1 "$programs/osu_deep_queue" $few -q $queue -d 10000 -m 0
    done

    passes 2 $many "$programs/osu_send" $few -m $sizes
    for ranks in 2 3; do
        for pattern in exch ring halo6 pers any late; do
            passes $ranks $many "$programs/osu_patterns" $few -m $sizes -P $pattern
        done
        passes $ranks 1 "$programs/osu_barrier" $few
        passes $ranks $many "$programs/osu_bcast" $few -m $sizes
        passes $ranks $many "$programs/osu_alltoall" $few -m $sizes
    done
}

passes 5 3 "$programs/osu_peers" -c -i 60 -x 7 -N 0,2,3

mpi 3 "$programs/osu_init" -M -k || fail "osu_init: $(cat "$work/err")"
grep -Eq '^nprocs: 3, min: [0-9]+ ms, max: [0-9]+ ms, avg: [0-9]+ ms$' "$work/out" ||
    fail "osu_init printed no line of times: $(cat "$work/out")"
awk '$2 == "VmHWM" || $2 == "Pss" { if ($3 > 0 && $3 <= $5 && $5 <= $4) good++ } END { exit good != 2 }' "$work/out" ||
    fail "osu_init printed no sound memory: $(cat "$work/out")"
finish
