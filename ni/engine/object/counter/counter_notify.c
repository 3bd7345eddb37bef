/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/alloc.h"
#include "base/log.h"
#include "engine/core/progress_lock.h"
#include "engine/object/counter/counter.h"
#include "engine/core/memory.h"
#include "engine/object/queue/multi.h"
#include "engine/core/op.h"
#include "engine/object/queue/queue.h"
#include "engine/core/regions.h"
#include "engine/bulk/transfer.h"
#include "engine/send/send.h"

/*
 * Notifications leave: an ack is delivered, a region of ours is written, a packet is sent. One that
 * goes to a counter of ours does not call itself, but joins a chain, so that trees of any depth
 * take no stack; and a chain ends after NI_CHAIN_MOST steps, so that a ring of counters, which any
 * peer may make, holds up nobody: the rest is deferred. So does what finds no room.
 *
 * A ring in which a counter tells several defers more in each pass. So the chains of a pass
 * share the steps of one, and beyond NI_COUNTER_WAITING of them notifications are lost.
 */

enum {
    NI_CHAIN_ROOM = 16,
    NI_CHAIN_MOST = 64,
};

struct addition {
    ni_handle counter;
    bool keyed;
    uint64_t key;
    int64_t value;
};

/* Additions to counters of ours that are still to be made, oldest first. */
struct chain {
    unsigned head, tail, steps;
    struct addition additions[NI_CHAIN_ROOM];
};

/* A notification that could not leave. ni->core.late counts them. */
struct late {
    struct ni_deferred_call deferred;
    struct ni_counter_target target;
};

static ni_status add_later(struct chain *chain, struct addition addition)
{
    if (chain->tail - chain->head == NI_CHAIN_ROOM || chain->steps == NI_CHAIN_MOST) {
        return NI_AGAIN;
    }
    chain->steps++;
    chain->additions[chain->tail++ % NI_CHAIN_ROOM] = addition;
    return NI_OK;
}

/* ---- to regions of ours ---------------------------------------------------------------------- */

/* Queues belong to the holder of the progress lock. Those with a consumer expect a peer as source.
 */
static ni_status enqueue_notice(struct ni *ni, const struct ni_counter_target *target,
                                const struct ni_region_view *region)
{
    if (region->object[NI_OBJECT_BODY] == 0) {
        return NI_ERR_ACCESS;
    }
    if (!ni_progress_lock_is_ours(ni)) {
        return NI_AGAIN;
    }
    if (region->type == NI_REGION_MULTI_QUEUE) {
        return ni_multi_push((struct ni_multi *)(uintptr_t)region->object[NI_OBJECT_BODY],
                             &target->value, target->width);
    }
    return ni_queue_body_push((struct ni_queue *)(uintptr_t)region->object[NI_OBJECT_BODY],
                              &target->value, target->width);
}

static ni_status write_here(struct ni *ni, const struct ni_counter_target *target,
                            struct chain *chain)
{
    const struct ni_remote *where = &target->where;
    const struct ni_table_entry *entry = ni_table_get(&ni->table, where->handle);
    struct ni_region_view region;

    if (entry == NULL || !ni_entry_read(entry, where->handle, &region)) {
        return NI_ERR_REGION;
    }
    if (region.type == NI_REGION_MEMORY) {
        return ni_memory_store(ni, where, target->value, target->width);
    }
    if (region.key != where->key) {
        return NI_ERR_KEY;
    }
    if (region.type == NI_REGION_QUEUE || region.type == NI_REGION_MULTI_QUEUE) {
        return enqueue_notice(ni, target, &region);
    }
    if (region.type != NI_REGION_COUNTER) {
        return NI_ERR_ACCESS;
    }
    return target->width != sizeof(int64_t)
               ? NI_ERR_BOUNDS
               : add_later(chain, (struct addition){.counter = where->handle,
                                                    .keyed = true,
                                                    .key = where->key,
                                                    .value = (int64_t)target->value});
}

/* ---- one notification ------------------------------------------------------------------------ */

static struct ni_counter_target target_of(const struct ni_ack_region *region, uint64_t value)
{
    return (struct ni_counter_target){
        .kind = region->peer == NULL ? NI_TARGET_HERE : NI_TARGET_PEER,
        .width = sizeof(value),
        .peer = region->peer,
        .where = region->where,
        .value = value,
    };
}

static ni_status tell_region(struct ni *ni, const struct ni_counter_target *target,
                             struct chain *chain)
{
    ni_status status;

    if (target->kind == NI_TARGET_HERE) {
        status = write_here(ni, target, chain);
        if (status != NI_OK && status != NI_AGAIN) {
            ni_stat_add(&ni->stats.rx_refused, 1);
        }
        return status;
    }
    status = ni_word_post(target->peer, &target->where, target->value, target->width, target->held);
    return status == NI_ERR_NOMEM ? NI_AGAIN : status;
}

