/* SPDX-License-Identifier: BSD-3-Clause */
/* Put, get and flush. */
#include "btl_apelink/btl_apelink_op.h"

#include "ompi_glue/get_bound.h"

/*
 * Both always complete by the callback, possibly before they return, and never return 1: ob1 of 4.1
 * takes that for a failure of a put, and waits for the callback of a get. The core reports a put
 * complete when the data is visible at the target, as the interface demands.
 */

NI_ALWAYS_INLINE ni_status begin(mca_btl_apelink_module_t *module, mca_btl_apelink_op_t *op,
                                 size_t size, const struct ni_remote *remote, bool reads)
{
    struct ni_ack ack = mca_btl_apelink_op_ack(op);

    return reads ? ni_read(module->ni, op->endpoint->peer, op->local_address, size, remote, &ack)
                 : ni_write(module->ni, op->endpoint->peer, op->local_address, size, remote, &ack);
}

static bool lacks_memory(ni_status status)
{
    return status == NI_AGAIN || status == NI_ERR_NOMEM;
}

/* ob1 tries again what found no memory only when something else of its own has completed: where
 * nothing else is under way, never. */
static NI_COLD void hold(mca_btl_apelink_module_t *module, mca_btl_apelink_op_t *op, size_t size,
                         const struct ni_remote *remote, bool reads)
{
    op->size = size;
    op->remote = *remote;
    op->reads = reads;
    mca_btl_apelink_lock(module, &module->lock);
    opal_list_append(&module->held, &op->super.super);
    /* Relaxed: the lock orders the list; who sees the count late looks again. */
    atomic_fetch_add_explicit(&module->pending, 1, memory_order_relaxed);
    mca_btl_apelink_unlock(module, &module->lock);
}

/* The one that has been held for longest, or NULL. */
static mca_btl_apelink_op_t *take_held(mca_btl_apelink_module_t *module)
{
    mca_btl_apelink_op_t *op;

    mca_btl_apelink_lock(module, &module->lock);
    op = (mca_btl_apelink_op_t *)opal_list_remove_first(&module->held);
    if (op != NULL) {
        atomic_fetch_sub_explicit(&module->pending, 1, memory_order_relaxed);
    }
    mca_btl_apelink_unlock(module, &module->lock);
    return op;
}

/* Back to the front, since there is no memory still. */
static void hold_again(mca_btl_apelink_module_t *module, mca_btl_apelink_op_t *op, ni_status status)
{
    const mca_btl_apelink_endpoint_t *endpoint =
        op->endpoint; /* op may be started by another thread */

    mca_btl_apelink_lock(module, &module->lock);
    opal_list_prepend(&module->held, &op->super.super);
    atomic_fetch_add_explicit(&module->pending, 1, memory_order_relaxed);
    mca_btl_apelink_unlock(module, &module->lock);
    if (status == NI_ERR_NOMEM) {
        (void)mca_btl_apelink_starves(module, endpoint, "a put or get found no memory at");
    }
}

unsigned mca_btl_apelink_start_held(mca_btl_apelink_module_t *module)
{
    unsigned started = 0;
    mca_btl_apelink_op_t *op;

    while ((op = take_held(module)) != NULL) {
        ni_status status = begin(module, op, op->size, &op->remote, op->reads);

        if (lacks_memory(status)) {
            hold_again(module, op, status);
            break;
        }
        started++;
        mca_btl_apelink_fed(module);
        if (status != NI_OK) {
            mca_btl_apelink_op_done(op, status, 0);
        }
    }
    return started;
}

NI_ALWAYS_INLINE int start(struct mca_btl_base_module_t *btl,
                           struct mca_btl_base_endpoint_t *endpoint, void *local_address,
                           uint64_t remote_address,
                           mca_btl_base_registration_handle_t *local_handle,
                           mca_btl_base_registration_handle_t *remote_handle, size_t size,
                           mca_btl_base_rdma_completion_fn_t cbfunc, void *cbcontext, void *cbdata,
                           bool reads)
{
    mca_btl_apelink_module_t *module = (mca_btl_apelink_module_t *)btl;
    struct ni_remote remote = mca_btl_apelink_remote(remote_address, remote_handle);
    mca_btl_apelink_op_t *op = mca_btl_apelink_op_new(module, endpoint, local_address, local_handle,
                                                      cbfunc, cbcontext, cbdata);
    ni_status status;

    if (NI_UNLIKELY(op == NULL)) {
        return OPAL_ERR_OUT_OF_RESOURCE;
    }
    if (reads) {
        size = ompi_glue_get_bound(local_address, remote_address, size, cbfunc, cbcontext, cbdata);
    }
    status = begin(module, op, size, &remote, reads);
    if (NI_UNLIKELY(lacks_memory(status)) && cbfunc != NULL && ompi_glue_is_of_ob1(cbfunc)) {
        hold(module, op, size, &remote, reads);
        return OPAL_SUCCESS;
    }
    return mca_btl_apelink_op_started(module, op, status);
}

