/* SPDX-License-Identifier: BSD-3-Clause */
#include <apeni/queue.h>
#include <apeni/store.h>

#include "base/bits.h"
#include "base/clock.h"
#include "engine/core/ni.h"
#include "engine/core/op.h"

/*
 * Calls that wait until something is there: an item of a queue, a word, the end of stores. Of each
 * they know the call that does not wait, and let the NI move or sleep between two of those.
 */

enum {
    NI_NAP_US = 100,   /* where another thread may see what we wait for */
    NI_LOOK_US = 1000, /* where it may make the progress */
};

/* ---- items of queues ------------------------------------------------------------------------- */

ni_status ni_queue_pop_wait(struct ni *ni, ni_handle queue, void *item, size_t size, size_t *len,
                            uint64_t timeout_us)
{
    uint64_t now = ni_now_ns() / 1000, end = now + ni_min_u64(timeout_us, UINT64_MAX - now);
    ni_status status;

    while ((status = ni_queue_pop(ni, queue, item, size, len)) == NI_AGAIN) {
        if (now >= end) {
            return NI_ERR_TIMEOUT;
        }
        (void)ni_wait(ni, ni->threads ? ni_min_u64(end - now, NI_NAP_US) : end - now);
        now = ni_now_ns() / 1000;
    }
    return status;
}

/* Until the word is written, or the time is over. */
static void await(struct ni *ni, const ni_word *word, uint64_t end)
{
    uint64_t now = ni_now_ns() / 1000;

    /* Pairs with the release store of ni_ack_deliver. */
    while (atomic_load_explicit(word, memory_order_acquire) == 0 && now < end && !ni->forked) {
        (void)ni_wait(ni, ni_min_u64(end - now, ni->threads ? NI_NAP_US : UINT64_MAX));
        now = ni_now_ns() / 1000;
    }
}

ni_status ni_dequeue_wait(struct ni *ni, struct ni_peer *peer, const struct ni_rkey *queue,
                          void *dst, size_t len, uint64_t timeout_us)
{
    uint64_t now = ni_now_ns() / 1000, request = 0;
    ni_word word = 0;
    struct ni_ack ack = {.kind = NI_ACK_WORD, .word = &word};
    ni_status status = ni_dequeue(ni, peer, queue, dst, len, &ack, &request);

    if (status != NI_OK) {
        return status;
    }
    await(ni, &word, now + ni_min_u64(timeout_us, UINT64_MAX - now));
    /* Without memory for the request to cancel it we wait for memory, or the item. */
    while (atomic_load_explicit(&word, memory_order_acquire) == 0 &&
           ni_dequeue_cancel(ni, peer, queue, request) == NI_ERR_NOMEM) {
        (void)ni_progress(ni);
    }
    await(ni, &word, UINT64_MAX);
    status = ni_ack_status(atomic_load_explicit(&word, memory_order_acquire));
    return status == NI_ERR_CANCELED ? NI_ERR_TIMEOUT : status;
}

/* ---- loads and stores ------------------------------------------------------------------------ */

static ni_status status_of(const _Atomic int *word)
{
    return (ni_status)atomic_load_explicit(word, memory_order_acquire);
}

/* Until a status is known. Pairs with the release stores of those who know it. */
static ni_status wait_for(struct ni *ni, const _Atomic int *status)
{
    while (status_of(status) == NI_INPROGRESS) {
        (void)ni_wait(ni, NI_LOOK_US);
        if (ni_usable(ni) != NI_OK) {
            return ni_usable(ni);
        }
    }
    return status_of(status);
}

ni_status ni_load(struct ni *ni, struct ni_peer *peer, const struct ni_remote *src, unsigned width,
                  uint64_t *value)
{
    struct ni_loading loading;
    ni_status status;

    while ((status = ni_load_start(ni, peer, src, width, &loading)) == NI_AGAIN) {
        (void)ni_wait(ni, NI_LOOK_US);
    }
    if (status == NI_OK) {
        status = wait_for(ni, &loading.status);
    }
    if (status == NI_OK) {
        *value = loading.value;
    }
    return status;
}

static void on_fence(void *arg, ni_status status, uint64_t value)
{
    (void)value;
    atomic_store_explicit((_Atomic int *)arg, status, memory_order_release); /* for wait_for */
}

ni_status ni_store_fence_wait(struct ni *ni, struct ni_peer *peer)
{
    _Atomic int done = NI_INPROGRESS;
    struct ni_ack ack = {.kind = NI_ACK_CALL, .fn = on_fence, .arg = &done};
    ni_status status = ni_store_fence(ni, peer, &ack);

    return status == NI_OK ? wait_for(ni, &done) : status;
}
