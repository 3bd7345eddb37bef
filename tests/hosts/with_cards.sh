#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Usage: with_cards.sh COMMAND...: run it on the first of two hosts of apelink-hosts, two processes on each, each with an APEnet+
# card, by which our components reach the other. The exit status is that of the command, 77 where there can be no cards.
. "$(dirname "$0")/common.sh"
needs_hosts
# shellcheck source=/dev/null
. "${APELINK_SRCDIR:-$here/../..}/tests/links/boards.sh"
trap 'end_boards KILL; leave' EXIT

start_boards 2 "" memory
expect 0 "$hosts" up -n 2 -s 2
# Each host sees its own card at the same place.
mkdir "$work/card"
for host in 1 2; do
    expect 0 "$hosts" exec "h$host" mount --bind "$work/device$((host - 1))" "$work/card"
done
[ $failures -eq 0 ] || exit 1
for prefix in btl_apelink mtl_match pml_match; do
    export "OMPI_MCA_${prefix}_links=dev" "OMPI_MCA_${prefix}_dev_device=$work/card/apelink0"
done
before=$(state 0 'print(sum(r["link_sent_packets"])) or True')
"$hosts" exec h1 "$@"
status=$?
echo "packets between the cards: $(($(state 0 'print(sum(r["link_sent_packets"])) or True') - before))"
exit $status
