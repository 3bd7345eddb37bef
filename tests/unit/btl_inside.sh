#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Covers: btl_apelink/btl_apelink_dump.c btl_apelink/btl_apelink_recv.c
# What the BTL prints of its state, through the dump of ob1, and of a message that nobody takes, which comes over the
# real way: the whole text, with values and remedy.
. "$(dirname "$0")/component.sh"
component btl_apelink

# lines NUMBER REGEX: so many say it.
lines() {
    count=$(grep -cE -e "$2" "$work/out")
    [ "$count" -eq "$1" ] && return
    fail "$count lines say \"$2\", not $1"
}

start -n 2 --mca pml ob1 --mca btl apelink,self "$build/tests/unit/btl_inside"
[ "$status" -eq 0 ] || fail "exit status $status"
lines 1 'A message arrived through the apelink BTL for a part of Open MPI that is not in'
lines 1 'All processes of a job must use the same'
lines 1 'Message tag: 157$'
lines 1 'btl:apelink: \[\[[0-9]+,1\],0\]: .+; 0 descriptors wait$'
lines 1 'btl:apelink: \[\[[0-9]+,1\],1\]: .+; 0 descriptors wait$'
lines 1 'btl:apelink: 0 wait for room or memory, 0 messages unclaimed$'
lines 1 'btl:apelink: 0 wait for room or memory, 3 messages unclaimed$'
lines 2 'btl:apelink: tx_packets [1-9][0-9]* packets$'
lines 2 'btl:apelink: peers 1 peers$'
finish
