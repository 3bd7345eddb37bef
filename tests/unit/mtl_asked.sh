#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Covers: mtl_match/mtl_match_component.c mtl_match/mtl_match_params.c ompi_match/params.c
# The match MTL takes part in a run only if the run names it; a run with a mistake in a parameter goes on without it where
# others can do its work, and fails with a sentence where they cannot.
. "$(dirname "$0")/asked.sh"
component mtl_match
verbose='--mca mtl_base_verbose 10 --mca pml_base_verbose 10'

is_used() {
    grep -q 'select: component cm selected' "$work/out" && grep -q 'select: component match selected' "$work/out"
}

ob1='--mca btl vader,self'
expect 0 unused
says_not 'component match open function successful'
# shellcheck disable=SC2086 # two words
{
    expect 0 unused $ob1
    expect 0 unused $ob1 --mca mtl ^ofi
    says_not 'component match open function successful'
    expect 0 used --mca pml cm --mca mtl match
    expect 0 used --mca mtl match
    expect 0 used --mca pml cm --mca mtl_match_enable yes
    expect 0 unused $ob1 --mca pml ob1 --mca mtl match
    expect 0 unused $ob1 --mca mtl match --mca mtl_match_priority 5
    expect 0 unused $ob1 --mca mtl match --mca mtl_match_enable no
    expect 1 unused --mca pml cm --mca mtl match --mca mtl_match_enable no

    expect 1 unused --mca pml cm --mca mtl match --mca mtl_match_shm_ring_sise 64K
    says 'mtl_match_shm_ring_sise'
    says 'Did you mean: mtl_match_shm_ring_size'
    expect 0 unused $ob1 --mca mtl match --mca mtl_match_fault meteor:nth=1
    says 'mtl_match_fault'
    says 'Accepted:'
    expect 1 unused --mca pml cm --mca mtl match --mca mtl_match_segment_size lots
}

expect 0 used --mca pml cm --mca mtl match --mca osc rdma,sm --mca btl self,tcp
says 'those of -mca osc pt2pt,sm'
for windows in '--mca osc rdma' '--mca osc rdma,pt2pt --mca btl self' '--mca osc rdma --mca btl apelink,self'; do
    # shellcheck disable=SC2086 # several words
    expect 0 used --mca pml cm --mca mtl match $windows
    says_not 'those of -mca osc pt2pt,sm'
done

shows 'mtl match' mtl_match --mca pml cm --mca mtl match
finish
