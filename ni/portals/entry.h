/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_PORTALS_ENTRY_H
#define NI_PORTALS_ENTRY_H

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>

#include "match/match.h"
#include "portals/message.h"
#include "portals/pt.h"

/* Match entries: entry.c, append.c, and deliver.c, where a message has met one. */

/* Bits of ni_space.options besides enum ni_me_options. */
enum {
    NI_SPACE_OVERFLOW = 1 << 30, /* the entry is on the overflow list */
    /* An entry with NI_ME_IOVEC takes puts and atomics. It has not NI_ME_OP_PUT, so that what finds
     * it goes the long way. */
    NI_SPACE_PUT = 1 << 29,
    /* An entry with NI_ME_UID of another user than ours accepts nothing. */
    NI_SPACE_FOREIGN = 1 << 28,
};

/* The user's buffer of an entry. */
struct ni_space {
    uint8_t *start;    /* NI_ME_IOVEC: the array */
    uint64_t length;   /* bytes, always */
    uint64_t used;     /* NI_ME_MANAGE_LOCAL: bytes from the start */
    uint64_t min_free; /* the same */
    struct ni_ct *ct;
    uint32_t options; /* enum ni_me_options */
    uint32_t busy;    /* deliveries under way: the entry cannot be unlinked */
};

/* With its tag in the pool and what the match list has of it, at most 128 bytes. */
struct ni_entry {
    struct ni_match_entry match; /* label: the index of the portal table entry */
    struct ni_space space;
    void *user_ptr;
};
_Static_assert(sizeof(struct ni_entry) == 88, "96 bytes with the tag");
_Static_assert(offsetof(struct ni_entry, match.node) == 0,
               "what the match list knows begins with it");

static inline bool ni_entry_allows(const struct ni_entry *entry, enum ni_verb verb)
{
    uint32_t options = entry->space.options;

    return ni_verb_allowed(verb, options | ((options & NI_SPACE_PUT) != 0 ? NI_ME_OP_PUT : 0U));
}

/* Why it does not accept an operation; NI_NI_OK: it does. */
static inline enum ni_ni_fail ni_entry_refuses(const struct ni_entry *entry, enum ni_verb verb)
{
    return ni_entry_allows(entry, verb)                     ? NI_NI_OK
           : (entry->space.options & NI_SPACE_FOREIGN) != 0 ? NI_NI_PERM_VIOLATION
                                                            : NI_NI_OP_VIOLATION;
}

/* What a receive of MPI posts: used once, its only event that of the put. */
enum { NI_ME_USUAL = NI_ME_OP_PUT | NI_ME_USE_ONCE | NI_ME_EVENT_UNLINK_DISABLE };

/* Else it is unlinked already, and freed when nothing is under way in it any more; or it is to be
 * appended later. */
static inline bool ni_entry_is_linked(const struct ni_entry *entry)
{
    return entry->match.node.group != NI_MATCH_UNLISTED;
}

static inline bool ni_entry_overflows(const struct ni_entry *entry)
{
    return (entry->space.options & NI_SPACE_OVERFLOW) != 0;
}

/* The first posted entry for a message, with its statistics. portals->lock is held. */
struct ni_entry *ni_entry_find(struct ni *ni, const struct ni_arriving *from);

/* Let a message have an entry: where its data goes. The entry is unlinked if it was to be used
 * once. portals->lock is held. */
void ni_entry_use(struct ni_portals *portals, struct ni_entry *entry, struct ni_arriving *from,
                  struct ni_target *target);

/* Bytes of a message that fit into length bytes. */
static inline uint64_t ni_fitting(const struct ni_arriving *from, uint64_t length)
{
    uint64_t offset = from->remote_offset;

    return offset >= length ? 0 : ni_min_u64(from->rlength, length - offset);
}

/* Take room for a message: where it goes. A space that manages its offsets decides about
 * from->remote_offset. */
static inline void ni_space_take(struct ni_space *space, struct ni_arriving *from,
                                 struct ni_target *target)
{
    bool rare = (space->options & (NI_ME_MANAGE_LOCAL | NI_ME_IOVEC)) != 0;
    bool manages = false;

