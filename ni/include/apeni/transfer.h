/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APENI_TRANSFER_H
#define APENI_TRANSFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <apeni/region.h>
#include <apeni/status.h>

/*
 * Transfers: everything is a Write or a Read (FORTH-CC 2.2, 3.2) to a region of a peer. Each may
 * name an ack address, to which its completion is written: nothing (also NULL), a function of this
 * process, a word or a COUNTER region of this NI, or a region of any NI, also of one that has no
 * part in the transfer. An operation that was accepted (NI_OK) completes
 * exactly once, with NI_OK or the reason why not; also when the peer dies. One that was not
 * accepted (any other result) never completes. Completion may come before the call returns.
 */

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct ni;
struct ni_peer;

/* A word that the NI writes and a thread polls. */
#ifdef __cplusplus
typedef uint64_t ni_word;
#else
typedef _Atomic uint64_t ni_word;
#endif

/* A place in a peer's memory. */
struct ni_remote {
    uint64_t addr; /* virtual address in the peer, inside of the region */
    uint64_t key;
    ni_handle handle;
};

/* value: bytes moved, or the old value of a fetching atomic; 0 unless status is NI_OK. Where it
 * runs, and what it may call: ni.h. */
typedef void (*ni_done_fn)(void *arg, ni_status status, uint64_t value);

enum ni_ack_kind {
    NI_ACK_NONE,
    NI_ACK_CALL,    /* fn(arg, status, value), from ni_progress or before the call returns */
    NI_ACK_WORD,    /* *word = value, or ni_ack_failure(status); release store */
    NI_ACK_COUNTER, /* the local COUNTER region gets value added: after a failure nothing, so that
                       what waits for zero waits on; nobody is told if there is no such region */
    NI_ACK_REGION,  /* a region is told, struct ni_ack_region */
};

/* A region that is told, as a counter's notification is (counter.h): a word of MEMORY is stored,
 * a COUNTER added to, a QUEUE or MULTI_QUEUE of 8-byte items with a body gets one. Where a queue is
 * full it waits. It belongs to the caller, and must be there, and its peer not disconnected, until
 * the operation has completed. What the region refuses is counted there (rx_refused); nobody is
 * told where its NI is dead. */
struct ni_ack_region {
    struct ni_peer *peer; /* of the operation or any other; NULL: this NI */
    struct ni_remote where;
    bool counts; /* after a failure nothing is told, as with NI_ACK_COUNTER; otherwise
                    ni_ack_failure(status) */
};

struct ni_ack {
    enum ni_ack_kind kind;
    ni_handle counter;
    union {
        ni_done_fn fn;
        ni_word *word;
        const struct ni_ack_region *region;
    };
    void *arg;
    uint64_t value; /* of a counter's notification: what is written or added */
};

/* What an NI_ACK_WORD holds after a failure, and back: NI_OK for any other value. NI_AGAIN, which
 * is positive, ends up below the negative ones. */
static inline uint64_t ni_ack_failure(ni_status status)
{
    return UINT64_MAX - 64 + (uint64_t) - (int)status;
}

static inline ni_status ni_ack_status(uint64_t word)
{
    return word >= UINT64_MAX - 64 - NI_AGAIN ? (ni_status)(int)(UINT64_MAX - 64 - word) : NI_OK;
}

enum ni_atomic_op {
    NI_ATOMIC_ADD,
    NI_ATOMIC_AND,
    NI_ATOMIC_OR,
    NI_ATOMIC_XOR,
    NI_ATOMIC_LAND,
    NI_ATOMIC_LOR,
    NI_ATOMIC_LXOR,
    NI_ATOMIC_SWAP,
    NI_ATOMIC_MIN, /* signed */
    NI_ATOMIC_MAX, /* signed */
    NI_ATOMIC_CSWAP,
    NI_ATOMIC_OPS
};

/* Copy len bytes (0 allowed) from src to the peer's memory. src must stay unchanged until
 * completion. Never NI_AGAIN: what finds no room waits by itself. Error: NOMEM; the peer's (REGION,
 * KEY, BOUNDS, ACCESS) come with the ack. Without an ack one packet is answered only if it is
 * refused, and ni_flush, which asks, tells of that: until then such writes are one operation under
 * way. */
ni_status ni_write(struct ni *ni, struct ni_peer *peer, const void *src, size_t len,
                   const struct ni_remote *dst, const struct ni_ack *ack);

/* Copy len bytes (0 allowed) from the peer's memory to dst, which belongs to the NI until
 * completion; or the next item, of len bytes, of a multi-reader queue, when there is one (queue.h).
 * Errors as for ni_write. */
ni_status ni_read(struct ni *ni, struct ni_peer *peer, void *dst, size_t len,
                  const struct ni_remote *src, const struct ni_ack *ack);

/* Send head_len + len bytes (head and data gathered in this order) to a QUEUE region; both may be
 * reused at once. At most ni_message_max bytes in all. Messages of one thread to one peer arrive in
 * order. NI_AGAIN when the ring is full; NI_ERR_LIMIT: longer than that. What the peer
 * refuses, because there is no such queue or it has other items, is counted there (rx_refused) and
 * here (tx_refused), and at log level info named. */
ni_status ni_message(struct ni *ni, struct ni_peer *peer, ni_handle queue, uint16_t tag,
                     const void *head, size_t head_len, const void *data, size_t len);

/* The same with the queue's key and an ack, written when the item is in the peer's queue, or with
 * NI_AGAIN when that was full (queue.h). Without an ack (NULL) it waits for room, as a message
 * does. Returns as ni_message, and NOMEM; the peer's errors come with the ack. */
ni_status ni_enqueue(struct ni *ni, struct ni_peer *peer, const struct ni_rkey *queue,
                     const void *data, size_t len, const struct ni_ack *ack);

/* Largest head_len + len that ni_message takes towards this peer, in bytes. */
size_t ni_message_max(const struct ni_peer *peer);

/* Apply an atomic operation of width 4 or 8 bytes to an aligned word of the peer; the completion's
 * value is the old word (zero extended). compare is for CSWAP only: the word becomes operand if it
 * equals compare. Atomic with respect to all operations of NIs and of the CPU on that word. Errors:
 * INVALID (width, op), NOMEM; the peer's, also ALIGN, come with the ack. */
ni_status ni_fetch_op(struct ni *ni, struct ni_peer *peer, enum ni_atomic_op op, unsigned width,
                      uint64_t operand, uint64_t compare, const struct ni_remote *dst,
                      const struct ni_ack *ack);

/* Complete when all operations to the peer (all peers if NULL) that were accepted before have
 * completed: with NI_OK, or with the status of the first of them that failed since. Never fails for
 * another reason once it was accepted. Error: NOMEM. */
ni_status ni_flush(struct ni *ni, struct ni_peer *peer, const struct ni_ack *ack);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
