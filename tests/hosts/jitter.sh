#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The OSU programs over btl apelink and over mtl match between hosts whose link shakes: each byte that arrives is looked at.
. "$(dirname "$0")/common.sh"
needs_hosts
. "$here/components.sh"
. "$here/jitter_common.sh"

shaking_hosts
osu_programs "$build/osu_bench" --mca mpi_yield_when_idle 1 --mca pml ob1 --mca btl apelink,self
osu_programs "$build/osu_bench" --mca mpi_yield_when_idle 1 --mca pml cm --mca mtl match
finish "$runs runs with all data right over a link that shakes"
