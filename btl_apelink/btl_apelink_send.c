/* SPDX-License-Identifier: BSD-3-Clause */
/* Descriptors out, and those that wait for room. */
#include "btl_apelink/btl_apelink.h"

#include "btl_apelink/btl_apelink_parts.h"
#include "engine/send/fast.h"

/*
 * A descriptor that finds no room waits in its endpoint, in order, and goes out in progress. While
 * any waits, nothing overtakes it: sendi asks for the count, send queues behind. The count is taken
 * down only when the descriptor is in the lane.
 */

enum {
    FIRST_LINE = 48,        /* payload bytes in the line of the packet's header */
    SENDS_PER_PROGRESS = 32 /* descriptors per endpoint and progress: others want to move, too */
};

/* Where to cut the only segment of a descriptor for the core, which starts the second part on a
 * cache line: behind the upper layer's header if it is known, else where no line is wasted. */
static size_t head_of(const mca_btl_apelink_frag_t *frag)
{
    size_t len = frag->segments[0].seg_len;

    if (frag->reserve != 0) {
        return frag->reserve < len ? frag->reserve : len;
    }
    return len < FIRST_LINE ? len : FIRST_LINE;
}

/* Copy a descriptor into the lane. False if there is no room, or the peer is gone. */
static bool push(mca_btl_apelink_frag_t *frag)
{
    mca_btl_apelink_endpoint_t *endpoint = frag->endpoint;
    const mca_btl_base_segment_t *segments = frag->segments;
    size_t own = segments[0].seg_len;
    size_t users = frag->base.des_segment_count > 1 ? segments[1].seg_len : 0;
    size_t head = users != 0 ? own : head_of(frag);
    uint8_t *place = ni_msg_begin(endpoint->peer, (uint32_t)head, (uint32_t)(own + users - head));

    if (NI_UNLIKELY(place == NULL)) {
        return false;
    }
    ni_msg_copy(endpoint->peer, place, segments[0].seg_addr.pval, own);
    if (users != 0) {
        ni_msg_copy(endpoint->peer, place + own, segments[1].seg_addr.pval, users);
    }
    ni_msg_commit(endpoint->peer, endpoint->queue, frag->tag, (uint32_t)(own + users));
    return true;
}

/* The descriptor was sent or given up; it belongs to the caller again after the callback, unless it
 * is ours to free. */
static void complete(mca_btl_apelink_frag_t *frag, int status)
{
    uint32_t flags = frag->base.des_flags;

    if ((flags & MCA_BTL_DES_SEND_ALWAYS_CALLBACK) != 0 && frag->base.des_cbfunc != NULL) {
        frag->base.des_cbfunc(&mca_btl_apelink.super, frag->endpoint, &frag->base, status);
    }
    if ((flags & MCA_BTL_DES_FLAGS_BTL_OWNERSHIP) != 0) {
        (void)mca_btl_apelink_free(&mca_btl_apelink.super, &frag->base);
    }
}

static NI_COLD int send_later(mca_btl_apelink_module_t *module, mca_btl_apelink_frag_t *frag)
{
    mca_btl_apelink_endpoint_t *endpoint = frag->endpoint;

    if (mca_btl_apelink_is_down(endpoint) || ni_peer_status(endpoint->peer) != NI_OK) {
        return OPAL_ERR_UNREACH;
    }
    /* The caller learns of it by the callback only, whatever it asked for. */
    frag->base.des_flags |= MCA_BTL_DES_SEND_ALWAYS_CALLBACK;
    mca_btl_apelink_lock(module, &endpoint->lock);
    ni_list_push_back(&endpoint->pending, &frag->list);
    atomic_fetch_add_explicit(&endpoint->waiting, 1, memory_order_relaxed);
    mca_btl_apelink_lock(module, &module->lock);
    if (!ni_list_linked(&endpoint->busy)) {
        ni_list_push_back(&module->busy, &endpoint->busy);
        atomic_fetch_add_explicit(&module->pending, 1, memory_order_relaxed);
    }
    mca_btl_apelink_unlock(module, &module->lock);
    mca_btl_apelink_unlock(module, &endpoint->lock);
    return OPAL_SUCCESS;
}

/*
 * Returns 1 when the data is in the lane, so that the descriptor is done with, and OPAL_SUCCESS
 * when it waits. ob1 of 4.1 looks after its own queues only when a send completes; that cannot
 * strand it, because it is refused a descriptor only while others are out, and those complete by
 * callback.
 */
