#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The check itself is checked: with a library in between that damages one message, -c of each program must notice.
. "$(dirname "$0")/common.sh"

library=$programs/tests/.libs/damage.so
[ -e "$library" ] || { echo "$library was not built" && exit 1; }
ASAN_OPTIONS=$ASAN_OPTIONS:verify_asan_link_order=0

# notices WORD...: a run that must fail, and say why.
notices() {
    mpi 2 -x LD_PRELOAD="$library" "$@" -c -x 2
    status=$?
    [ $status -ne 0 ] && [ $status -ne 124 ] && grep -q 'Fail$' "$work/out" && grep -q 'wrong data' "$work/err" && return
    fail "$* did not notice the damage: status $status"
    cat "$work/out" "$work/err"
}

for size in 1 5000; do
    for program in osu_latency osu_bw osu_bibw osu_mbw_mr osu_multi_lat osu_latency_mt osu_bcast osu_alltoall osu_send; do
        notices "$programs/$program" -m $size,$size -i 10
    done
    for program in osu_put_latency osu_get_latency osu_put_bw osu_get_bw; do
        notices "$programs/$program" -m $size,$size -i 10 -w create
    done
done
for queue in posted unexpected; do
    notices "$programs/osu_deep_queue" -q $queue -d 3 -i 10
    notices "$programs/osu_deep_queue" -q $queue -d 3 -i 10 -m 5000
done
# A message that is not the one that must be matched ends the job.
mpi 2 -x OSU_DAMAGE_TAG=yes -x LD_PRELOAD="$library" "$programs/osu_deep_queue" -c -q unexpected -d 3 -i 10 &&
    fail "osu_deep_queue did not notice a wrong tag"
grep -q 'slot [0-9]*: a message with tag [0-9]* was matched instead of [0-9]*$' "$work/err" ||
    fail "osu_deep_queue does not say which message was matched: $(cat "$work/err")"
notices "$programs/osu_allreduce" -m 64,64 -i 10
notices "$programs/osu_acc_latency" -m 64,64 -i 10 -w create
notices "$programs/osu_fop_latency" -w create -i 10
notices "$programs/osu_cas_latency" -w create -i 10
# On a busy machine the rank that leaves early may sleep until the late one has come: it gets many chances.
notices "$programs/osu_barrier" -i 1000
finish
