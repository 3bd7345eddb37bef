/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_PORTALS_PORTALS_H
#define NI_PORTALS_PORTALS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <apeni/portals.h>

#include "engine/engine.h"
#include "match/match.h"
#include "portals/combine.h"

/*
 * Portals 4 over the engine: what a packet to the PORTAL region does.
 *
 *   open.c      ni_portals_open, limits, statistics, close
 *   eq_queue.c  event queues that store events   ct.c        counting events
 *   queues.c    event queues, events             table.c     the portal table
 *   put.c       puts at their initiator: put_send.c packets, put_open.c what stays open
 *   self.c      puts to the own NI
 *   request.c   gets and atomics at their initiator, request_send.c their packets
 *   serve.c     gets and atomics at their target: peers' (answer.c the answer) and the own
 *   combine.c   what atomics do to an element
 *   incoming.c  puts, and their ends, from peers; request_in.c gets, atomics and theirs
 *   short.c     the put that has to be fast, at its target
 *   entry.c     match entries                    deliver.c   a put has met an entry
 *   iovec.c     I/O vectors
 *   append.c    entries that are not common      overflow.c  messages in overflow buffers
 *   kept.c      unexpected messages: bounded memory, searches
 *   fail.c      entries that wait in vain         triggered.c, triggered_ops.c, trigger_heap.c
 *   map.c       ranks                             registers.c status
 *
 * A put that arrives is looked up among the posted entries; an entry that is posted is looked up
 * among the kept messages; both under one lock of the NI (portals->lock; untouched without
 * NI_THREADS), so that no two can miss each other. The lock is given back before anything is
 * copied to a buffer of the user's, sent or told. It is the innermost lock but for the memory
 * allocator's.
 *
 * A put at its initiator has a struct ni_put only if something about it is still open when ni_put
 * returns. A message at its target has a struct ni_kept only if it must wait: for an entry, or for
 * data to be fetched. All others need no memory.
 */

enum {
    NI_PT_COUNT = 256,      /* indices that a packet can name */
    NI_PUT_INLINE = 32,     /* bytes of payload in the header's line */
    NI_ATOMIC_MOST = 1024,  /* bytes of an atomic: the smallest ring has packets for it */
    NI_MATCH_SAMPLING = 64, /* one match in so many is timed */
};

struct ni_eq {
    struct ni_list all; /* in portals->eqs */
    ni_event_fn fn;
    void *arg;
    struct ni_eq_ring *ring; /* NULL: a handler */
    uint32_t users;          /* portal table entries */
};

#define NI_CT_NEVER UINT64_MAX

struct ni_trigger;

struct ni_ct {
    struct ni_list all; /* in portals->cts */
    _Atomic uint64_t success, failure;
    _Atomic uint64_t next;      /* at which an operation is triggered; NI_CT_NEVER: none waits */
    struct ni_trigger *waiting; /* a heap (trigger.h); under portals->lock */
    struct ni *ni;
};

struct ni_pt {
    struct ni_match_list posted;
    struct ni_match_list *overflow; /* NULL: no entry was ever on the overflow list */
    struct ni_match_headers kept;
    struct ni_eq *eq;
    unsigned options;
    uint16_t index;
    bool allocated;
    bool plain; /* allocated, and any match entry may be appended */
    bool disabled;
    uint64_t users;              /* entries, messages claimed or being fetched */
    struct ni_match_counts past; /* of what had this index before */
};

