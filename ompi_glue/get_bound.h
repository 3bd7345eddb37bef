/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OMPI_GLUE_GET_BOUND_H
#define OMPI_GLUE_GET_BOUND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ompi_glue/ompi_glue.h"

/*
 * How many of the size bytes of a get may be written at its destination.
 *
 * When a long message is longer than the buffer of the receive that it matched, ob1 still asks for
 * a get of the message's whole length and reports the truncation afterwards, when what lay behind
 * the buffer is overwritten already. Nothing in the call tells the length of the buffer, but ob1's
 * fragment, which is the call's cbdata, leads to the receive request. This function looks there:
 * only if cbfunc belongs to ob1, only for the versions whose fragment it knows, and only if the
 * fragment agrees with all arguments of the call. Otherwise, and for gets of anybody else, it
 * returns size.
 *
 * The rest of the message need not be moved at all: ob1 counts the bytes that it asked for, then
 * finds that they are more than expected and completes the receive with MPI_ERR_TRUNCATE.
 *
 * Costs a few loads; called for long messages only. Thread-safe.
 */
size_t ompi_glue_get_bound(void *local_address, uint64_t remote_address, size_t size,
                           mca_btl_base_rdma_completion_fn_t cbfunc, void *cbcontext, void *cbdata);

/* Whether a callback lies in the component ob1, which looks at the status that it is given, or in
 * pml_hooks, which puts itself before ob1's. osc/rdma does not look. Thread-safe. */
bool ompi_glue_is_of_ob1(mca_btl_base_rdma_completion_fn_t cbfunc);

#endif
