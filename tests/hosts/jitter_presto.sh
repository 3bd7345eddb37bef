#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The OSU programs, compiled by prestocc, between hosts whose link shakes: each byte that arrives is looked at.
. "$(dirname "$0")/presto_common.sh"
needs_presto
. "$here/jitter_common.sh"

PRESTOCC=$build/presto/tools/prestocc
export PRESTOCC
expect 0 "$here/../../osu_bench/build-presto" "$work/osu" osu_latency osu_bw osu_mbw_mr osu_allreduce osu_alltoall
[ $failures -eq 0 ] || exit 1
shaking_hosts
osu_programs "$work/osu"
finish "$runs runs with all data right over a link that shakes"
