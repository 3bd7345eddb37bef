/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APENI_QUEUE_H
#define APENI_QUEUE_H

#include <stddef.h>
#include <stdint.h>

#include <apeni/region.h>
#include <apeni/status.h>
#include <apeni/transfer.h>

/*
 * Queues (FORTH-CC 2.3, 3.2): regions into which any peer writes items, without a lock.
 *
 *   single reader    The owner pops. For work, or news, that is for one.
 *   multiple reader  Peers read, too: a read request is one packet that takes the oldest item.
 *                    Where there is none the request waits in the queue, and the next item goes to
 *                    it: items in the order in which they came, to requests in the order in which
 *                    they came.
 *
 * Items are sent by ni_message, one packet and no answer, or by ni_enqueue, with an ack. Those of
 * one sender keep their order. Nothing is lost and nothing comes twice: an item for which there is
 * no room is refused with NI_AGAIN to its ack address, or waits in its sender's lane, with all that
 * the sender has sent behind it, where it has none.
 *
 * A queue is named by a handle and key, or by a number in its NI's queue translation table
 * (FORTH-PCI III-B), so that its senders need not know handles.
 *
 * Threads: one reader pops from a single-reader queue. All other functions may be called by any
 * thread of an NI opened with NI_THREADS; those that touch a queue of this NI take the progress
 * lock for it, as a poll does.
 */

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

enum ni_queue_flags {
    /* An item with an ack that finds the queue full waits as well; its ack comes when it is in. */
    NI_QUEUE_PUSH_BACK = 1,
};

enum {
    NI_QUEUE_ITEM_MAX = 64, /* bytes of an item of a fixed size */
    NI_QUEUE_CAPACITY =
        1 << 20,             /* most items, and most waiting requests, of a multi-reader queue */
    NI_QUEUE_NUMBERS = 4096, /* of the queue translation table */
    NI_QUEUE_FIRST_HANDLE = 1 << 19, /* what number 0 is as a handle */
};

/* ---- single reader --------------------------------------------------------------------------- */

/* A QUEUE region with a body of capacity items (rounded up to a power of two) of item_size bytes:
 * 4, 8, 16, 32 or 64, or 0 for items of any length (then capacity counts 64-byte units, of which an
 * item takes what it and 4 bytes of length need). What can never be an item is refused with
 * NI_ERR_BOUNDS. Errors: INVALID (size, capacity, flags), NOMEM, LIMIT. */
ni_status ni_region_single_queue(struct ni *ni, size_t item_size, size_t capacity, unsigned flags,
                                 struct ni_rkey *rkey);

/* The same without flags. */
ni_status ni_region_queue(struct ni *ni, size_t item_size, size_t capacity, struct ni_rkey *rkey);

/* ---- multiple readers ------------------------------------------------------------------------ */

/* A MULTI_QUEUE region of capacity items (rounded up to a power of two, up to NI_QUEUE_CAPACITY) of
 * item_size bytes: 4, 8, 16, 32 or 64. As many read requests may wait; a further one is refused
 * with NI_AGAIN. access says what peers may do: NI_ACCESS_WRITE enqueue, NI_ACCESS_READ dequeue.
 * When it is deregistered, its items are forgotten and the requests that wait complete with
 * NI_ERR_REGION. Errors: INVALID, NOMEM, LIMIT. */
ni_status ni_region_multi_queue(struct ni *ni, size_t item_size, size_t capacity, unsigned flags,
                                unsigned access, struct ni_rkey *rkey);

/*
 * Ask for an item of a multi-reader queue of a peer, or of this NI (peer NULL), then by its handle
 * (key ignored). len is the queue's item size. Completes when an item has been written to dst, with
 * its length, which may be at any time or never; with NI_AGAIN when too many requests wait there,
 * or with the reason why not. dst belongs to the NI until then. *request (may be NULL) names it for
 * ni_dequeue_cancel.
 *
 * An item is sent to one request and to no other. If its reader is dead by then, that item is lost
 * with it, and no other: what was not sent yet is kept for the living. A reader whose ring is full
 * is passed over until it has room. Cancel requests before ni_disconnect, or their items go to
 * nobody. ni_flush waits for requests, too.
 *
 * Errors: INVALID (len is no item's size), NOMEM, the peer's status. One packet there, one packet
 * back.
 */
ni_status ni_dequeue(struct ni *ni, struct ni_peer *peer, const struct ni_rkey *queue, void *dst,
                     size_t len, const struct ni_ack *ack, uint64_t *request);