/* Bits of ni_space.options besides enum ni_me_options. */
enum {
    NI_SPACE_OVERFLOW = 1 << 30, /* the entry is on the overflow list */
    /* An entry with NI_ME_IOVEC takes puts. It has not NI_ME_OP_PUT, so that what finds it goes the
     * long way. */
    NI_SPACE_PUT = 1 << 29,
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

struct ni_entry {
    struct ni_match_entry match;
    struct ni_space space;
    void *user_ptr;
    struct ni_pt *pt; /* NULL: unlinked already, freed when nothing is under way any more */
};
_Static_assert(sizeof(struct ni_entry) <= 128, "two lines per entry");

/* Something to be done in progress, outside of all locks. In ni->portal_work, under the NI's lock. */
struct ni_portal_task {
    struct ni_list list;
    void (*run)(struct ni *ni, struct ni_portal_task *task);
};

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

enum ni_kept_form {
    NI_KEPT_INLINE,   /* data in `small` */
    NI_KEPT_COPIED,   /* data in `data`, ours */
    NI_KEPT_REMOTE,   /* data at the peer */
    NI_KEPT_OWN,      /* data in the buffer of a put of this NI */
    NI_KEPT_OVERFLOW, /* data in the buffer of an entry of the overflow list */
};

/* A message in an overflow buffer: struct ni_kept, whose target it is. */
struct ni_spill {
    struct ni_entry *entry; /* a delivery is under way in it until the header is released */
    uint64_t offset;        /* in the entry's buffer */
    void *user_ptr;         /* once matched: of whoever matched, as ct */
    struct ni_ct *ct;
};

/* Reads that are under way for one message. */
struct ni_pieces {
    _Atomic uint32_t left;
    _Atomic int status; /* of the last one that failed */
};

/* A message that waits: in pt->kept, claimed by a search, or being fetched. */
struct ni_kept {
    struct ni_match_header match;
    struct ni_arriving from;
    struct ni_portal_task task; /* an answer that found no memory */
    union {
        uint8_t small[NI_PUT_INLINE];
        uint8_t *data;
        struct ni_remote remote;
        const uint8_t *own;
        struct ni_spill spill;
        struct ni_pieces pieces; /* REMOTE, being fetched to an I/O vector */
    };
    struct ni_target target; /* once matched; of `spill` where it is */
    enum ni_kept_form form;
    enum ni_event_kind type; /* of its event */
    enum ni_ni_fail fail;
    uint32_t matcher; /* with `spill`: options of whoever matched */
    bool claimed;
    bool filling; /* the data is on its way to the overflow buffer */
    bool matched; /* while it was */
    bool silent;  /* of what has no PUT_OVERFLOW */
    bool unlinks; /* whoever matched unlinks itself */
};

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

/* What makes a get or an atomic of a put. */
struct ni_extra {
    enum ni_verb verb;
    struct ni_combination what; /* atomics */
    uint8_t *dst;               /* of the answer, where one comes */
    struct ni_eq *eq;           /* of dst's descriptor */
    struct ni_ct *ct;
    uint32_t options;
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
    struct ni_rkey rkey;      /* of its data, handle 0: none */
    struct ni_packed *packed; /* NULL: its data is the user's */
    uint32_t options;         /* the descriptor's */
    bool ack;
    bool is_long;
    bool asked;             /* an answer may come; under the NI's lock */
    bool told;              /* SEND has been told, or need not be */
    struct ni_extra *extra; /* NULL: a put */
};

struct ni_portals {
    struct ni_lock lock;
    struct ni_pt *pt[NI_PT_COUNT];
    struct ni_pool entries;
    struct ni_pool kept;
    struct ni_pool puts;    /* under the NI's lock */
    struct ni_pool extras;  /* the same */
    struct ni_list answers; /* struct ni_answer, under way */
    struct ni_list own_puts;
    struct ni_list eqs;
    struct ni_list cts;
    struct ni_peer **map; /* by rank, NULL: the NI itself; NULL: no ranks */
    uint32_t map_size;
    ni_initiator self;        /* what the NI is called in puts to itself */
    struct ni_pool triggered; /* struct ni_trigger */
    struct ni_list ready;     /* those that are triggered and have not run */
    struct ni_portal_task trigger_task;
    uint64_t triggers;    /* armed or ready */
    uint64_t trigger_age; /* a serial number */
    bool firing;          /* somebody runs what is ready */
    struct ni_limits limits;
    uint64_t bytes;   /* of kept data */
    uint64_t headers; /* kept */
    uint32_t wishes;
    uint32_t sample;
    uint64_t cycles; /* of the matches that were timed */
};

static inline bool ni_entry_allows(const struct ni_entry *entry, enum ni_verb verb)
{
    return ni_verb_allowed(verb, entry->space.options) ||
           (verb == NI_VERB_PUT && (entry->space.options & NI_SPACE_PUT) != 0);
}

static inline bool ni_entry_overflows(const struct ni_entry *entry)
{
    return (entry->space.options & NI_SPACE_OVERFLOW) != 0;
}

static inline void ni_portals_lock(struct ni *ni)
{
    ni_lock_take(&ni->portals->lock, ni->threads);
}

static inline void ni_portals_unlock(struct ni *ni)
{
    ni_lock_give(&ni->portals->lock, ni->threads);
}

static inline void ni_event_tell(const struct ni_eq *eq, const struct ni_event *event)
{
    if (eq != NULL) {
        eq->fn(eq->arg, event);
    }
}

/* A message has been refused. */
static inline void ni_count_refused(struct ni *ni, enum ni_ni_fail why)
{
    ni_stat_add(&ni->stats.match_dropped, 1);
    ni_stat_add(&ni->stats.match_op_violations, why == NI_NI_OP_VIOLATION);
}

/* Count how an operation ended; ct may be NULL. */
void ni_ct_count(struct ni_ct *ct, bool bytes, enum ni_ni_fail fail, uint64_t mlength);

/* A count has been raised or set, and an operation waits for one: run what it triggers. */
NI_COLD void ni_ct_trigger(struct ni_ct *ct);
/* Forget what waits for a counter. portals->lock is held. */
void ni_ct_drop_triggered(struct ni *ni, struct ni_ct *ct);
ni_status ni_triggers_open(struct ni_portals *portals);
/* The NI is closed: forget what is ready. */
void ni_triggers_close(struct ni *ni);

/* Give an event queue back, which is in no list. */
void ni_eq_release(struct ni_eq *eq);

/* How a status of the engine looks in an event. */
enum ni_ni_fail ni_fail_of(ni_status status);

/* Have a task run by progress. */
void ni_task_add(struct ni *ni, struct ni_portal_task *task,
                 void (*run)(struct ni *ni, struct ni_portal_task *task));

/* ---- table.c: the portal table ---------------------------------------------------------------- */

/* The entry that an index names, or NULL. */
static inline struct ni_pt *ni_pt_at(const struct ni_portals *portals, uint32_t index)
{
    struct ni_pt *pt = index < NI_PT_COUNT ? portals->pt[index] : NULL;

    return pt != NULL && pt->allocated ? pt : NULL;
}

/* Give its overflow list back, which is empty or closed. */
void ni_pt_free_overflow(struct ni_pt *pt);

/* The same for appending in the common way: else NULL, see append.c. */
static inline struct ni_pt *ni_pt_plain(const struct ni_portals *portals, uint32_t index)
{
    struct ni_pt *pt = index < NI_PT_COUNT ? portals->pt[index] : NULL;

    return pt != NULL && pt->plain ? pt : NULL;
}

/* A message has found no entry, and is not (cannot be) kept: why it is refused. *disabled: it has
 * disabled the portal table entry, of which ni_pt_tell_disabled is to tell. portals->lock is held. */
enum ni_ni_fail ni_pt_overrun(struct ni_pt *pt, bool *disabled);
void ni_pt_tell_disabled(const struct ni_pt *pt);

/* ---- deliver.c -------------------------------------------------------------------------------- */

/* The first posted entry for a message, with its statistics. portals->lock is held. */
struct ni_entry *ni_entry_find(struct ni *ni, const struct ni_arriving *from);

/* Let a message have an entry: where its data goes. The entry is unlinked if it was to be used once.
 * portals->lock is held. */
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
static inline void ni_entry_unlist(struct ni_entry *entry)
{
    struct ni_pt *pt = entry->pt;

    ni_match_list_remove(ni_entry_overflows(entry) ? pt->overflow : &pt->posted, &entry->match);
    pt->users--;
}

/* One delivery less is under way. portals->lock is held. */
void ni_entry_leave(struct ni_portals *portals, struct ni_entry *entry);

/* The message is in place: release its entry. */
void ni_target_release(struct ni *ni, const struct ni_target *target);

/* Tell the event of a message that has been delivered, and that its entry was unlinked. */
void ni_target_tell(const struct ni_arriving *from, const struct ni_target *target,
                    enum ni_event_kind type, enum ni_ni_fail fail);

/* Answer an initiator that wants it: NI_OK, or NI_ERR_NOMEM if it has to be done later. */
ni_status ni_arriving_answer(struct ni *ni, const struct ni_arriving *from, enum ni_ni_fail fail,
                             uint64_t mlength);

/* Deliver a message that was kept, whose target is set; frees it, now or when its data is there. No
 * lock is held. */
void ni_kept_deliver(struct ni *ni, struct ni_kept *kept);

/* Have the data of a message come from its initiator to its target, then end it. */
void ni_kept_fetch(struct ni *ni, struct ni_kept *kept, const struct ni_remote *remote);

/* ---- entry.c, append.c ------------------------------------------------------------------------ */

/* Let an entry have what was kept: NI_OK, done with it; NI_PTL_NO_MATCH, nothing (more) matches and
 * portals->lock is held. It is held before. */
int ni_entry_use_kept(struct ni *ni, struct ni_pt *pt, const struct ni_me *me,
                      struct ni_space *space, void *user_ptr);
/* ni_me_append and ni_le_append with all that is not common. No lock is held. */
int ni_append_rarely(struct ni *ni, uint32_t pt_index, const struct ni_me *me,
                     enum ni_list_kind list, void *user_ptr, ni_me_handle *handle, bool is_le);

/* ---- iovec.c ---------------------------------------------------------------------------------- */

/* A block to which the elements of a vector were copied: with a reference for whoever puts it, and
 * one for the put if it stays open. */
struct ni_packed {
    _Atomic uint32_t references;
    uint8_t data[];
};

void ni_packed_drop(struct ni_packed *packed); /* NULL: nothing */

/* The same entry, its length in bytes: NI_OK, or NI_PTL_ARG_INVALID. */
int ni_me_measure(const struct ni *ni, const struct ni_me *me, struct ni_me *measured);
/* Copy a message's data to where it goes, which may overlap. data: of target->mlength bytes, from an
 * offset in the entry. */
void ni_target_write(struct ni_target *target, uint64_t offset, const void *data);
/* Have it come from its initiator; ends with ni_kept_delivered. The target is a vector. */
void ni_iovec_fetch(struct ni *ni, struct ni_kept *kept);
void ni_kept_delivered(struct ni *ni, struct ni_kept *kept, enum ni_ni_fail fail);
/* ni_put of a descriptor that is a vector, or whose arguments are wrong. */
NI_COLD int ni_put_vector(struct ni *ni, const struct ni_md *md, uint64_t local_offset,
                          uint64_t length, enum ni_ack_req ack, struct ni_peer *target,
                          uint32_t pt_index, uint64_t match_bits, uint64_t remote_offset,
                          void *user_ptr, uint64_t hdr_data);

/* ---- overflow.c -------------------------------------------------------------------------------- */

enum ni_overflow_result {
    NI_OVERFLOW_NONE, /* no entry there matches */
    NI_OVERFLOW_TAKEN,
    NI_OVERFLOW_REFUSED,
    NI_OVERFLOW_AGAIN, /* no room for its header now */
};

/* A message has found no posted entry: look on the overflow list. Taken: `taken` has room in an
 * entry's buffer; its data is to be put to taken->target, then ni_overflow_filled. Refused: *why.
 * portals->lock is held. */
enum ni_overflow_result ni_overflow_take(struct ni *ni, const struct ni_arriving *from,
                                         struct ni_kept **taken, enum ni_ni_fail *why);
/* Its data is in the overflow buffer, or will never be. No lock is held, as in all of these. */
void ni_overflow_filled(struct ni *ni, struct ni_kept *kept, enum ni_ni_fail fail);
/* An entry or a search has matched it, which is not told yet; whether that unlinks itself. */
bool ni_overflow_aim(struct ni_kept *kept, struct ni_space *space, void *user_ptr);
/* Tell whoever has matched it, unless it is silent, now or when its data is there; release it. */
void ni_overflow_deliver(struct ni *ni, struct ni_kept *kept);

/* ---- kept.c ----------------------------------------------------------------------------------- */

/* A message without data; NULL out of memory. portals->lock is held. */
struct ni_kept *ni_kept_new(struct ni *ni, const struct ni_arriving *from);
/* Give back one that is in no list. portals->lock is held. */
void ni_kept_free(struct ni *ni, struct ni_kept *kept);
/* Whether as many are kept as may be. portals->lock is held. */
static inline bool ni_kept_is_full(const struct ni_portals *portals)
{
    return portals->headers >= portals->limits.max_unexpected_headers;
}

/* List it; false out of memory. portals->lock is held. */
bool ni_kept_list(struct ni *ni, struct ni_kept *kept);
/* Keep a message with its data: NI_OK, or NI_AGAIN when there is no memory for it.
 * portals->lock is held. */
ni_status ni_kept_copy(struct ni *ni, const struct ni_arriving *from, const void *data);
/* The first one that an entry would match with what is left of its space, or NULL. portals->lock is
 * held. */
struct ni_kept *ni_kept_find(struct ni_pt *pt, const struct ni_me *me,
                             const struct ni_space *space);
/* Take it out of its list. portals->lock is held. */
void ni_kept_take(struct ni *ni, struct ni_kept *kept);
/* Its target is the buffer of an entry that is not posted. Whether that unlinks itself with it. */
bool ni_kept_aim(struct ni_kept *kept, struct ni_space *space, void *user_ptr);
/* Drop all of a table entry, with an answer. portals->lock is held, and given back meanwhile. */
void ni_kept_drop_all(struct ni *ni, struct ni_pt *pt);

/* ---- put.c ------------------------------------------------------------------------------------ */

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
/* Whether ni_put would take these: NI_OK, or what it would return. */
int ni_put_check(const struct ni *ni, const struct ni_md *md, uint64_t local_offset,
                 uint64_t length, enum ni_ack_req ack, uint32_t pt_index);
/* Nothing of it has been sent, and never will be: tell. */
void ni_put_tell_failed(const struct ni_put *put, enum ni_ni_fail fail);
/* The put that a token names, if it is to this peer (NULL: this NI) and can be answered; or NULL. */
struct ni_put *ni_put_find(struct ni *ni, const struct ni_peer *peer, uint64_t token);
/* Packets; the peer's lock is held. Whether a put goes without its data: */
bool ni_put_goes_long(struct ni_peer *peer, uint64_t length);
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
/* The data of a put has left. */
void ni_put_tell_sent(const struct ni_put *put, enum ni_ni_fail fail);
ni_status ni_put_send_first(struct ni_peer *peer);
void ni_put_complete_all(struct ni_peer *peer, ni_status status);

/* ---- request.c, request_send.c ---------------------------------------------------------------- */

/* Send a get or atomic; open: its struct if it wants an answer, else NULL. The peer's lock is held. */
ni_status ni_request_send(struct ni_put *put, struct ni_put *open);

/* ---- serve.c, answer.c ------------------------------------------------------------------------ */

/* A get or an atomic, as its target sees it. */
struct ni_request {
    struct ni_arriving from;
    const uint8_t *data;        /* atomics: from.rlength bytes */
    struct ni_combination what; /* the same */
    struct ni_remote to;        /* of the answer, in the peer; handle 0: none */
    struct ni_target target;    /* once matched */
    struct ni_kept *spilled;    /* it met an entry of the overflow list */
};

/* Start a get or an atomic, now or (when not NULL) later: what ni_get returns. `put` is copied where it
 * remains. */
int ni_request_start(struct ni *ni, struct ni_put *put, const struct ni_when *when);
/* triggered_ops.c: the second. */
int ni_triggered_request(struct ni *ni, const struct ni_put *put, const struct ni_when *when);

/* The entry that an operation meets. NI_OK: *fail is NI_NI_OK, request->target is set and the portal table
 * entry held until ni_request_end; or why it is refused, which is counted and told to the target here.
 * NI_AGAIN: no memory, nothing has happened. */
ni_status ni_request_meet(struct ni *ni, struct ni_request *request, uint32_t pt_index,
                          enum ni_ni_fail *fail);
/* It is done, and answered: tell its event, release its entry. */
void ni_request_end(struct ni *ni, struct ni_request *request, enum ni_ni_fail fail);
/* Do to the entry's memory what an atomic says; old may be NULL. */
void ni_request_combine(struct ni *ni, const struct ni_request *request, uint8_t *old);
/* A peer's: NI_OK, or NI_AGAIN (no memory): nothing has been done. */
ni_status ni_request_serve(struct ni *ni, struct ni_request *request, uint32_t pt_index);
/* One to the own NI; what ni_get and its kin return. */
int ni_request_self(struct ni *ni, struct ni_put *put);

/* An answer that may take longer than a packet. */
struct ni_answer {
    struct ni_list all; /* in portals->answers; under the NI's lock */
    struct ni_portal_task task;
    struct ni_request request;
    enum ni_ni_fail fail;
    uint8_t old[]; /* fetching atomics: what was there */
};

/* With room for so many old values; NULL out of memory. */
struct ni_answer *ni_answer_new(struct ni *ni, uint64_t length);
void ni_answer_free(struct ni *ni, struct ni_answer *answer);
/* Answer with what is at src, in one packet, now (or, if it is short, when there is room); false if that is
 * not possible. */
bool ni_answer_at_once(const struct ni_request *request, const uint8_t *src);
/* Have the answer written to the initiator, tell the event and leave the entry. Ends `answer`. */
void ni_answer_write(struct ni *ni, struct ni_answer *answer, const uint8_t *src);

/* ---- self.c ----------------------------------------------------------------------------------- */

/* ni_put to this NI. */
int ni_put_self(struct ni *ni, struct ni_put *put);

/* ---- incoming.c ------------------------------------------------------------------------------- */

/* A put with all its data, payload; from says all but its portal table entry. */
ni_status ni_put_arrives(struct ni *ni, unsigned pt_index, struct ni_arriving *from,
                         const uint8_t *payload);
/* The same, of which all is known; entry is what was found for it, or NULL. portals->lock is held,
 * and given back. */
ni_status ni_put_matched(struct ni *ni, struct ni_arriving *from, struct ni_entry *entry,
                         const uint8_t *payload);

ni_status ni_portals_arrive(struct ni *ni, struct ni_peer *peer, const struct ni_packet *packet,
                            uint64_t word0, uint64_t word1, const uint8_t *payload);

/* ---- short.c ---------------------------------------------------------------------------------- */

ni_status ni_put_arrives_short(struct ni *ni, struct ni_peer *peer, const struct ni_packet *packet,
                               uint64_t word0, uint64_t word1);

#endif
