/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_MULTI_H
#define NI_ENGINE_MULTI_H

#include <stdbool.h>
#include <stdint.h>

#include <apeni/queue.h>

#include "base/list.h"
#include "base/pool.h"
#include "engine/core/ni.h"
#include "engine/core/peer.h"
#include "engine/object/queue/queue.h"

/*
 * Multi-reader queues (FORTH-CC 2.3, 3.2: mr-Q): items wait in a circular buffer, read requests in
 * a list, and most of the time one of the two is empty, since they are matched on arrival:
 *
 *   item arrives     requests wait: it is sent to the oldest, from its packet into the answer's
 *                    otherwise it is stored
 *   request arrives  items wait: it gets the oldest
 *                    otherwise it is listed
 *
 * Both are there only while the readers' lanes have no room for an answer. Then the queue is listed
 * in ni->object.multis, and progress goes on with it (ni_multis_progress). Requests of peers that
 * are down are dropped when they are met.
 *
 * An answer is an ACK packet with the request's token and the item behind it, in one line for items
 * of up to 32 bytes; once it is in the reader's lane the item is the reader's. A request may also
 * be for many items, to be sent as messages to a queue of the reader's; it takes them in turns with
 * others, and is answered after the last. A plain Read, as of a descriptor, is a request for one
 * item, whose answer has the fields of a Read's.
 *
 * While no request waits, items take the same way as those of a queue with one reader, which
 * remembers the queue (ni->arrive.last_queue); a request that is listed has that forgotten.
 *
 * Everything here belongs to the holder of the progress lock, and no lock is held. Acks of our own
 * requests are delivered last, since their functions may do anything, also deregister the queue.
 */

struct ni_multi_request {
    struct ni_list list;  /* in multi->requests, oldest first */
    struct ni_peer *peer; /* NULL: ours */
    uint64_t token;       /* the peer's; of ours, the pool's */
    ni_handle to;         /* of many: the peer's queue they are sent to; otherwise 0 */
    uint32_t left;        /* of many: items not sent yet */
    bool read;            /* a plain Read, which is answered like one of memory */
    void *dst;            /* ours */
    struct ni_ack ack;    /* ours */
};

struct ni_multi {
    struct ni *ni;
    ni_handle handle;
    bool gone;               /* deregistered: requests that are left wait to be told */
    uint32_t unreported;     /* requests of many that are served and have not been told */
    struct ni_list requests; /* struct ni_multi_request */
    struct ni_pool pool;     /* of them */
    struct ni_list
        unfinished;        /* in ni->object.multis while there is something that found no room */
    struct ni_queue queue; /* items, of one size */
};

/* The multi-reader queue of a handle of ours, or NULL. */
struct ni_multi *ni_multi_find(const struct ni *ni, ni_handle handle);
/* It has left the table: tell those who wait, and free it. */
void ni_multi_close(struct ni_multi *multi);
/* MULTI_QUEUE is a type of regions. The NI opens. */
void ni_multis_register(struct ni *ni);

/* ---- multi_send.c ---------------------------------------------------------------------------- */

/* Tell the peer of a request how it ended, with an item if status is NI_OK; now, or not at all:
 * false. */
bool ni_multi_answer(const struct ni_multi_request *request, ni_status status, const void *item,
                     uint32_t len);
/* Send one of many items to the reader's queue; the same. */
bool ni_multi_send_on(const struct ni_multi_request *request, const void *item, uint32_t len);

/* ---- multi_serve.c --------------------------------------------------------------------------- */

/* An item: NI_AGAIN, NI_ERR_BOUNDS as ni_queue_body_push. The queue may be gone afterwards. */
ni_status ni_multi_push(struct ni_multi *multi, const void *item, size_t len);
/* A request of a peer, of which peer, token, to, left and read are set; it may have got its item
 * when this returns. NI_AGAIN: too many wait; NI_ERR_NOMEM. */
ni_status ni_multi_ask(struct ni_multi *multi, const struct ni_multi_request *model);
/* The same, of ours. */
ni_status ni_multi_ask_here(struct ni_multi *multi, void *dst, const struct ni_ack *ack,
                            uint64_t *request);
/* Forget a request; false if it is not there. *ack is that of one of ours. */
bool ni_multi_forget(struct ni_multi *multi, const struct ni_peer *peer, uint64_t token,
                     struct ni_ack *ack);
/* Answer all that wait with NI_ERR_REGION, as far as there is room; whether none is left. */
bool ni_multi_refuse(struct ni_multi *multi);
/* Go on with queues that are unfinished; returns events. */
unsigned ni_multis_progress(struct ni *ni);

static inline bool ni_multi_is_served(const struct ni_multi_request *request)
{
    return request->to != 0 && request->left == 0;
}

#endif