int mca_btl_apelink_put(struct mca_btl_base_module_t *btl, struct mca_btl_base_endpoint_t *endpoint,
                        void *local_address, uint64_t remote_address,
                        mca_btl_base_registration_handle_t *local_handle,
                        mca_btl_base_registration_handle_t *remote_handle, size_t size, int flags,
                        int order, mca_btl_base_rdma_completion_fn_t cbfunc, void *cbcontext,
                        void *cbdata)
{
    (void)flags;
    (void)order;
    return start(btl, endpoint, local_address, remote_address, local_handle, remote_handle, size,
                 cbfunc, cbcontext, cbdata, false);
}

int mca_btl_apelink_get(struct mca_btl_base_module_t *btl, struct mca_btl_base_endpoint_t *endpoint,
                        void *local_address, uint64_t remote_address,
                        mca_btl_base_registration_handle_t *local_handle,
                        mca_btl_base_registration_handle_t *remote_handle, size_t size, int flags,
                        int order, mca_btl_base_rdma_completion_fn_t cbfunc, void *cbcontext,
                        void *cbdata)
{
    (void)flags;
    (void)order;
    return start(btl, endpoint, local_address, remote_address, local_handle, remote_handle, size,
                 cbfunc, cbcontext, cbdata, true);
}

static void flushed(void *arg, ni_status status, uint64_t value)
{
    _Atomic bool *done = arg;

    (void)status; /* a peer that died has no operation outstanding either */
    (void)value;
    /* F1: pairs with the acquire in mca_btl_apelink_flush. */
    atomic_store_explicit(done, true, memory_order_release);
}

/* Each operation that ends gives memory back. */
static NI_COLD ni_status flush_again(mca_btl_apelink_module_t *module,
                                     const mca_btl_apelink_endpoint_t *endpoint,
                                     struct ni_peer *peer, const struct ni_ack *ack,
                                     ni_status status)
{
    do {
        if (status == NI_ERR_NOMEM &&
            mca_btl_apelink_starves(module, endpoint, "a flush found no memory at")) {
            return status;
        }
        opal_progress();
        status = ni_flush(module->ni, peer, ack);
    } while (lacks_memory(status));
    mca_btl_apelink_fed(module);
    return status;
}

/* Ask when all that was started before has completed. */
static ni_status begin_flush(mca_btl_apelink_module_t *module,
                             const mca_btl_apelink_endpoint_t *endpoint, _Atomic bool *done)
{
    struct ni_ack ack = {.kind = NI_ACK_CALL, .fn = flushed, .arg = done};
    struct ni_peer *peer = endpoint != NULL ? endpoint->peer : NULL;
    ni_status status = ni_flush(module->ni, peer, &ack);

    return NI_LIKELY(!lacks_memory(status)) ? status
                                            : flush_again(module, endpoint, peer, &ack, status);
}

/*
 * Returns when all puts, gets and atomics that were started before have completed; their callbacks
 * have run by then, unless another thread is just running them. Makes progress even when there is
 * nothing to wait for: osc/rdma relies on a flush for that, and a program that polls its own window
 * with flushes in between waits for puts of others, which need this process. Most such puts come to
 * us; what waits for other components waits a few flushes longer.
 *
 * osc/rdma does not look at what a flush returns. So lack of memory is waited out; where no
 * operation is under way a flush takes none.
 */
int mca_btl_apelink_flush(struct mca_btl_base_module_t *btl,
                          struct mca_btl_base_endpoint_t *endpoint)
{
    enum {
        SPINS = 1000, /* then give way to the process that shares the core */
        OTHERS = 16,  /* flushes from one progress of all components to the next */
    };
    static _Atomic unsigned idle;
    mca_btl_apelink_module_t *module = (mca_btl_apelink_module_t *)btl;
    _Atomic bool done = false;
    ni_status status = begin_flush(module, endpoint, &done);

    if (status != NI_OK) {
        return mca_btl_apelink_error(status);
    }
    /* Pairs with F1. */
    if (atomic_load_explicit(&done, memory_order_acquire)) {
        unsigned count = atomic_load_explicit(&idle, memory_order_relaxed) + 1;

        atomic_store_explicit(&idle, count, memory_order_relaxed);
        if (count % OTHERS != 0) {
            (void)ni_progress(module->ni);
        } else {
            opal_progress();
        }
        return OPAL_SUCCESS;
    }
    for (unsigned spins = 0; !atomic_load_explicit(&done, memory_order_acquire); spins++) {
        if (ni_progress(module->ni) == 0 && spins >= SPINS) {
            opal_progress();
        }
    }
    return OPAL_SUCCESS;
}
