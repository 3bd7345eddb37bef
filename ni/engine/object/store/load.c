/* SPDX-License-Identifier: BSD-3-Clause */
#include <apeni/store.h>

#include "engine/core/atomic.h"
#include "engine/core/op.h"
#include "engine/object/store/stores.h"
#include "engine/bulk/transfer.h"

/* Remote loads. */

static void on_loaded(void *arg, ni_status status, uint64_t value)
{
    struct ni_loading *loading = arg;

    (void)value;
    /* Pairs with the acquire load of ni_load_test. */
    atomic_store_explicit(&loading->status, status, memory_order_release);
}

/* The peer's memory is ours. NI_ERR_UNSUPPORTED: it is not, or it has to be asked. */
static ni_status load_here(struct ni_peer *peer, const struct ni_remote *src, unsigned width,
                           struct ni_loading *loading)
{
    ni_status status;

    ni_lock_take(&peer->lock, peer->threads);
    status = peer->ep != NULL && peer->ep->same_memory ? ni_peer_state(peer) : NI_ERR_UNSUPPORTED;
    if (peer->object.stores != NULL && ni_stores_are_out(peer->object.stores)) {
        ni_stores_ask(peer);
        status = NI_ERR_UNSUPPORTED; /* it comes after them */
    }
    if (status == NI_OK) {
        status = ni_transfer_check(peer->ep, src, width, NI_ACCESS_READ);
    }
    if (status == NI_OK) {
        loading->value = ni_word_load(src->addr, width);
    }
    ni_lock_give(&peer->lock, peer->threads);
    return status;
}

ni_status ni_load_start(struct ni *ni, struct ni_peer *peer, const struct ni_remote *src,
                        unsigned width, struct ni_loading *loading)
{
    struct ni_ack ack = {.kind = NI_ACK_CALL, .fn = on_loaded, .arg = loading};
    ni_status status = ni_usable(ni);

    if (width > 8 || width == 0 || (width & (width - 1)) != 0) {
        return NI_ERR_INVALID;
    }
    if ((src->addr & (width - 1)) != 0) {
        return NI_ERR_ALIGN;
    }
    if (status != NI_OK) {
        return status;
    }
    loading->value = 0;
    atomic_store_explicit(&loading->status, NI_INPROGRESS, memory_order_relaxed);
    status = load_here(peer, src, width, loading);
    if (status != NI_ERR_UNSUPPORTED) {
        on_loaded(loading, status, 0);
        return NI_OK;
    }
    return ni_read(ni, peer, &loading->value, width, src, &ack);
}

ni_status ni_load_test(const struct ni_loading *loading)
{
    return (ni_status)atomic_load_explicit(&loading->status, memory_order_acquire);
}
