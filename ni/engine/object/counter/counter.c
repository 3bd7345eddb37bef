/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/object/counter/counter.h"

#include <string.h>

#include "base/alloc.h"
#include "engine/core/op.h"
#include "engine/core/regions.h"
#include "engine/send/short.h"
#include "engine/bulk/transfer.h"

/*
 * COUNTER regions: add-on-store, and notifications when the sum is zero (FORTH-CC 2.3, 3.2). All of
 * a counter is under the NI's lock: who sees the zero sees what was written before each addition.
 */

ni_status ni_counter_find(const struct ni *ni, ni_handle handle, struct ni_counter **counter)
{
    struct ni_region_view view;

    if (ni_usable(ni) != NI_OK) {
        return ni_usable(ni);
    }
    if (!ni_region_view(ni, handle, NI_REGION_COUNTER, &view)) {
        return NI_ERR_REGION;
    }
    *counter = (struct ni_counter *)(uintptr_t)view.object[0];
    return NI_OK;
}

ni_status ni_counter_create(struct ni *ni, int64_t value, struct ni_rkey *rkey)
{
    struct ni_region_view view = {.type = NI_REGION_COUNTER, .access = NI_ACCESS_WRITE};
    struct ni_counter *counter = ni_calloc(1, sizeof(*counter));
    ni_status status;

    if (counter == NULL) {
        return NI_ERR_NOMEM;
    }
    counter->value = value;
    ni_list_init(&counter->armed);
    view.object[0] = (uintptr_t)counter;
    status = ni_region_insert(ni, &view, rkey);
    if (status != NI_OK) {
        ni_free(counter);
    }
    return status;
}

void ni_counter_free(struct ni *ni, struct ni_counter *counter)
{
    ni_armed_cancel(ni, counter);
    ni_free(counter);
}

ni_status ni_counter_notify(struct ni *ni, ni_handle handle, const struct ni_ack *ack)
{
    struct ni_counter *counter;
    ni_status status;

    if (ack == NULL) {
        return NI_ERR_INVALID;
    }
    ni_lock_take(&ni->lock, ni->threads);
    status = ni_counter_find(ni, handle, &counter);
    if (status == NI_OK && counter->count == NI_COUNTER_NOTIFICATIONS) {
        status = NI_ERR_LIMIT;
    }
    if (status == NI_OK) {
        counter->targets[counter->count++] =
            (struct ni_counter_target){.kind = NI_TARGET_ACK, .ack = *ack};
    }
    ni_lock_give(&ni->lock, ni->threads);
    return status;
}

ni_status ni_counter_hold(struct ni *ni, ni_handle handle, _Atomic uint32_t *held)
{
    struct ni_counter *counter;
    ni_status status;

    ni_lock_take(&ni->lock, ni->threads);
    status = ni_counter_find(ni, handle, &counter);
    for (unsigned i = 0; status == NI_OK && i < counter->count; i++) {
        counter->targets[i].held = held;
    }
    ni_lock_give(&ni->lock, ni->threads);
    return status;
}

/* It is zero: armed again before anybody is told. */
static void fire(struct ni *ni, struct ni_counter *counter, struct ni_firing *firing)
{
    counter->value = counter->reload;
    firing->count = counter->count;
    memcpy(firing->targets, counter->targets, counter->count * sizeof(counter->targets[0]));
    ni_stat_add(&ni->stats.counters_fired, 1);
}

void ni_counter_change(struct ni *ni, struct ni_counter *counter, int64_t add,
                       struct ni_firing *firing)
{
    /* Unsigned, so that it wraps. */
    int64_t value = (int64_t)((uint64_t)counter->value + (uint64_t)add);

    firing->count = 0;
    ni_list_init(&firing->armed);
    counter->value = value;
    if (value == 0 && add != 0) {
        fire(ni, counter, firing);
    }
    if (NI_UNLIKELY(!ni_list_empty(&counter->armed))) {
        ni_armed_reach(counter, value, &firing->armed);
    }
}

ni_status ni_counter_change_of(struct ni *ni, ni_handle handle, const uint64_t *key, int64_t add,
                               struct ni_firing *firing)
{
    const struct ni_table_entry *entry;
    ni_status status = ni_usable(ni);

    ni_lock_take(&ni->lock, ni->threads);
    /* Regions come and go under this lock: what the entry says is from one moment. */
    entry = ni_table_get(&ni->table, handle);
    if (NI_UNLIKELY(entry == NULL || ni_entry_type(entry) != NI_REGION_COUNTER)) {
        status = status == NI_OK ? NI_ERR_REGION : status;
    } else if (NI_UNLIKELY(key != NULL && ni_entry_key(entry) != *key)) {
        status = status == NI_OK ? NI_ERR_KEY : status;
    }
    if (NI_LIKELY(status == NI_OK)) {
        ni_counter_change(ni, (struct ni_counter *)(uintptr_t)ni_entry_object(entry, 0), add,
                          firing);
    }
    ni_lock_give(&ni->lock, ni->threads);
    return status;
}

static ni_status add(struct ni *ni, ni_handle handle, const uint64_t *key, int64_t value)
{
    struct ni_firing firing;
    ni_status status = ni_counter_change_of(ni, handle, key, value, &firing);

    if (status == NI_OK && ni_firing_any(&firing)) {
        ni_firing_deliver(ni, &firing);
    }
    return status;
}

ni_status ni_counter_add(struct ni *ni, ni_handle handle, int64_t value)
{
    struct ni_short_end end;

    if (NI_UNLIKELY(ni->threads || ni->unusual) ||
        NI_UNLIKELY(!ni_short_count(ni, handle, NULL, value, &end))) {
        return add(ni, handle, NULL, value);
    }
    if (end.fn != NULL) {
        end.fn(end.arg, NI_OK, end.value);
    }
    return NI_OK;
}

ni_status ni_counter_add_keyed(struct ni *ni, ni_handle handle, uint64_t key, int64_t value)
{
    return add(ni, handle, &key, value);
}

ni_status ni_counter_read(struct ni *ni, ni_handle handle, int64_t *value)
{
    struct ni_counter *counter;
    ni_status status;

    ni_lock_take(&ni->lock, ni->threads);
    status = ni_counter_find(ni, handle, &counter);
    if (status == NI_OK) {
        *value = counter->value;
    }
    ni_lock_give(&ni->lock, ni->threads);
    return status;
}

ni_status ni_counter_add_remote(struct ni *ni, struct ni_peer *peer, const struct ni_rkey *counter,
                                int64_t value, const struct ni_ack *ack)
{
    return ni_store_object(ni, peer, counter, &value, sizeof(value), ack);
}

ni_status ni_counter_post(struct ni *ni, struct ni_peer *peer, const struct ni_rkey *counter,
                          int64_t value)
{
    struct ni_remote where = {.key = counter->key, .handle = counter->handle};
    ni_status status = ni_usable(ni);

    return status != NI_OK ? status
                           : ni_word_post(peer, &where, (uint64_t)value, sizeof(value), NULL);
}
