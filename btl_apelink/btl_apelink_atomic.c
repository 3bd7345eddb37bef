/* SPDX-License-Identifier: BSD-3-Clause */
/* Atomic operations on words of a peer. */
#include "btl_apelink/btl_apelink_op.h"

#include "engine/core/atomic.h"

/*
 * They are executed as C11 atomics on the target's word, so they mix with the CPU's own, of the
 * target and of others that map the memory: the "global" property. Floating point is not supported.
 * Minimum and maximum compare signed numbers; osc/rdma of 4.1 does not ask whether the type is
 * signed, nor for the capability flag of an operation, so they are refused unless the user has
 * switched them on.
 */

/* The operation of the core, or NI_ATOMIC_OPS for none. */
static enum ni_atomic_op op_of(mca_btl_base_atomic_op_t op)
{
    switch (op) {
    case MCA_BTL_ATOMIC_ADD:
        return NI_ATOMIC_ADD;
    case MCA_BTL_ATOMIC_AND:
        return NI_ATOMIC_AND;
    case MCA_BTL_ATOMIC_OR:
        return NI_ATOMIC_OR;
    case MCA_BTL_ATOMIC_XOR:
        return NI_ATOMIC_XOR;
    case MCA_BTL_ATOMIC_LAND:
        return NI_ATOMIC_LAND;
    case MCA_BTL_ATOMIC_LOR:
        return NI_ATOMIC_LOR;
    case MCA_BTL_ATOMIC_LXOR:
        return NI_ATOMIC_LXOR;
    case MCA_BTL_ATOMIC_SWAP:
        return NI_ATOMIC_SWAP;
    case MCA_BTL_ATOMIC_MIN:
        return mca_btl_apelink_component.minmax ? NI_ATOMIC_MIN : NI_ATOMIC_OPS;
    case MCA_BTL_ATOMIC_MAX:
        return mca_btl_apelink_component.minmax ? NI_ATOMIC_MAX : NI_ATOMIC_OPS;
    default:
        return NI_ATOMIC_OPS;
    }
}

/* What to do, and where. A handle of NULL: see start. */
struct request {
    uint64_t address;
    const mca_btl_base_registration_handle_t *handle;
    enum ni_atomic_op kind;
    uint64_t operand, compare;
};

/*
 * op was allocated by the caller, or is NULL.
 *
 * osc/rdma of 4.1 hands over a compare-and-swap also when it has mapped the target's memory itself,
 * in an allocated window on one host, or when the target is this process, which it reaches by
 * no BTL. Handle or endpoint is missing then, and the address is one of this process.
 */
static int start(mca_btl_apelink_module_t *module, mca_btl_apelink_op_t *op,
                 const struct request *request, int flags)
{
    uint64_t operand = request->operand, compare = request->compare;
    struct ni_remote remote;
    unsigned width = (flags & MCA_BTL_ATOMIC_FLAG_32BIT) != 0 ? 4 : 8;
    struct ni_ack ack;

    if (NI_UNLIKELY(op == NULL)) {
        return OPAL_ERR_OUT_OF_RESOURCE;
    }
    if (NI_UNLIKELY(request->kind == NI_ATOMIC_OPS || (flags & MCA_BTL_ATOMIC_FLAG_FLOAT) != 0 ||
                    request->address % width != 0)) {
        /* Of all errors this is the one after which osc/rdma of 4.1 does not try for ever. */
        return mca_btl_apelink_op_started(module, op, NI_ERR_UNSUPPORTED);
    }
    if (width == 4) {
        operand = (uint32_t)operand;
        compare = (uint32_t)compare;
    }
    op->width = op->local_address != NULL ? width : 0;
    if (NI_UNLIKELY(request->handle == NULL || op->endpoint == NULL)) {
        mca_btl_apelink_op_done(op, NI_OK,
                                ni_atomic_apply((void *)(uintptr_t)request->address, request->kind,
                                                width, operand, compare));
        return OPAL_SUCCESS;
    }
    remote = mca_btl_apelink_remote(request->address, request->handle);
    ack = mca_btl_apelink_op_ack(op);
    return mca_btl_apelink_op_started(module, op,
                                      ni_fetch_op(module->ni, op->endpoint->peer, request->kind,
                                                  width, operand, compare, &remote, &ack));
}

int mca_btl_apelink_atomic_op(struct mca_btl_base_module_t *btl,
                              struct mca_btl_base_endpoint_t *endpoint, uint64_t remote_address,
                              mca_btl_base_registration_handle_t *remote_handle,
                              mca_btl_base_atomic_op_t op, uint64_t operand, int flags, int order,
                              mca_btl_base_rdma_completion_fn_t cbfunc, void *cbcontext,
                              void *cbdata)
{
    mca_btl_apelink_module_t *module = (mca_btl_apelink_module_t *)btl;
    const struct request request = {
        .address = remote_address, .handle = remote_handle, .kind = op_of(op), .operand = operand};

    (void)order;
    return start(module,
                 mca_btl_apelink_op_new(module, endpoint, NULL, NULL, cbfunc, cbcontext, cbdata),
                 &request, flags);
}

int mca_btl_apelink_atomic_fop(struct mca_btl_base_module_t *btl,
                               struct mca_btl_base_endpoint_t *endpoint, void *local_address,
                               uint64_t remote_address,
                               mca_btl_base_registration_handle_t *local_handle,
                               mca_btl_base_registration_handle_t *remote_handle,
                               mca_btl_base_atomic_op_t op, uint64_t operand, int flags, int order,
                               mca_btl_base_rdma_completion_fn_t cbfunc, void *cbcontext,
                               void *cbdata)
{
    mca_btl_apelink_module_t *module = (mca_btl_apelink_module_t *)btl;
    const struct request request = {
        .address = remote_address, .handle = remote_handle, .kind = op_of(op), .operand = operand};

    (void)order;
    return start(module,
                 mca_btl_apelink_op_new(module, endpoint, local_address, local_handle, cbfunc,
                                        cbcontext, cbdata),
                 &request, flags);
}

int mca_btl_apelink_atomic_cswap(
    struct mca_btl_base_module_t *btl, struct mca_btl_base_endpoint_t *endpoint,
    void *local_address, uint64_t remote_address, mca_btl_base_registration_handle_t *local_handle,
    mca_btl_base_registration_handle_t *remote_handle, uint64_t compare, uint64_t value, int flags,
    int order, mca_btl_base_rdma_completion_fn_t cbfunc, void *cbcontext, void *cbdata)
{
    mca_btl_apelink_module_t *module = (mca_btl_apelink_module_t *)btl;
    const struct request request = {.address = remote_address,
                                    .handle = remote_handle,
                                    .kind = NI_ATOMIC_CSWAP,
                                    .operand = value,
                                    .compare = compare};

    (void)order;
    return start(module,
                 mca_btl_apelink_op_new(module, endpoint, local_address, local_handle, cbfunc,
                                        cbcontext, cbdata),
                 &request, flags);
}