    if (NI_UNLIKELY(rare)) {
        manages = (space->options & NI_ME_MANAGE_LOCAL) != 0;
        from->remote_offset = manages ? space->used : from->remote_offset;
    }
    target->start = (uint8_t *)((uintptr_t)space->start + from->remote_offset);
    target->mlength = ni_fitting(from, space->length);
    target->ct = space->ct;
    target->options = space->options;
    target->unlinks = (space->options & NI_ME_USE_ONCE) != 0;
    if (NI_UNLIKELY(rare)) {
        space->used += manages ? target->mlength : 0;
        target->unlinks =
            target->unlinks || (manages && space->length - space->used < space->min_free);
        if ((space->options & NI_ME_IOVEC) != 0) {
            target->start = space->start;
        }
    }
}

/* Whether a message may go there, as far as its length is concerned. */
static inline bool ni_space_accepts(const struct ni_space *space, const struct ni_arriving *from)
{
    uint64_t offset =
        (space->options & NI_ME_MANAGE_LOCAL) != 0 ? space->used : from->remote_offset;

    return (space->options & NI_ME_NO_TRUNCATE) == 0 ||
           ni_range_within(offset, from->rlength, space->length);
}

static inline void ni_space_set(struct ni_space *space, const struct ni_me *me)
{
    space->start = me->start;
    space->length = me->length;
    space->used = 0;
    space->min_free = me->min_free;
    space->ct = me->ct;
    space->options = me->options;
    space->busy = 0;
}

static inline struct ni_space ni_space_of(const struct ni_me *me)
{
    struct ni_space space;

    ni_space_set(&space, me);
    return space;
}

/* The same entry as this NI sees it: the length in bytes, without what another user could do to it.
 * NI_OK, or NI_PTL_ARG_INVALID. */
int ni_me_measure(const struct ni *ni, const struct ni_me *me, struct ni_me *measured);
/* Whether ni_me_append would take these: NI_OK, or what it would return. */
int ni_entry_check(struct ni *ni, uint32_t pt_index, const struct ni_me *me,
                   enum ni_list_kind list);
/* An entry that is to be appended later: its handle names nothing yet. NULL at the limit or out of
 * memory. portals->lock is held. */
struct ni_entry *ni_entry_reserve(struct ni *ni, const struct ni_me *me, void *user_ptr);
/* Append it, as ni_me_append: NI_OK, or NI_PTL_NO_SPACE and it can be tried again. It is gone, and
 * nothing is appended, where the portal table entry is. No lock is held. */
int ni_entry_append(struct ni *ni, struct ni_entry *entry, uint32_t pt_index,
                    const struct ni_me *me, enum ni_list_kind list);
/* Unlink an entry, if there is one with that handle, even if data is arriving in it: that still
 * gives its event. No lock is held. */
void ni_entry_unlink(struct ni *ni, ni_me_handle handle);

/* Take a linked entry out of its list. portals->lock is held. */
static inline void ni_entry_unlist(struct ni_portals *portals, struct ni_entry *entry)
{
    struct ni_pt *pt = portals->pt[entry->match.node.label];

    ni_match_list_remove(ni_entry_overflows(entry) ? pt->overflow : &pt->posted, &entry->match);
    pt->users--;
}

/* One delivery less is under way. portals->lock is held. */
void ni_entry_leave(struct ni_portals *portals, struct ni_entry *entry);

/* Let an entry have what was kept: NI_OK, done with it; NI_PTL_NO_MATCH, nothing (more) matches and
 * portals->lock is held. It is held before. */
int ni_entry_use_unexpected(struct ni *ni, struct ni_pt *pt, const struct ni_me *me,
                            struct ni_space *space, void *user_ptr);
/* ni_me_append and ni_le_append with all that is not common. No lock is held. */
int ni_append_rarely(struct ni *ni, uint32_t pt_index, const struct ni_me *me,
                     enum ni_list_kind list, void *user_ptr, ni_me_handle *handle, bool is_le);

#endif
