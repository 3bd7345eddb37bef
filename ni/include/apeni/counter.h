/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APENI_COUNTER_H
#define APENI_COUNTER_H

#include <apeni/region.h>
#include <apeni/transfer.h>

/*
 * COUNTER regions (FORTH-CC 2.3, 3.2): a signed 64-bit counter with atomic add-on-store. A session
 * of any number of transfers, over any path and in any order, arms one with minus the number of
 * bytes and names it as ack address; when an addition makes it zero, its notifications leave, up to
 * four.
 *
 *   addition          ni_counter_add here, ni_counter_add_remote and ni_counter_post elsewhere, an
 *                     NI_ACK_COUNTER, ni_write_counted, a notification of another counter
 *   zero              the counter takes its reload value, if it has one; then its notifications
 *                     leave. Who is told finds it armed: a session may begin before all know
 *                     that the last one has ended.
 *   notification      a Write of one word to any region of any NI: a flag, an item of a queue,
 *                     another counter. So counters make trees. Or an ack of this process.
 *
 * A notification to an NI wakes who sleeps there in ni_wait. To wake a thread that waits for
 * something else, let a counter of its NI have an NI_ACK_CALL that writes to a descriptor.
 *
 * Threads: all functions as in ni.h. Additions are atomic; who sees the zero, or is notified, sees
 * what was written before each addition, at the counter's NI.
 */

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

enum {
    NI_COUNTER_NOTIFICATIONS = 4,
    NI_COUNTER_WAITING = 16384, /* notifications of an NI that may wait at a time */
};

/* Make a COUNTER region with an initial value, no reload value and no notification. Additions wrap
 * around. Errors: NOMEM, LIMIT. */
ni_status ni_counter_create(struct ni *ni, int64_t value, struct ni_rkey *rkey);

/* Add a notification for the next time the counter becomes zero and every later time: a local
 * ack address, which is given ack->value, and NI_OK. Errors: INVALID (NULL), REGION, LIMIT (beyond
 * four). */
ni_status ni_counter_notify(struct ni *ni, ni_handle counter, const struct ni_ack *ack);

/* Add to the counter. Notifications leave within the call as far as there is room. Error:
 * REGION. */
ni_status ni_counter_add(struct ni *ni, ni_handle counter, int64_t value);

/* Its present value. Error: REGION. */
ni_status ni_counter_read(struct ni *ni, ni_handle counter, int64_t *value);

/* Add value to a peer's counter; the ack is optional (NULL). NI_AGAIN when there is no room. Error:
 * NOMEM; those of the counter's NI (REGION, KEY) come with the ack. */
ni_status ni_counter_add_remote(struct ni *ni, struct ni_peer *peer, const struct ni_rkey *counter,
                                int64_t value, const struct ni_ack *ack);

/* The same in one packet, of which nobody hears again: it waits for room by itself, and is refused
 * at the peer (rx_refused there) where the key is wrong. Errors: the peer's, NOMEM. ni_flush does
 * not know of it. */
ni_status ni_counter_post(struct ni *ni, struct ni_peer *peer, const struct ni_rkey *counter,
                          int64_t value);

/* ---- setting a counter, also from elsewhere -------------------------------------------------- */

/* Which NI a notification goes to. */
enum ni_notice_at {
    NI_AT_COUNTER, /* the one that has the counter */
    NI_AT_SENDER,  /* the one that sets it; the same for ni_counter_set with peer NULL */
    NI_AT_PEER,    /* a third one, named by `peer`; the counter's NI must know it, too */
};

/* A notification: a Write of `width` bytes (4 or 8) of value to a region. MEMORY: at the aligned
 * address where.addr, as one store (release); QUEUE with a body: an item; COUNTER: added, width 8.
 * Where a queue is full it waits. What the region refuses is counted there (rx_refused). Beyond
 * NI_COUNTER_WAITING that wait, as where counters of a ring tell several each, notifications are
 * lost; that is an error in the log, and counted (notifications_lost). */