int mca_btl_apelink_send(struct mca_btl_base_module_t *btl,
                         struct mca_btl_base_endpoint_t *endpoint,
                         mca_btl_base_descriptor_t *descriptor, mca_btl_base_tag_t tag)
{
    mca_btl_apelink_frag_t *frag = (mca_btl_apelink_frag_t *)descriptor;

    frag->endpoint = endpoint;
    frag->tag = tag;
    frag->sent = 0;
    if (NI_LIKELY(!mca_btl_apelink_waits(endpoint)) && NI_LIKELY(push(frag))) {
        complete(frag, OPAL_SUCCESS);
        return 1;
    }
    return send_later((mca_btl_apelink_module_t *)btl, frag);
}

/* Nothing waits on the endpoint any more. Its lock is held. */
static void not_busy(mca_btl_apelink_module_t *module, mca_btl_apelink_endpoint_t *endpoint)
{
    mca_btl_apelink_lock(module, &module->lock);
    if (ni_list_linked(&endpoint->busy)) {
        ni_list_remove(&endpoint->busy);
        atomic_fetch_sub_explicit(&module->pending, 1, memory_order_relaxed);
    }
    mca_btl_apelink_unlock(module, &module->lock);
}

/* Send a descriptor that waits; true when all of it has left. */
static bool push_waiting(mca_btl_apelink_frag_t *frag)
{
    size_t size = frag->segments[0].seg_len;

    if (NI_LIKELY(frag->sent == 0) && push(frag)) {
        return true;
    }
    if (frag->base.des_segment_count > 1) {
        size += frag->segments[1].seg_len;
    }
    return (frag->sent != 0 || mca_btl_apelink_needs_parts(frag->endpoint, size)) &&
           mca_btl_apelink_push_parts(frag);
}

/* Take the oldest descriptor that waits if it can be sent now. */
static mca_btl_apelink_frag_t *send_oldest(mca_btl_apelink_module_t *module,
                                           mca_btl_apelink_endpoint_t *endpoint)
{
    mca_btl_apelink_frag_t *frag = NULL;

    mca_btl_apelink_lock(module, &endpoint->lock);
    if (!ni_list_empty(&endpoint->pending)) {
        frag = ni_container_of(endpoint->pending.next, mca_btl_apelink_frag_t, list);
        if (push_waiting(frag)) {
            ni_list_remove(&frag->list);
            atomic_fetch_sub_explicit(&endpoint->waiting, 1, memory_order_relaxed);
        } else {
            frag = NULL;
        }
    }
    if (ni_list_empty(&endpoint->pending)) {
        not_busy(module, endpoint);
    }
    mca_btl_apelink_unlock(module, &endpoint->lock);
    return frag;
}

/* The next endpoint in turn; the busy list is a ring of which each gets its share. */
static mca_btl_apelink_endpoint_t *next_busy(mca_btl_apelink_module_t *module)
{
    mca_btl_apelink_endpoint_t *endpoint = NULL;
    struct ni_list *first;

    mca_btl_apelink_lock(module, &module->lock);
    first = ni_list_pop_front(&module->busy);
    if (first != NULL) {
        ni_list_push_back(&module->busy, first);
        endpoint = ni_container_of(first, mca_btl_apelink_endpoint_t, busy);
    }
    mca_btl_apelink_unlock(module, &module->lock);
    return endpoint;
}

unsigned mca_btl_apelink_send_pending(mca_btl_apelink_module_t *module)
{
    uint32_t most = atomic_load_explicit(&module->pending, memory_order_relaxed);
    mca_btl_apelink_endpoint_t *endpoint;
    unsigned sent = 0;

    while (most-- > 0 && (endpoint = next_busy(module)) != NULL) {
        for (unsigned i = 0; i < SENDS_PER_PROGRESS; i++) {
            mca_btl_apelink_frag_t *frag = send_oldest(module, endpoint);

            if (frag == NULL) {
                break;
            }
            complete(frag, OPAL_SUCCESS);
            sent++;
        }
    }
    return sent;
}

void mca_btl_apelink_fail_pending(mca_btl_apelink_endpoint_t *endpoint, int status)
{
    mca_btl_apelink_module_t *module = &mca_btl_apelink;
    struct ni_list failed, *node;

    ni_list_init(&failed);
    mca_btl_apelink_lock(module, &endpoint->lock);
    ni_list_splice_back(&failed, &endpoint->pending);
    atomic_store_explicit(&endpoint->waiting, 0, memory_order_relaxed);
    not_busy(module, endpoint);
    mca_btl_apelink_unlock(module, &endpoint->lock);
    while ((node = ni_list_pop_front(&failed)) != NULL) {
        mca_btl_apelink_frag_t *frag = ni_container_of(node, mca_btl_apelink_frag_t, list);

        if (status != OPAL_SUCCESS) {
            complete(frag, status);
        } else {
            (void)mca_btl_apelink_free(&module->super, &frag->base);
        }
    }
}
