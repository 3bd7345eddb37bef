#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Covers: pml_match_component.c pml_match_params.c
# The match PML takes part in a run only if the run names it, and a mistake in a parameter fails with a sentence. Ranks over
# it and ranks over the match MTL talk to each other where Open MPI lets them.
. "$(dirname "$0")/asked.sh"
component pml_match
verbose='--mca pml_base_verbose 10'

is_used() {
    grep -q 'select: component match selected' "$work/out"
}

# each 0|1 "NAME=VALUE..." "NAME=VALUE...": parameters of rank 0, and of rank 1. mpirun takes those of one for the other's, too.
each() {
    # shellcheck disable=SC2086 # several words
    start $verbose -n 1 env $2 "$program" : -n 1 env $3 "$program"
    ended "$1" "$2 with $3"
}

ob1='--mca btl vader,self'
expect 0 unused
says_not 'component match open function successful'
# shellcheck disable=SC2086 # two words
{
    expect 0 unused $ob1 --mca pml ^ucx
    says_not 'component match open function successful'
    expect 0 unused --mca pml cm --mca mtl match
    expect 0 used --mca pml match
    expect 0 used --mca pml match,ob1
    expect 0 used --mca pml ob1,match
    expect 0 unused $ob1 --mca pml ob1,match --mca pml_match_priority 5
    expect 0 used --mca pml_match_enable yes
    expect 0 unused $ob1 --mca pml ob1 --mca pml_match_enable no
    expect 1 unused --mca pml match --mca pml_match_enable no

    expect 1 unused --mca pml match --mca pml_match_shm_ring_sise 64K
    says 'pml_match_shm_ring_sise'
    says 'Did you mean: pml_match_shm_ring_size'
    expect 1 unused --mca pml match --mca pml_match_fault meteor:nth=1
    says 'The match PML steps aside'
    says 'Accepted:'
}

mtl='OMPI_MCA_pml=cm OMPI_MCA_mtl=match'
each 0 "$mtl" OMPI_MCA_pml=match
says 'component cm selected'
says 'component match selected'
each 1 OMPI_MCA_pml=match "$mtl"
says 'selected pml cm, but peer'
each 1 OMPI_MCA_pml=match 'OMPI_MCA_pml=ob1 OMPI_MCA_btl=vader,self'
says 'selected pml ob1, but peer'
each 1 'OMPI_MCA_pml=ob1 OMPI_MCA_btl=vader,self' OMPI_MCA_pml=match
says 'The match PML cannot reach a process'

expect 0 used --mca pml match --mca osc rdma,sm --mca btl self,tcp
says 'those of -mca osc pt2pt,sm'
for windows in '--mca osc rdma' '--mca osc rdma,pt2pt --mca btl self' '--mca osc rdma --mca btl apelink,self'; do
    # shellcheck disable=SC2086 # several words
    expect 0 used --mca pml match $windows
    says_not 'those of -mca osc pt2pt,sm'
done

shows 'pml match' pml_match --mca pml match
finish
