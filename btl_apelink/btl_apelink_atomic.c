/* SPDX-License-Identifier: BSD-3-Clause */
/* Atomic operations on words of a peer. */
#include "btl_apelink/btl_apelink_op.h"

/*
 * They are executed as C11 atomics on the target's word, so they mix with the CPU's own, of the
 * target and of others that map the memory: the "global" property. Minimum and maximum compare
 * signed numbers. Floating point is not supported.
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
        return NI_ATOMIC_MIN;
    case MCA_BTL_ATOMIC_MAX:
        return NI_ATOMIC_MAX;
    default:
        return NI_ATOMIC_OPS;
    }
}

/* op was allocated by the caller, or is NULL; compare is for compare-and-swap. */
static int start(mca_btl_apelink_module_t *module, mca_btl_apelink_op_t *op,
                 const struct ni_remote *remote, enum ni_atomic_op kind, int flags,
                 uint64_t operand, uint64_t compare)
{
    unsigned width = (flags & MCA_BTL_ATOMIC_FLAG_32BIT) != 0 ? 4 : 8;
    struct ni_ack ack;

    if (NI_UNLIKELY(op == NULL)) {
        return OPAL_ERR_OUT_OF_RESOURCE;
    }
    if (NI_UNLIKELY(kind == NI_ATOMIC_OPS || (flags & MCA_BTL_ATOMIC_FLAG_FLOAT) != 0)) {
        return mca_btl_apelink_op_started(module, op, NI_ERR_UNSUPPORTED);
    }
    if (width == 4) {
        operand = (uint32_t)operand;
        compare = (uint32_t)compare;
    }
    op->width = op->local_address != NULL ? width : 0;
    ack = mca_btl_apelink_op_ack(op);
    return mca_btl_apelink_op_started(
        module, op,
        ni_fetch_op(module->ni, op->endpoint->peer, kind, width, operand, compare, remote, &ack));
}

int mca_btl_apelink_atomic_op(struct mca_btl_base_module_t *btl,
                              struct mca_btl_base_endpoint_t *endpoint, uint64_t remote_address,
                              mca_btl_base_registration_handle_t *remote_handle,
                              mca_btl_base_atomic_op_t op, uint64_t operand, int flags, int order,
                              mca_btl_base_rdma_completion_fn_t cbfunc, void *cbcontext,
                              void *cbdata)
{
    mca_btl_apelink_module_t *module = (mca_btl_apelink_module_t *)btl;
    struct ni_remote remote = mca_btl_apelink_remote(remote_address, remote_handle);

    (void)order;
    return start(module,
                 mca_btl_apelink_op_new(module, endpoint, NULL, NULL, cbfunc, cbcontext, cbdata),
                 &remote, op_of(op), flags, operand, 0);
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
    struct ni_remote remote = mca_btl_apelink_remote(remote_address, remote_handle);

    (void)order;
    return start(module,
                 mca_btl_apelink_op_new(module, endpoint, local_address, local_handle, cbfunc,
                                        cbcontext, cbdata),
                 &remote, op_of(op), flags, operand, 0);
}

int mca_btl_apelink_atomic_cswap(
    struct mca_btl_base_module_t *btl, struct mca_btl_base_endpoint_t *endpoint,
    void *local_address, uint64_t remote_address, mca_btl_base_registration_handle_t *local_handle,
    mca_btl_base_registration_handle_t *remote_handle, uint64_t compare, uint64_t value, int flags,
    int order, mca_btl_base_rdma_completion_fn_t cbfunc, void *cbcontext, void *cbdata)
{
    mca_btl_apelink_module_t *module = (mca_btl_apelink_module_t *)btl;
    struct ni_remote remote = mca_btl_apelink_remote(remote_address, remote_handle);

    (void)order;
    return start(module,
                 mca_btl_apelink_op_new(module, endpoint, local_address, local_handle, cbfunc,
                                        cbcontext, cbdata),
                 &remote, NI_ATOMIC_CSWAP, flags, value, compare);
}