struct ni_notice {
    enum ni_notice_at at;
    unsigned width;
    struct ni_peer *peer; /* NI_AT_PEER: as the caller knows it */
    struct ni_remote where;
    uint64_t value;
};

enum ni_counter_set_flags {
    NI_COUNTER_VALUE = 1,   /* the value becomes `value`; this tells nobody */
    NI_COUNTER_ADD = 2,     /* `value` is added, as by ni_counter_add: what came early counts */
    NI_COUNTER_RELOAD = 4,  /* the reload value becomes `reload` */
    NI_COUNTER_NOTICES = 8, /* these `count` notifications, instead of all that there were */
};

struct ni_counter_setting {
    unsigned flags; /* enum ni_counter_set_flags; VALUE or ADD, not both */
    unsigned count; /* of notices, 0 to NI_COUNTER_NOTIFICATIONS */
    int64_t value;
    int64_t reload; /* what the counter becomes each time it has become zero; 0: it stays zero */
    struct ni_notice notices[NI_COUNTER_NOTIFICATIONS];
};

/* Set a counter of a peer, or of this NI where peer is NULL, by its handle (key ignored); in one
 * packet, all at the same moment: the notifications and the reload value first, then the value. The
 * ack is optional (NULL). Errors: INVALID (flags, count, width), NOMEM, NI_AGAIN when there is no
 * room; of the counter's NI, with the ack, or as the result where that is this one: REGION, KEY,
 * NOTFOUND (it does not know the NI that a notice names). */
ni_status ni_counter_set(struct ni *ni, struct ni_peer *peer, const struct ni_rkey *counter,
                         const struct ni_counter_setting *setting, const struct ni_ack *ack);

/* ---- transfers that are counted where they arrive -------------------------------------------- */

/* ni_write to a MEMORY region whose bytes, once in place, are added to a counter of the peer: the
 * counter is the ack address (FORTH-CC 2.3). One packet up to 2 KiB and segment_size, the addition
 * with it; what is longer, or has to wait for room, is counted when it is complete. The ack is
 * optional and says that src may be used again. What is refused is counted nowhere but in
 * rx_refused there; the ack tells of it only where the transfer did not leave in one packet at
 * once; whether the bytes were written is open where the counter is refused. Errors: those of
 * ni_write. */
ni_status ni_write_counted(struct ni *ni, struct ni_peer *peer, const void *src, size_t len,
                           const struct ni_remote *dst, const struct ni_rkey *counter,
                           const struct ni_ack *ack);

/* ---- thresholds ------------------------------------------------------------------------------ */

enum ni_deferred_op {
    NI_DEFERRED_WRITE,   /* ni_write to `where` */
    NI_DEFERRED_ENQUEUE, /* ni_enqueue to the QUEUE or COUNTER of where.handle and where.key */
};

/* An operation for later. src must stay unchanged until its completion. */
struct ni_deferred {
    enum ni_deferred_op op;
    struct ni_peer *peer;
    const void *src;
    size_t len;
    struct ni_remote where;
    struct ni_ack ack;
};

/* Start the operation once, as soon as the counter of this NI is at least `threshold` after an
 * addition or a setting, at once if it is now. A counter that reaches zero is at its reload value
 * afterwards, but starts what zero has reached. Of several those with lower thresholds go first,
 * equal ones in the order of the calls. They find room by themselves. Where the counter is
 * deregistered before, the ack is told NI_ERR_CANCELED by the next ni_progress. Errors: INVALID (no
 * operation or peer), REGION, NOMEM.
 *
 * Portals have triggered operations of their own, on counting events (portals.h); to go on from a
 * counter to those, give it an NI_ACK_CALL that calls ni_ct_inc. */
ni_status ni_counter_trigger(struct ni *ni, ni_handle counter, int64_t threshold,
                             const struct ni_deferred *operation);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
