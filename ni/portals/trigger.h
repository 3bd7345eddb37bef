/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_PORTALS_TRIGGER_H
#define NI_PORTALS_TRIGGER_H

#include "portals/portals.h"

/*
 * Operations that a counting event triggers.
 *
 *   waiting   in the heap of its counter, by threshold and then by age
 *   ready     the counter is there: in portals->ready, in the order of being triggered
 *   running   taken from there by the one thread that runs them
 *
 * The thread that counts looks at ct->next, the lowest threshold that waits, and moves what is
 * reached to the ready list; then runs that list unless somebody does already: another thread, or a
 * frame further up whose operation has counted. So a chain of triggers is a loop, not a recursion,
 * and operations run in the order in which they were triggered.
 *
 * An operation that finds no memory stays first in the list, and progress tries again.
 *
 * Edge T: an increment is a read-modify-write of the count and then a load of ct->next; arming is a
 * store to ct->next and then a load of the counts; all sequentially consistent, so that one of the
 * two sees the other.
 */

struct ni_trigger;

struct ni_trigger_kind {
    /* NI_OK: done, however it went; NI_PTL_NO_SPACE: again later. No lock is held. */
    int (*run)(struct ni *ni, struct ni_trigger *trigger);
    /* It will not run; NULL: nothing to give back. portals->lock is held. */
    void (*drop)(struct ni *ni, struct ni_trigger *trigger);
};

/* A get or an atomic, as it is to be started. */
struct ni_trigger_request {
    struct ni_put put;
    struct ni_extra extra;
};

struct ni_trigger {
    union {
        struct ni_list ready;
        struct {
            struct ni_trigger *child, *sibling; /* the heap */
        };
    };
    uint64_t threshold;
    uint64_t age; /* a serial number */
    const struct ni_trigger_kind *kind;
    union {
        struct {
            struct ni_md md;
            uint64_t local_offset, length;
            struct ni_peer *target;
            uint64_t match_bits, remote_offset, hdr_data;
            void *user_ptr;
            uint16_t pt_index;
            enum ni_ack_req ack;
        } put;
        struct {
            struct ni_ct *ct;
            struct ni_ct_event value;
        } count;
        struct {
            struct ni_entry *entry;
            struct ni_me me;
            uint32_t pt_index;
            enum ni_list_kind list;
        } append;
        struct {
            ni_me_handle handle;
        } unlink;
        struct ni_trigger_request *request;
    };
};

/* ---- trigger_heap.c -------------------------------------------------------------------------- */

/* Put one into a heap, whose first one (NULL: empty) is *root. O(1). */
void ni_trigger_insert(struct ni_trigger **root, struct ni_trigger *trigger);
/* Take the first one out of a heap that is not empty. O(log n), amortised. */
struct ni_trigger *ni_trigger_take(struct ni_trigger **root);

/* ---- triggered.c ----------------------------------------------------------------------------- */

/* An operation to be filled and armed; NULL at the limit or out of memory. portals->lock is
 * held. */
struct ni_trigger *ni_trigger_new(struct ni *ni, const struct ni_trigger_kind *kind);
/* Have it run when the counter has got there, at once if it is there. No lock is held. */
void ni_trigger_arm(struct ni *ni, struct ni_trigger *trigger, struct ni_ct *ct,
                    uint64_t threshold);

#endif
