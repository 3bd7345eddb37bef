/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_COUNTER_H
#define NI_ENGINE_COUNTER_H

/*
 * The folder object/counter: regions that are counters, and what they set off. It knows what is
 * below it, queues too. Called by the program and by what delivers Writes.
 */

#include <apeni/counter.h>

#include "base/list.h"
#include "engine/core/deferred.h"
#include "engine/core/ni.h"

/*
 * COUNTER regions inside. A change (counter.c) happens under the NI's lock; what it brings about is
 * copied out, and leaves without a lock (counter_notify.c): notifications may do anything. Setting
 * from elsewhere: counter_config.c. Thresholds: trigger.c.
 */

enum ni_counter_target_kind {
    NI_TARGET_ACK,  /* of this process */
    NI_TARGET_HERE, /* a region of this NI */
    NI_TARGET_PEER, /* a region of a peer */
};

/* Where a notification goes, and what it says. */
struct ni_counter_target {
    enum ni_counter_target_kind kind;
    unsigned width;
    struct ni_peer *peer;
    struct ni_remote where;
    uint64_t value;
    struct ni_ack ack;      /* ACK; its value */
    _Atomic uint32_t *held; /* of the caller that wants to know that it has left, as in control.h */
};

struct ni_counter {
    int64_t value, reload;
    struct ni_list armed; /* struct ni_armed, by threshold */
    unsigned count;
    struct ni_counter_target targets[NI_COUNTER_NOTIFICATIONS];
};

/* An operation that waits for a threshold. */
struct ni_armed {
    struct ni_deferred_call deferred; /* its list: the counter's, or the NI's `deferred` */
    int64_t threshold;
    bool canceled;
    struct ni_deferred op;
};

/* What a change has brought about. */
struct ni_counter_notify {
    unsigned count;
    struct ni_counter_target targets[NI_COUNTER_NOTIFICATIONS];
    struct ni_list armed; /* whose thresholds were reached */
};

static inline bool ni_counter_notify_any(const struct ni_counter_notify *notices)
{
    return notices->count != 0 || !ni_list_empty(&notices->armed);
}

/* COUNTER is a type of regions, and acks go to counters and regions. The NI opens. */
void ni_counters_register(struct ni *ni);

/* ---- counter.c ------------------------------------------------------------------------------- */

/* The counter of a handle. The NI's lock is held: it keeps the counter from being freed. */
ni_status ni_counter_find(const struct ni *ni, ni_handle handle, struct ni_counter **counter);
/* Add, and say what follows. The NI's lock is held. */
void ni_counter_change(struct ni *ni, struct ni_counter *counter, int64_t add,
                       struct ni_counter_notify *notices);
/* The same for the counter of a handle; if it was told a key, this must be it. No lock is held. */
ni_status ni_counter_change_of(struct ni *ni, ni_handle handle, const uint64_t *key, int64_t add,
                               struct ni_counter_notify *notices);
/* Have the notifications that it has now be counted, each as long as it waits for room. */
ni_status ni_counter_hold(struct ni *ni, ni_handle handle, _Atomic uint32_t *held);
/* ni_counter_add by a peer. */
ni_status ni_counter_add_keyed(struct ni *ni, ni_handle handle, uint64_t key, int64_t value);

/* ---- counter_notify.c ------------------------------------------------------------------------ */

/* Let it all leave. No lock is held. */
void ni_counter_notify_deliver(struct ni *ni, struct ni_counter_notify *notices);
/* Tell the region of an ack. No lock is held. */
void ni_counter_notify_ack(struct ni *ni, const struct ni_ack_region *region, ni_status status,
                           uint64_t value);

/* ---- trigger.c ------------------------------------------------------------------------------- */

/* Move those that `value` reaches. The NI's lock is held. */
void ni_armed_reach(struct ni_counter *counter, int64_t value, struct ni_list *reached);
/* Start them. No lock is held. */
void ni_armed_start(struct ni *ni, struct ni_list *reached);
/* The counter goes away: their acks are told so, later. The NI's lock is held. */
void ni_armed_cancel(struct ni *ni, struct ni_counter *counter);

/* ---- counter_config.c ------------------------------------------------------------------------ */

/* A Write to a counter that is no addition. sender may be anybody; the bytes may change. The
 * progress lock is ours. */
ni_status ni_setting_arrive(struct ni *ni, struct ni_peer *sender, ni_handle handle,
                            const uint8_t *payload, uint32_t len);

#endif
