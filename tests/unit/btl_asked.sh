#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Covers: ompi_glue/names.c btl_apelink/btl_apelink_component.c btl_apelink/btl_apelink_procs.c ompi_glue/asked.c
# ompi_glue/params.c
# The component takes part in a run only if the run names it; a run with a mistake in a parameter goes on without it
# where others can do its work, and fails with a sentence where they cannot.
# Covers: ompi_glue/memory.c
. "$(dirname "$0")/asked.sh"
component btl_apelink
verbose='--mca btl_base_verbose 1'

is_used() {
    grep -q 'Using apelink btl for send' "$work/out"
}

expect 0 unused
expect 0 unused --mca btl ^uct,openib,ofi
expect 0 unused --mca btl vader,self
expect 0 used --mca btl apelink,self
expect 0 used --mca btl self,vader,apelink
expect 0 used --mca btl apelink,tcp,self
expect 0 used --mca btl_apelink_enable yes
expect 0 unused --mca btl apelink,vader,self --mca btl_apelink_enable no

expect 1 unused --mca btl apelink,self --mca btl_apelink_shm_ring_sise 64K
says 'btl_apelink_shm_ring_sise'
says 'Did you mean: btl_apelink_shm_ring_size'
expect 0 unused --mca btl apelink,vader,self --mca btl_apelink_eager_limit 3
says 'btl_apelink_eager_limit'
says 'Accepted:'
expect 1 unused --mca btl apelink,self --mca btl_apelink_segment_size lots

shows 'btl apelink' btl_apelink --mca btl apelink,self
finish
