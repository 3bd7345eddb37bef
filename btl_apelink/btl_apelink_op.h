/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MCA_BTL_APELINK_OP_H
#define MCA_BTL_APELINK_OP_H

#include "btl_apelink/btl_apelink.h"

/* What puts, gets and atomics share. */

/* A new operation; NULL when there is no memory. */
mca_btl_apelink_op_t *mca_btl_apelink_op_new(mca_btl_apelink_module_t *module,
                                             mca_btl_apelink_endpoint_t *endpoint,
                                             void *local_address,
                                             mca_btl_base_registration_handle_t *local_handle,
                                             mca_btl_base_rdma_completion_fn_t cbfunc,
                                             void *cbcontext, void *cbdata);

/* ni_done_fn: stores the result of a fetching atomic, frees the operation, calls back. */
void mca_btl_apelink_op_done(void *arg, ni_status status, uint64_t value);

/* What the call that started an operation returns. If the core accepted it, the callback comes, or
 * has come already; if not, the operation is freed. */
int mca_btl_apelink_op_started(mca_btl_apelink_module_t *module, mca_btl_apelink_op_t *op,
                               ni_status status);

/* Start the puts and gets that found no memory before, as far as there is memory now; how many
 * were. Where none could be for memory_wait_ms the job ends. */
unsigned mca_btl_apelink_start_held(mca_btl_apelink_module_t *module);

static inline struct ni_ack mca_btl_apelink_op_ack(mca_btl_apelink_op_t *op)
{
    return (struct ni_ack){.kind = NI_ACK_CALL, .fn = mca_btl_apelink_op_done, .arg = op};
}

static inline struct ni_remote mca_btl_apelink_remote(
    uint64_t address, const mca_btl_base_registration_handle_t *handle)
{
    return (struct ni_remote){
        .addr = address, .key = handle->rkey.key, .handle = handle->rkey.handle};
}

#endif
