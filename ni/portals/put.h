/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_PORTALS_PUT_H
#define NI_PORTALS_PUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/alloc.h"
#include "portals/combine.h"
#include "portals/message.h"

/* Puts, gets and atomics at their initiator: put*.c, request.c, request_send.c, self.c. */

/* What goes over the wire. */
struct ni_put_header {
    const uint8_t *src;
    uint64_t length;
    uint64_t match_bits;
    uint64_t hdr_data;
    uint64_t remote_offset;
    uint64_t token;
    uint16_t pt_index;
};

/* Where in a vector something lies. */
struct ni_place {
    const struct ni_iovec *vector; /* NULL: in none */
    uint64_t offset;
};

/* What makes a get or an atomic of a put. */
struct ni_extra {
    enum ni_verb verb;
    struct ni_combination what; /* atomics */
    uint8_t *dst;               /* of the answer, where one comes */
    struct ni_eq *eq;           /* of dst's descriptor */
    struct ni_ct *ct;
    uint32_t options;
    struct ni_place from, to; /* of the data, and of the answer */
    struct ni_packed *landed; /* where the answer comes first, in place of `to`; NULL: at dst */
};

/* When an operation is triggered. */
struct ni_when {
    struct ni_ct *ct;
    uint64_t threshold;
};

/* A put, get or atomic that something is still to come of. */
struct ni_put {
    struct ni_list all;   /* in peer->puts or portals->own_puts; under the NI's lock */
    struct ni_list queue; /* in peer->put_queue while it waits for room; under the peer's lock */
    struct ni_portal_task task;
    struct ni_peer *peer; /* NULL: this NI */
    struct ni_put_header header;
    struct ni_eq *eq;
    struct ni_ct *ct;
    void *user_ptr;
    struct ni_rkey rkey;        /* of its data, handle 0: none */
    struct ni_packed *packed;   /* NULL: its data is the user's */
    uint32_t options;           /* the descriptor's */
    uint64_t posted;            /* see stamps.h */
    struct ni_memory_wait wait; /* for its region; under the peer's lock */
    bool ack;
    bool is_long;
    bool asked;             /* an answer may come; under the NI's lock */
    bool held;              /* ends with its match, nobody wants the ACK: ni_put_hold */
    bool told;              /* SEND has been told, or need not be */
    bool async;             /* counted in ni->drive.async_puts; under the NI's lock */
    struct ni_extra *extra; /* NULL: a put */
};

/* A bit of ni_put.options besides enum ni_md_options: its acknowledgement is counted, and no
 * event. */
enum { NI_PUT_CT_ACK = 1 << 30 };

static inline uint32_t ni_put_options(const struct ni_md *md, enum ni_ack_req ack)
{
    return md->options | (ack > NI_ACK_REQ ? (uint32_t)NI_PUT_CT_ACK : 0U);
}

/* Whether ni_put takes it, common or not: NI_OK, or what it returns. */
int ni_put_rare_check(const struct ni *ni, const struct ni_md *md, uint64_t local_offset,
                      uint64_t length, enum ni_ack_req ack, uint32_t pt_index);
/* Copy its data, which may change once the call has returned; false out of memory. */
bool ni_put_keep(struct ni *ni, struct ni_put *put);

/* Let the peer read the put's data, or write its answer. NI_AGAIN: not now; NI_ERR_NOMEM: nor for
 * memory_wait_ms. The peer's lock is held. */
ni_status ni_put_expose(struct ni_put *put, void *memory, unsigned access);
/* Send a put, get or atomic, or have it wait; what ni_put returns. */
int ni_put_start(struct ni_put *put);
/* Whether nothing is sent, so that there is no SEND event. */
static inline bool ni_put_only_asks(const struct ni_put *put)
{
    return put->extra != NULL && put->extra->verb == NI_VERB_GET;
}

/* Whether it ends with a REPLY. */
static inline bool ni_put_fetches(const struct ni_put *put)
{
    return put->extra != NULL && put->extra->verb != NI_VERB_ATOMIC;
}

/* A put that stays open, from a filled one; NULL out of memory. Its header's token is set. */
struct ni_put *ni_put_new(struct ni *ni, const struct ni_put *from);
/* Forget it, telling nothing. */
void ni_put_free(struct ni *ni, struct ni_put *put);
/* It has ended: tell what is still to tell, free it. No lock is held. */
void ni_put_finish(struct ni *ni, struct ni_put *put, enum ni_ni_fail fail, uint64_t mlength,
                   uint64_t remote_offset);
/* Nothing of it has been sent, and never will be: tell. */
void ni_put_tell_failed(const struct ni_put *put, enum ni_ni_fail fail);
/* The put that a token names, if it is to this peer (NULL: this NI) and can be answered; or
 * NULL. */
struct ni_put *ni_put_find(struct ni *ni, const struct ni_peer *peer, uint64_t token);
/* Packets; the peer's lock is held. Whether the target keeps so much that it wants no more; the
 * peer has an endpoint. */
static inline bool ni_put_unwanted(const struct ni_peer *peer)
{
    return (atomic_load_explicit(peer->ep->wishes, memory_order_relaxed) & NI_WISH_HEADERS_ONLY) !=
           0;
}

/* Whether a put goes without its data. */
bool ni_put_goes_long(struct ni_peer *peer, uint64_t length);
/* It is long, and moves only if this side polls, which its caller may not do (NI_MD_ATTENDED):
 * unless its target reads our memory by itself. The peer has an endpoint. */
void ni_put_progress_async(struct ni_put *put);
/* Where its target wants no more, have a put of NI_MD_UNTIL_MATCHED that brings its data wait for
 * the match. */
void ni_put_hold(struct ni_put *put);
/* With its data. open: the put's struct if it wants an answer, else NULL. */
ni_status ni_put_send_eager(struct ni_peer *peer, const struct ni_put_header *header,
                            struct ni_put *open);
/* One that has a struct, which may be gone afterwards. *is_long tells how it went. */
ni_status ni_put_send_open(struct ni_put *put, bool *is_long);
/* The data of a put has left before ni_put returns: count, tell; what ni_put returns. */
int ni_put_left(const struct ni_put *put);
/* It has ended, and has no struct: tell ACK or REPLY. */
void ni_put_tell_end(const struct ni_put *put, enum ni_ni_fail fail, uint64_t mlength,
                     uint64_t remote_offset);
/* Its packet cannot be kept from being sent any more: from now on an answer may end it, in another
 * thread, so that it is not touched afterwards. */
void ni_put_ask(struct ni_put *put);
/* Have it sent when there is room. The peer's lock is held. */
void ni_put_wait(struct ni_put *put);
/* Puts that wait are a send source, and end with their peer. */
void ni_puts_register(struct ni *ni);

/* ---- request.c, request_send.c ---- */

/* Send a get or atomic; open: its struct if it wants an answer, else NULL. The peer's lock is
 * held. */
ni_status ni_request_send(struct ni_put *put, struct ni_put *open);

/* Start a get or an atomic, now or (when not NULL) later: what ni_get returns. `put` is copied
 * where it remains. */
int ni_request_start(struct ni *ni, struct ni_put *put, const struct ni_when *when);
/* triggered_ops.c: the second. */
int ni_triggered_request(struct ni *ni, const struct ni_put *put, const struct ni_when *when);

/* ---- self.c ---- */

/* ni_put to this NI. */
int ni_put_self(struct ni *ni, struct ni_put *put);

#endif