static ni_status tell_ack(struct ni *ni, const struct ni_ack *ack, struct chain *chain)
{
    struct ni_counter_target target;

    if (ack->kind == NI_ACK_COUNTER) {
        return add_later(chain,
                         (struct addition){.counter = ack->counter, .value = (int64_t)ack->value});
    }
    if (ack->kind == NI_ACK_REGION) {
        target = target_of(ack->region, ack->value);
        return tell_region(ni, &target, chain);
    }
    ni_ack_deliver(ni, ack, NI_OK, ack->value);
    return NI_OK;
}

/* NI_AGAIN: not now. */
static ni_status tell_target(struct ni *ni, const struct ni_counter_target *target,
                             struct chain *chain)
{
    return target->kind == NI_TARGET_ACK ? tell_ack(ni, &target->ack, chain)
                                         : tell_region(ni, target, chain);
}

static void run_chain(struct ni *ni, struct chain *chain);

/* Steps that the chain of one of so many may not take. At least one is left. */
static unsigned steps_of_others(uint32_t late)
{
    return NI_CHAIN_MOST - (late < NI_CHAIN_MOST ? NI_CHAIN_MOST / late : 1);
}

static bool tell_late(struct ni *ni, struct ni_deferred_call *deferred)
{
    struct late *late = ni_container_of(deferred, struct late, deferred);
    struct chain chain = {
        .steps = steps_of_others(atomic_load_explicit(&ni->core.late, memory_order_relaxed))};
    bool done = tell_target(ni, &late->target, &chain) != NI_AGAIN || ni->closing;

    if (done) {
        atomic_fetch_sub_explicit(&ni->core.late, 1, memory_order_relaxed);
        if (late->target.held != NULL) {
            (void)atomic_fetch_sub_explicit(late->target.held, 1, memory_order_release);
        }
        ni_free(late);
    } else {
        ni_deferred_call_add(ni, deferred);
    }
    run_chain(ni, &chain);
    return done;
}

static void lose(struct ni *ni, bool too_many)
{
    static struct ni_log_limit once = NI_LOG_LIMIT(1), limit = NI_LOG_LIMIT(10);

    ni_stat_add(&ni->stats.notifications_lost, 1);
    if (too_many) {
        ni_log_limited(
            &once, NI_LOG_ERROR,
            "%d notifications of counters wait already: more are lost. Take items from the "
            "queues that they go to, or break the ring in which a counter tells several",
            NI_COUNTER_WAITING);
    } else {
        ni_log_limited(&limit, NI_LOG_ERROR, "out of memory: a notification of a counter is lost");
    }
}

static NI_COLD void put_off(struct ni *ni, const struct ni_counter_target *target)
{
    bool too_many =
        atomic_load_explicit(&ni->core.late, memory_order_relaxed) >= (uint32_t)NI_COUNTER_WAITING;
    struct late *late = too_many ? NULL : ni_calloc(1, sizeof(*late));

    if (late == NULL) {
        lose(ni, too_many);
        return;
    }
    atomic_fetch_add_explicit(&ni->core.late, 1, memory_order_relaxed);
    late->deferred.run = tell_late;
    late->target = *target;
    if (target->held != NULL) {
        (void)atomic_fetch_add_explicit(target->held, 1, memory_order_relaxed);
    }
    ni_deferred_call_add(ni, &late->deferred);
}

/* ---- all of them ----------------------------------------------------------------------------- */

static void tell_all(struct ni *ni, struct ni_counter_notify *notices, struct chain *chain)
{
    for (unsigned i = 0; i < notices->count; i++) {
        if (NI_UNLIKELY(tell_target(ni, &notices->targets[i], chain) == NI_AGAIN)) {
            put_off(ni, &notices->targets[i]);
        }
    }
    if (NI_UNLIKELY(!ni_list_empty(&notices->armed))) {
        ni_armed_start(ni, &notices->armed);
    }
}

static void run_chain(struct ni *ni, struct chain *chain)
{
    while (chain->head != chain->tail) {
        const struct addition *next = &chain->additions[chain->head++ % NI_CHAIN_ROOM];
        struct ni_counter_notify notices;

        if (ni_counter_change_of(ni, next->counter, next->keyed ? &next->key : NULL, next->value,
                                 &notices) == NI_OK) {
            tell_all(ni, &notices, chain);
        }
    }
}

void ni_counter_notify_deliver(struct ni *ni, struct ni_counter_notify *notices)
{
    struct chain chain;

    chain.head = chain.tail = chain.steps = 0;
    tell_all(ni, notices, &chain);
    run_chain(ni, &chain);
}

void ni_counter_notify_ack(struct ni *ni, const struct ni_ack_region *region, ni_status status,
                           uint64_t value)
{
    struct ni_counter_notify notices = {.count = 1};

    if (status != NI_OK && region->counts) {
        return;
    }
    notices.targets[0] = target_of(region, status == NI_OK ? value : ni_ack_failure(status));
    ni_list_init(&notices.armed);
    ni_counter_notify_deliver(ni, &notices);
}
