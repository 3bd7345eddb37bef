#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Programs with -c over the components that were just built: the apelink BTL and the match MTL.
. "$(dirname "$0")/common.sh"

skip() {
    echo "skipped: $*"
    exit 77
}

case ${APELINK_SANITIZER-} in
*thread*) skip "Open MPI itself is full of what the thread sanitizer reports" ;;
esac
top=$(cd "${APELINK_BUILDDIR:-.}" && pwd) || exit 1
found=
few="-c -i 20 -x 2"
sizes="0,1,8,64,1000,5000,64K,1M"
many=8

# Both kinds of matching, each order, wildcards; short messages and such as are fetched.
# shellcheck disable=SC2086 # $few is a list of words
deep_queues() {
    for queue in posted unexpected; do
        for order in forward reverse random; do
            passes 2 4 "$programs/osu_deep_queue" -c -i 300 -x 9 -q $queue -o $order -d 0,1,9,1000
            passes 2 3 "$programs/osu_deep_queue" -c -i 300 -x 9 -q $queue -o $order -d 0,10,1000 -a 10
        done
        passes 2 2 "$programs/osu_deep_queue" $few -q $queue -d 2,40 -m 64K -a 100
        passes 2 1 "$programs/osu_deep_queue" -c -i 2000 -x 9 -q $queue -d 10000 -a 4
    done
}

# shellcheck disable=SC2086
messages() {
    passes 2 $many "$programs/osu_latency" $few -m $sizes
    passes 2 $many "$programs/osu_bw" $few -m $sizes -W 16
    passes 2 $many "$programs/osu_bibw" $few -m $sizes -W 16
    passes 4 $many "$programs/osu_multi_lat" $few -m $sizes
    passes 2 $many "$programs/osu_latency_mt" $few -m $sizes -t 2:2
    passes 3 $many "$programs/osu_bcast" $few -m $sizes
    passes 3 1 "$programs/osu_barrier" $few
    passes 3 2 "$programs/osu_allreduce" $few -m 8,64K
}

if [ -e "$top/btl_apelink/.libs/mca_btl_apelink.so" ]; then
    found=yes
    over="apelink,self"
    transport="--mca mca_base_component_path $top/btl_apelink/.libs:SYSTEM_DEFAULT --mca pml ob1 --mca btl apelink,self
        --mca osc rdma"
    messages
    deep_queues
fi
if [ -e "$top/mtl_match/.libs/mca_mtl_match.so" ]; then
    found=yes
    over="the match MTL"
    transport="--mca mca_base_component_path $top/mtl_match/.libs:SYSTEM_DEFAULT --mca pml cm --mca mtl match"
    messages
    deep_queues
fi
[ -n "$found" ] || skip "configure found no headers for components, so there is none to test"
finish
