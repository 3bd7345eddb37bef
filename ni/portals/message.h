/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_PORTALS_MESSAGE_H
#define NI_PORTALS_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "portals/ct.h"
#include "portals/pt.h"

/* What an initiator wants, and where it goes at its target. */

/* What an initiator wants done. Numbers as its events have, see ni_verb_event. */
enum ni_verb { NI_VERB_PUT, NI_VERB_GET, NI_VERB_ATOMIC, NI_VERB_FETCH };

/* What an entry must accept for it. */
static inline uint32_t ni_verb_needs(enum ni_verb verb)
{
    static const uint32_t needs[] = {
        [NI_VERB_PUT] = NI_ME_OP_PUT,
        [NI_VERB_GET] = NI_ME_OP_GET,
        [NI_VERB_ATOMIC] = NI_ME_OP_PUT,
        [NI_VERB_FETCH] = NI_ME_OP_PUT | NI_ME_OP_GET,
    };

    return needs[verb];
}

static inline bool ni_verb_allowed(enum ni_verb verb, uint32_t options)
{
    return (options & ni_verb_needs(verb)) == ni_verb_needs(verb);
}

/* Its event at the target: of an entry that was posted, or one that came later. */
static inline enum ni_event_kind ni_verb_event(enum ni_verb verb, bool overflow)
{
    return (enum ni_event_kind)((unsigned)verb + (overflow ? NI_EVENT_PUT_OVERFLOW : NI_EVENT_PUT));
}

/* What an initiator said. */
struct ni_arriving {
    struct ni_peer *peer; /* NULL: this NI */
    struct ni_pt *pt;
    ni_initiator initiator;
    uint64_t match_bits;
    uint64_t hdr_data;
    uint64_t rlength;
    uint64_t remote_offset;
    uint64_t token;    /* of the answer; 0: wants none */
    enum ni_verb verb; /* set where it is not known to be a put */
};

/* Where it goes. */
struct ni_target {
    struct ni_entry *entry; /* to be released; NULL: it is unlinked already */
    uint8_t *start;         /* of this message's data; NI_ME_IOVEC: the array until it is written */
    uint64_t mlength;
    void *user_ptr;
    struct ni_ct *ct;
    uint32_t options;
    bool unlinks; /* the entry unlinks itself with it */
};

/* The message is in place: release its entry. */
void ni_target_release(struct ni *ni, const struct ni_target *target);

/* The event of a message that was matched, before what only its caller knows. One by one: an
 * initialiser would clear it first. */
NI_ALWAYS_INLINE void ni_event_of_match(struct ni_event *event, enum ni_event_kind type,
                                        enum ni_ni_fail fail, const struct ni_arriving *from,
                                        void *user_ptr, void *start, uint64_t mlength)
{
    event->type = type;
    event->ni_fail_type = fail;
    event->user_ptr = user_ptr;
    event->start = start;
    event->match_bits = from->match_bits;
    event->hdr_data = from->hdr_data;
    event->rlength = from->rlength;
    event->mlength = mlength;
    event->remote_offset = from->remote_offset;
    event->initiator = from->initiator;
    event->pt_index = from->pt->index;
    event->peer = from->peer;
    event->unexpected = 0;
}

/* Tell the event of a message that has been delivered, and that its entry was unlinked. */
void ni_target_tell(const struct ni_arriving *from, const struct ni_target *target,
                    enum ni_event_kind type, enum ni_ni_fail fail);

/* Have an answer tried again that a task has found no memory for; a peer that finds none for long
 * goes down. */
void ni_answer_again(struct ni *ni, struct ni_peer *peer, struct ni_portal_task *task,
                     void (*run)(struct ni *ni, struct ni_portal_task *task));
/* Answer an initiator that wants it: NI_OK, or NI_ERR_NOMEM if it has to be done later. */
ni_status ni_arriving_answer(struct ni *ni, const struct ni_arriving *from, enum ni_ni_fail fail,
                             uint64_t mlength);

#endif
