/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_PORTALS_UNEXPECTED_H
#define NI_PORTALS_UNEXPECTED_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "match/match.h"
#include "portals/entry.h"
#include "portals/message.h"

/* Messages that wait: unexpected.c, and overflow.c, where they lie in the buffers of entries. */

enum ni_unexpected_form {
    NI_UNEXPECTED_INLINE,   /* data in `small` */
    NI_UNEXPECTED_COPIED,   /* data in `data`, ours */
    NI_UNEXPECTED_REMOTE,   /* data at the peer */
    NI_UNEXPECTED_OWN,      /* data in the buffer of a put of this NI */
    NI_UNEXPECTED_OVERFLOW, /* data in the buffer of an entry of the overflow list */
};

/* A message in an overflow buffer: struct ni_unexpected, whose target it is. */
struct ni_spill {
    struct ni_entry *entry; /* a delivery is under way in it until the header is released */
    uint64_t offset;        /* in the entry's buffer */
    void *user_ptr;         /* once matched: of the entry that matched, as ct */
    struct ni_ct *ct;
};

/* Reads that are under way for one message. */
struct ni_pieces {
    _Atomic uint32_t left;
    _Atomic int status; /* of the last one that failed */
};

/* A message that waits: in pt->unexpected, claimed by a search, or being fetched. */
struct ni_unexpected {
    struct ni_match_header match;
    struct ni_arriving from;
    struct ni_portal_task task; /* an answer that found no memory */
    union {
        uint8_t small[NI_PUT_ORDERED];
        uint8_t *data;
        struct ni_remote remote;
        const uint8_t *own;
        struct ni_spill spill;
    };
    struct ni_pieces pieces; /* being fetched to an I/O vector */
    struct ni_target target; /* once matched; of `spill` where it is */
    enum ni_unexpected_form form;
    enum ni_event_kind type; /* of its event */
    enum ni_ni_fail fail;
    uint32_t matcher; /* with `spill`: options of the entry that matched */
    bool claimed;
    bool filling; /* the data is on its way to the overflow buffer */
    bool matched; /* while it was */
    bool silent;  /* of what has no PUT_OVERFLOW */
    bool unlinks; /* the entry that matched unlinks itself */
};

/* A message without data; NULL out of memory. portals->lock is held. */
struct ni_unexpected *ni_unexpected_new(struct ni *ni, const struct ni_arriving *from);
/* Give back one that is in no list. portals->lock is held. */
void ni_unexpected_free(struct ni *ni, struct ni_unexpected *unexpected);
/* Whether as many are kept as may be. portals->lock is held. */
static inline bool ni_unexpected_is_full(const struct ni_portals *portals)
{
    return portals->headers >= portals->limits.max_unexpected_headers;
}

/* List it; NI_AGAIN: as many are kept as may be; NI_ERR_NOMEM. portals->lock is held. */
ni_status ni_unexpected_list(struct ni *ni, struct ni_unexpected *unexpected);
/* Keep a message with its data: NI_OK; NI_AGAIN: others take all that may be kept; NI_ERR_NOMEM.
 * portals->lock is held. */
ni_status ni_unexpected_copy(struct ni *ni, const struct ni_arriving *from, const void *data);
/* The first one that an entry would match with what is left of its space, or NULL. portals->lock is
 * held. */
struct ni_unexpected *ni_unexpected_find(struct ni_pt *pt, const struct ni_me *me,
                                         const struct ni_space *space);
/* Take it out of its list. portals->lock is held. */
void ni_unexpected_take(struct ni *ni, struct ni_unexpected *unexpected);
/* Its target is the buffer of an entry that is not posted. Whether that unlinks itself with it. */
bool ni_unexpected_aim(struct ni_unexpected *unexpected, struct ni_space *space, void *user_ptr);
/* Whether it is a put of up to 64 bytes whose initiator waits for no answer. */
static inline bool ni_unexpected_is_short(const struct ni_unexpected *unexpected)
{
    return unexpected->form == NI_UNEXPECTED_INLINE &&
           (unexpected->from.token | unexpected->from.remote_offset) == 0;
}
/* What ni_unexpected_aim and ni_unexpected_deliver do, in fewer instructions, for one that is short
 * and for the options NI_ME_USUAL. portals->lock is held, and given back. */
void ni_unexpected_hand_over(struct ni *ni, struct ni_unexpected *unexpected,
                             const struct ni_space *space, void *user_ptr);
/* Drop, with an answer, a message that is in no list and counts as a user of its table entry.
 * portals->lock is held, and given back meanwhile: answers go out without it. */
void ni_unexpected_discard(struct ni *ni, struct ni_unexpected *unexpected);
/* Drop all of a table entry, with an answer. portals->lock is held, and given back meanwhile. */
void ni_unexpected_discard_all(struct ni *ni, struct ni_pt *pt);

/* Deliver a message that was kept, whose target is set; frees it, now or when its data is there. No
 * lock is held. */
void ni_unexpected_deliver(struct ni *ni, struct ni_unexpected *unexpected);

/* Have the data of a message come from its initiator to its target, then end it. */
void ni_unexpected_fetch(struct ni *ni, struct ni_unexpected *unexpected,
                         const struct ni_remote *remote);
/* Its end; ni_done_fn. */
void ni_unexpected_fetched(void *arg, ni_status status, uint64_t value);

/* ---- overflow.c ---- */

enum ni_overflow_result {
    NI_OVERFLOW_NONE, /* no entry there matches */
    NI_OVERFLOW_TAKEN,
    NI_OVERFLOW_REFUSED,
    NI_OVERFLOW_AGAIN, /* as many headers are kept as may be */
    NI_OVERFLOW_NO_MEMORY,
};

/* What arrives then. */
static inline ni_status ni_overflow_status(enum ni_overflow_result result)
{
    return result == NI_OVERFLOW_AGAIN       ? NI_AGAIN
           : result == NI_OVERFLOW_NO_MEMORY ? NI_ERR_NOMEM
                                             : NI_OK;
}

/* A message has found no posted entry: look on the overflow list. Taken: `taken` has room in an
 * entry's buffer; its data is to be put to taken->target, then ni_overflow_filled. Refused: *why.
 * portals->lock is held. */
enum ni_overflow_result ni_overflow_take(struct ni *ni, const struct ni_arriving *from,
                                         struct ni_unexpected **taken, enum ni_ni_fail *why);
/* Its data is in the overflow buffer, or will never be. No lock is held, as in all of these. */
void ni_overflow_filled(struct ni *ni, struct ni_unexpected *unexpected, enum ni_ni_fail fail);
/* An entry or a search has matched it, which is not told yet; whether that unlinks itself. */
bool ni_overflow_aim(struct ni_unexpected *unexpected, struct ni_space *space, void *user_ptr);
/* Tell the owner of the entry that has matched it, unless it is silent, now or when its data is
 * there; release it. */
void ni_overflow_deliver(struct ni *ni, struct ni_unexpected *unexpected);

#endif
