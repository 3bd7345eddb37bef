/* SPDX-License-Identifier: BSD-3-Clause */
#include <apeni/region.h>

#include "engine/core/engine_thread.h"
#include "engine/core/peer.h"
#include "engine/core/progress_lock.h"
#include "engine/drive/progress.h"
#include "engine/core/regions.h"
#include "engine/drive/thread.h"
#include "engine/drive/peer_down.h"
#include "engine/object/queue/queue.h"

/*
 * The back end: what the engine thread does (soNUMA-NI 4.2, where it generates and receives packets
 * for the front ends). Long copies, segments of long transfers, what waits for room; and, if
 * callers do not poll, everything, but for callbacks that are theirs.
 */

enum { LOCK_TRIES = 2000 };

bool ni_back_has_work(const struct ni *ni)
{
    return (ni_bulk_to_move(ni) | ni_work_count(&ni->send.busy)) != 0;
}

/* The region that a packet names, by its handle or by a queue number of ours. The progress lock is
 * ours. */
static ni_handle region_of(const struct ni *ni, ni_handle handle)
{
    const struct ni_queue_name *name;

    if (!ni_queue_is_number(handle)) {
        return handle;
    }
    name = ni_queue_named(ni, handle - (ni_handle)NI_QUEUE_FIRST_HANDLE);
    return name != NULL && name->peer == NULL ? name->queue.handle : handle;
}

/* A Write or a message to what calls no program, or to nothing at all. */
static bool write_calls_nobody(const struct ni *ni, ni_handle named)
{
    ni_handle handle = region_of(ni, named);
    const struct ni_table_entry *entry = ni_table_get(&ni->table, handle);
    struct ni_region_view region;

    if (entry == NULL || !ni_entry_read(entry, handle, &region)) {
        return true;
    }
    return !ni_region_ops_of(ni, &region)->may_call(&region);
}

/* For events that wait for a caller. */
static bool has_event_room(struct ni *ni)
{
    return ni->portal_ops == NULL || ni->portal_ops->ready(ni);
}

bool ni_back_takes(struct ni *ni, uint64_t word0, uint64_t word1)
{
    switch (ni_packet_kind(word0)) {
    case NI_PACKET_MESSAGE:
    case NI_PACKET_WRITE:
        return write_calls_nobody(ni, ni_packet_region(word1));
    case NI_PACKET_READ:
    case NI_PACKET_ATOMIC:
    case NI_PACKET_ACK: /* its operation is completed by a caller */
    case NI_PACKET_COPY:
    case NI_PACKET_NOP:
        return true;
    case NI_PACKET_PUT:
    case NI_PACKET_PUT_LONG:
    case NI_PACKET_PUT_ACK:
    case NI_PACKET_GET:
    case NI_PACKET_COMBINE:
    case NI_PACKET_REPLY: /* their events wait for a caller */
        return has_event_room(ni);
    default:
        return false;
    }
}

/* Packets, new and dead peers. */
static unsigned poll_back(struct ni_engine *engine)
{
    struct ni *ni = engine->ni;
    unsigned events = 0;

    ni->depth++;
    events += ni->link->ops->progress(ni->link);
    events += engine->callbacks_on_caller ? ni_lanes_poll_back(ni) : ni_lanes_poll(ni);
    events += ni_move(ni, NI_MOVE_PORTALS);
    ni->depth--;
    return events + ni_tidy(ni, !engine->callbacks_on_caller);
}

/* Long transfers, and what waits for room. */
static unsigned move_back(struct ni *ni)
{
    unsigned events;

    ni->depth++;
    events = ni_move(ni, NI_MOVE_SEND);
    ni->depth--;
    return events + ni_move(ni, NI_MOVE_BULK); /* which gives the progress lock away */
}

/* Whether an NI with callbacks on the caller has something that only a caller may do. The progress
 * lock is ours. */
static bool needs_caller(const struct ni *ni)
{
    return !ni_list_empty(&ni->drive.downs) ||
           (ni->untidy & (NI_UNTIDY_STAYS | NI_UNTIDY_QUEUES)) != 0;
}

static bool take_lock(struct ni *ni)
{
    for (unsigned i = 0; i < LOCK_TRIES; i++) {
        if (ni_progress_lock_try(ni)) {
            return true;
        }
        ni_pause();
    }
    return false;
}

unsigned ni_back_progress(struct ni_engine *engine, bool away)
{
    struct ni *ni = engine->ni;
    unsigned events = 0;

    if ((!away && (!ni_has_back_end(ni) || !ni_back_has_work(ni))) || !take_lock(ni)) {
        return 0;
    }
    if (!ni->threads) { /* not shared: it is the program's alone */
        ni_progress_lock_give(ni, true);
        return 0;
    }
    if (has_event_room(ni)) {
        events += away ? poll_back(engine) : 0;
        events += move_back(ni);
    } else {
        ni_engine_leave(engine);
    }
    if (!engine->callbacks_on_caller) {
        ni_peers_settle(ni);
    } else if (needs_caller(ni)) {
        ni_peers_settle_silently(ni);
        ni_engine_leave(engine);
    }
    if (events != 0) {
        ni_stat_add(&ni->stats.engine_events, events);
    }
    ni_progress_lock_give(ni, true);
    return events;
}
