/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APENI_PORTALS_EVENT_H
#define APENI_PORTALS_EVENT_H

#include <stddef.h>
#include <stdint.h>

#include <apeni/ni.h>

/* Results, ways to fail, initiators and events of portals.h. */

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* What functions return besides NI_OK: the specification's PTL_*. Also NI_ERR_FORKED, NI_ERR_CLOSED
 * or the status of a peer that is gone (status.h). */
enum ni_ptl_result {
    NI_PTL_ARG_INVALID = 101, /* no such entry, stale handle, bad flags */
    NI_PTL_IN_USE,            /* cannot be removed now */
    NI_PTL_NO_SPACE,          /* memory, or a limit */
    NI_PTL_NO_INIT,           /* ni_portals_open comes first */
    NI_PTL_PT_FULL,           /* no free portal table entry */
    NI_PTL_PT_IN_USE,         /* that index is taken; or it has entries still */
    NI_PTL_PT_EQ_NEEDED,      /* flow control needs an event queue */
    NI_PTL_NO_MATCH,          /* Extension: of ni_me_probe */
    NI_PTL_SENT,              /* Extension: of ni_put, see NI_MD_SENT_BY_RESULT */
    NI_PTL_EQ_EMPTY,          /* no event */
    NI_PTL_EQ_DROPPED,        /* an event, before which others were lost */
    NI_PTL_CT_NONE_REACHED,   /* no counting event has got there in time */
};

/* A name for people of what a function has returned, such as "NI_PTL_NO_SPACE" or "NI_ERR_FORKED";
 * never NULL. Thread-safe. */
const char *ni_ptl_result_name(int result);

/* How an operation ended, in events. */
enum ni_ni_fail {
    NI_NI_OK,
    NI_NI_UNDELIVERABLE,  /* the peer is gone, or the NI was closed */
    NI_NI_PT_DISABLED,    /* the target's entry is disabled */
    NI_NI_DROPPED,        /* nothing matched, or the target has no such entry */
    NI_NI_PERM_VIOLATION, /* the target's entry does not accept this initiator */
    NI_NI_OP_VIOLATION,   /* the target's entry does not accept this operation */
    NI_NI_NO_MATCH,       /* a search found nothing */
    NI_NI_SEGV,           /* the buffer is not there */
    NI_NI_NO_SPACE,       /* Extension: memory has run out, here or at the peer, which goes on */
};

/* A name for people, such as "NI_NI_DROPPED"; never NULL. Thread-safe. */
const char *ni_ni_fail_name(enum ni_ni_fail fail);

/* What an event tells. The first four and their _OVERFLOW kin come in the same order. */
enum ni_event_kind {
    NI_EVENT_PUT,             /* target: data is in the buffer of a posted entry */
    NI_EVENT_GET,             /* target: data of the entry has left */
    NI_EVENT_ATOMIC,          /* target: the entry's data has been combined */
    NI_EVENT_FETCH_ATOMIC,    /* target: the same, and what was there has left */
    NI_EVENT_PUT_OVERFLOW,    /* target: the entry just appended matched what had come before */
    NI_EVENT_GET_OVERFLOW,    /* the same of a get */
    NI_EVENT_ATOMIC_OVERFLOW, /* the same of an atomic */
    NI_EVENT_FETCH_ATOMIC_OVERFLOW, /* the same of a fetching atomic */
    NI_EVENT_SEND,                  /* initiator: the buffer may be used again */
    NI_EVENT_ACK,                   /* initiator: matched and delivered */
    NI_EVENT_REPLY,                 /* initiator: the answer is in the buffer */
    NI_EVENT_AUTO_UNLINK,           /* target: an entry was used once, or its space was used up */
    NI_EVENT_AUTO_FREE,             /* target: the buffer of such an overflow entry is free */
    NI_EVENT_LINK,                  /* target: an entry with NI_ME_EVENT_LINK is in its list */
    NI_EVENT_PT_DISABLED,           /* target: flow control has disabled the portal table entry */
    NI_EVENT_SEARCH,                /* result of ni_me_search */
};

/* Initiators. An NI numbers its peers in the order in which it comes to know them, whether it
 * connected or they sent first; a number is never used again. */
typedef uint32_t ni_initiator;
#define NI_INITIATOR_ANY  ((ni_initiator)0xffffffffU)
#define NI_INITIATOR_SELF ((ni_initiator)0) /* the NI itself, unless ni_set_map gave it a rank */

/* Extension: the number of a peer. Stable from the moment it is known; the same for all
 * connections to the same address. Thread-safe, costs a load. */
ni_initiator ni_peer_initiator(const struct ni_peer *peer);

typedef uint64_t ni_me_handle;         /* an appended entry; 0 names nothing */
typedef uint64_t ni_unexpected_handle; /* a message that a search has claimed; 0 names nothing */

struct ni_event {
    enum ni_event_kind type;
    enum ni_ni_fail ni_fail_type;
    void *user_ptr;         /* of the entry or search (target), of the put (initiator) */
    void *start;            /* where the data is (target) */
    uint64_t match_bits;    /* of the put */
    uint64_t hdr_data;      /* of the put */
    uint64_t rlength;       /* bytes that the initiator wanted to send */
    uint64_t mlength;       /* bytes that were moved, or would be (SEARCH) */
    uint64_t remote_offset; /* where in the target's entry they went */
    ni_initiator initiator; /* who sent it (target) */
    uint16_t pt_index;      /* target */
    struct ni_peer *peer;   /* target: who sent it, NULL for the NI itself; initiator: the target */
    ni_unexpected_handle unexpected; /* SEARCH with NI_SEARCH_DELETE: what was claimed */
};

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
