/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APENI_REGION_H
#define APENI_REGION_H

#include <stddef.h>
#include <stdint.h>

#include <apeni/status.h>

/*
 * The buffer table (APEnet+ 4.3): the regions of an NI that packets may name. What happens when a
 * packet arrives depends on the type of its region alone.
 *
 *   MEMORY   Writes are delivered in place, Reads are answered, atomics are applied.
 *   QUEUE    Writes are enqueued (single reader, queue.h), or handed to a consumer function on the
 *            link's own slot.
 *   COUNTER  Writes add to a signed 64-bit counter; when it reaches zero its notifications leave.
 *   COMMAND  Its owner composes descriptors there by plain stores; packets are refused.
 *   INTERRUPT  Writes wake who sleeps on its descriptor.
 *   QP       A queue pair: its owner posts requests there; packets are refused.
 *   MULTI_QUEUE  Writes are enqueued, Reads dequeued; whichever comes first waits (queue.h).
 *
 * A region is named by a handle, which holds an index and a generation: a handle kept after
 * ni_region_deregister is refused, also when its index is in use again. A remote access must also
 * present the region's key and stay inside of its bounds (NI_ACCESS_BY_ADDRESS widens both). A
 * refused access touches no memory, is counted (rx_refused) and completes at the initiator with the
 * reason.
 */

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct ni;
struct ni_peer;

typedef uint32_t ni_handle; /* 0 names nothing */

enum ni_region_type {
    NI_REGION_FREE = 0,
    NI_REGION_MEMORY = 1,
    NI_REGION_QUEUE = 2,
    NI_REGION_COUNTER = 3,
    NI_REGION_COMMAND = 4,     /* command.h */
    NI_REGION_MULTI_QUEUE = 5, /* queue.h */
    NI_REGION_QP = 6,          /* qp.h */
    NI_REGION_INTERRUPT = 7,   /* notify.h */
};

/* Remote accesses that a region allows; bits. */
enum ni_access {
    NI_ACCESS_READ = 1,
    NI_ACCESS_WRITE = 2,
    NI_ACCESS_ATOMIC = 4,
    NI_ACCESS_ALL = 7,
    /*
     * No access, but a rule for MEMORY regions whose peers may name one for another, since they
     * learn of them while they come and go. The regions of an NI that have this bit have one key.
     * An access with that key whose handle names one that does not allow it, or none, is allowed
     * by any of them that contains the address and has the rights: a peer that holds the key of
     * one, which may be gone since, reaches all. For peers that are trusted with all of this
     * memory.
     */
    NI_ACCESS_BY_ADDRESS = 8,
};

/* What a peer must present to reach a region: plain data, to be sent to it by any means. */
struct ni_rkey {
    ni_handle handle;
    uint32_t access; /* enum ni_access, for the initiator's information */
    uint64_t key;
};

/* A message as a consumer sees it. data lies in the link's own memory and is valid during the
 * call only. */
struct ni_message_info {
    struct ni_peer *source; /* who sent it */
    const void *data;
    uint32_t len; /* bytes */
    uint16_t tag; /* as given to ni_message */
};

/* Called from ni_progress for each message to a QUEUE region with a consumer, in order per
 * source. May send, may register and deregister regions; may call ni_progress, but must not wait
 * there for what the same peer sends: the room that this message takes, and what lies behind it, is
 * given back to the peer only on return. */
typedef void (*ni_consumer_fn)(void *arg, const struct ni_message_info *message);

/* Register len bytes at base (both any alignment, len >= 1) as a MEMORY region; access is enum
 * ni_access, at least one of NI_ACCESS_ALL. The memory stays the caller's and must stay mapped
 * until ni_region_deregister; regions may overlap. Errors: INVALID (range wraps, no access, unknown
 * access), NOMEM, LIMIT (2^20 - 1 regions). */
ni_status ni_region_memory(struct ni *ni, void *base, size_t len, unsigned access,
                           struct ni_rkey *rkey);

/* A QUEUE region whose messages go to a function, with arg. key 0 draws a random one. Errors:
 * INVALID (no function), NOMEM, LIMIT. */
ni_status ni_region_consumer(struct ni *ni, ni_consumer_fn consumer, void *arg, uint64_t key,
                             struct ni_rkey *rkey);

/* Forget a region. Accesses under way finish or are refused; afterwards none touches the memory,
 * but a direct copy by a peer that has begun may still read or write it (as with any RDMA device:
 * complete transfers first). Takes the progress lock for all types but MEMORY, COUNTER and
 * INTERRUPT. NI_ERR_REGION: stale, or never given out. */
ni_status ni_region_deregister(struct ni *ni, ni_handle handle);

/* The MEMORY region that contains [start, start + len), search_persistent_buf_by_range of
 * APEnet+ 4.3. Of several the one with the smallest index. NI_ERR_NOTFOUND: none, or len is 0. */
ni_status ni_region_search(struct ni *ni, const void *start, size_t len, struct ni_rkey *rkey);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