/*
 * Ask for the next count items of a peer's multi-reader queue, to be sent, as messages, to the
 * queue `to` of this NI: one request for many packets back. It takes items in turns with the other
 * requests that wait. Completes when the last has been sent, with count; all items are in `to`
 * then, which must have room for them, or its owner holds them back, and all else that it sends.
 * When it is taken back it completes with NI_ERR_CANCELED, and what was sent before has arrived.
 * Errors: INVALID (len, no peer, no queue `to`, count 0), NOMEM; the peer's (REGION, KEY, ACCESS,
 * BOUNDS) come with the ack.
 */
ni_status ni_dequeue_to(struct ni *ni, struct ni_peer *peer, const struct ni_rkey *queue,
                        size_t len, ni_handle to, uint32_t count, const struct ni_ack *ack,
                        uint64_t *request);

/* Take a request back. It completes in any case, once: with NI_ERR_CANCELED, or with the item that
 * was on its way already. NI_OK if the peer was asked, or why not (NOMEM: again after progress); a
 * request that is over is no error. */
ni_status ni_dequeue_cancel(struct ni *ni, struct ni_peer *peer, const struct ni_rkey *queue,
                            uint64_t request);

/* ni_dequeue, and progress until there is an item or timeout_us have passed: then the request is
 * taken back, and NI_ERR_TIMEOUT returned. Errors: those of ni_dequeue, and what it completes with.
 * Not in callbacks. */
ni_status ni_dequeue_wait(struct ni *ni, struct ni_peer *peer, const struct ni_rkey *queue,
                          void *dst, size_t len, uint64_t timeout_us);

/* ---- the owner ------------------------------------------------------------------------------- */

/* Enqueue in a queue of this NI. NI_AGAIN if it is full, NI_ERR_BOUNDS if this can never be an
 * item, NI_ERR_REGION if there is no such queue, or a function consumes its messages. */
ni_status ni_queue_push(struct ni *ni, ni_handle queue, const void *item, size_t len);

/* Take the oldest item: copies up to size bytes, sets *len to the item's length. NI_AGAIN if empty;
 * NI_ERR_TRUNCATED (item kept, *len set) if it is longer than size; NI_ERR_REGION as for
 * ni_queue_push. One reader at a time, but of a multi-reader queue any number. Does not make
 * progress: what has arrived is enqueued by ni_progress. */
ni_status ni_queue_pop(struct ni *ni, ni_handle queue, void *item, size_t size, size_t *len);

/* The same, making progress until there is an item; NI_ERR_TIMEOUT after timeout_us. Not in
 * callbacks. */
ni_status ni_queue_pop_wait(struct ni *ni, ni_handle queue, void *item, size_t size, size_t *len,
                            uint64_t timeout_us);

/* ---- the queue translation table ------------------------------------------------------------- */

/*
 * Give a queue a number. With peer NULL it is a queue of this NI, by its handle (key ignored): then
 * peers may use ni_queue_handle(number) for its handle, to the extent of access (NI_ACCESS_WRITE
 * enqueue, NI_ACCESS_READ dequeue), by ni_enqueue and ni_dequeue with this key; a key of 0 is that
 * of anyone, and only then messages, which carry none, are accepted. Otherwise it is a queue of
 * that peer, for our own ni_queue_send and ni_queue_ask. A number whose queue was deregistered is
 * refused as a stale handle is. NI_ERR_INVALID (number, access), NI_ERR_REGION (no such queue),
 * NI_ERR_EXISTS (number in use), NI_ERR_NOMEM.
 */
ni_status ni_queue_name(struct ni *ni, uint32_t number, struct ni_peer *peer,
                        const struct ni_rkey *queue, unsigned access, uint64_t key);

/* Forget a number. NI_ERR_NOTFOUND if it is not in use. */
ni_status ni_queue_unname(struct ni *ni, uint32_t number);

/* What a number means here: *peer NULL is this NI. NI_ERR_NOTFOUND. */
ni_status ni_queue_find(struct ni *ni, uint32_t number, struct ni_peer **peer,
                        struct ni_rkey *queue);

/* Enqueue in the queue of that number, wherever it is: ni_queue_push, ni_message, or ni_enqueue if
 * there is an ack. Errors: NOTFOUND (no such number), those of the function. */
ni_status ni_queue_send(struct ni *ni, uint32_t number, const void *item, size_t len,
                        const struct ni_ack *ack);

/* ni_dequeue from the multi-reader queue of that number. Errors: NOTFOUND, those of ni_dequeue. */
ni_status ni_queue_ask(struct ni *ni, uint32_t number, void *dst, size_t len,
                       const struct ni_ack *ack, uint64_t *request);

/* What names queue number n of a peer's table in a struct ni_rkey, or for ni_message; 0 if there is
 * no such number. */
static inline ni_handle ni_queue_handle(uint32_t number)
{
    return number < NI_QUEUE_NUMBERS ? NI_QUEUE_FIRST_HANDLE + number : 0;
}

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
