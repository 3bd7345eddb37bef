/* SPDX-License-Identifier: BSD-3-Clause */
#include "btl_apelink/btl_apelink_op.h"

#include <string.h>

#include "ompi_glue/get_bound.h"

OBJ_CLASS_INSTANCE(mca_btl_apelink_op_t, opal_free_list_item_t, NULL, NULL);

/* ob1 has a callback for each; osc/rdma has none for a put that it waits for by a flush. */
static bool is_of_osc(mca_btl_base_rdma_completion_fn_t cbfunc)
{
    return cbfunc == NULL || !ompi_glue_is_of_ob1(cbfunc);
}

/* osc/rdma tries again for ever what finds no memory; ob1 does when one that is out completes. */
static NI_COLD void wait_for_memory(mca_btl_apelink_module_t *module,
                                    const mca_btl_apelink_endpoint_t *endpoint,
                                    mca_btl_base_rdma_completion_fn_t cbfunc)
{
    if (is_of_osc(cbfunc)) {
        (void)mca_btl_apelink_starves(module, endpoint, "a put, get or atomic found no memory at");
    }
}

mca_btl_apelink_op_t *mca_btl_apelink_op_new(mca_btl_apelink_module_t *module,
                                             mca_btl_apelink_endpoint_t *endpoint,
                                             void *local_address,
                                             mca_btl_base_registration_handle_t *local_handle,
                                             mca_btl_base_rdma_completion_fn_t cbfunc,
                                             void *cbcontext, void *cbdata)
{
    mca_btl_apelink_op_t *op = (mca_btl_apelink_op_t *)opal_free_list_get(&module->ops);

    if (NI_LIKELY(op != NULL)) {
        op->cbfunc = cbfunc;
        op->cbcontext = cbcontext;
        op->cbdata = cbdata;
        op->endpoint = endpoint;
        op->local_address = local_address;
        op->local_handle = local_handle;
        op->width = 0;
    } else {
        wait_for_memory(module, endpoint, cbfunc);
    }
    return op;
}

/* The old value of a fetching atomic, in the width that was asked for. */
static void store_result(const mca_btl_apelink_op_t *op, uint64_t value)
{
    uint32_t narrow = (uint32_t)value;

    if (op->width == sizeof(narrow)) {
        memcpy(op->local_address, &narrow, sizeof(narrow));
    } else if (op->width == sizeof(value)) {
        memcpy(op->local_address, &value, sizeof(value));
    }
}

static NI_COLD void failed(mca_btl_apelink_module_t *module, const mca_btl_apelink_op_t *op,
                           ni_status status)
{
    if (status == NI_ERR_PEER_DEAD || status == NI_ERR_PROTOCOL || status == NI_ERR_CABLE ||
        status == NI_ERR_CARD) {
        /* Before the upper layer tries other ways to reach it. */
        mca_btl_apelink_peer_down(module, op->endpoint->peer, status);
    }
    if (status != NI_ERR_PEER_CLOSED && !module->closing && is_of_osc(op->cbfunc)) {
        /* osc/rdma does not look at the status, so that the program would go on with wrong data. */
        mca_btl_apelink_give_up(module, op->endpoint, NULL, "operation-failed",
                                "a put, get or atomic failed at", status);
    }
}

void mca_btl_apelink_op_done(void *arg, ni_status status, uint64_t value)
{
    mca_btl_apelink_module_t *module = &mca_btl_apelink;
    mca_btl_apelink_op_t *op = arg;
    mca_btl_apelink_op_t copy = *op;

    if (NI_LIKELY(status == NI_OK)) {
        store_result(op, value);
    } else {
        failed(module, op, status);
    }
    /* Freed first: the callback may start another one. */
    opal_free_list_return(&module->ops, &op->super);
    if (copy.cbfunc != NULL) {
        copy.cbfunc(&module->super, copy.endpoint, copy.local_address, copy.local_handle,
                    copy.cbcontext, copy.cbdata, mca_btl_apelink_error(status));
    }
}

int mca_btl_apelink_op_started(mca_btl_apelink_module_t *module, mca_btl_apelink_op_t *op,
                               ni_status status)
{
    if (NI_LIKELY(status == NI_OK)) {
        mca_btl_apelink_fed(module);
        return OPAL_SUCCESS; /* op may be gone */
    }
    if (status == NI_ERR_NOMEM) {
        wait_for_memory(module, op->endpoint, op->cbfunc);
    }
    opal_free_list_return(&module->ops, &op->super);
    return mca_btl_apelink_error(status);
}

int mca_btl_apelink_error(ni_status status)
{
    switch (status) {
    case NI_OK:
        return OPAL_SUCCESS;
    case NI_AGAIN:
    case NI_ERR_NOMEM:
        return OPAL_ERR_OUT_OF_RESOURCE;
    case NI_ERR_ALIGN:
    case NI_ERR_LIMIT:
        return OPAL_ERR_NOT_AVAILABLE;
    case NI_ERR_UNSUPPORTED:
        return OPAL_ERR_NOT_SUPPORTED;
    case NI_ERR_INVALID:
        return OPAL_ERR_BAD_PARAM;
    case NI_ERR_CABLE:
    case NI_ERR_CARD:
    case NI_ERR_UNREACHABLE:
    case NI_ERR_PEER_DEAD:
    case NI_ERR_PEER_CLOSED:
    case NI_ERR_PROTOCOL:
        return OPAL_ERR_UNREACH;
    case NI_ERR_REGION:
    case NI_ERR_KEY:
    case NI_ERR_BOUNDS:
    case NI_ERR_ACCESS:
        return OPAL_ERR_PERM;
    default:
        return OPAL_ERROR;
    }
}
