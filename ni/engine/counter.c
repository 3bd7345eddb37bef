/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include <apeni/counter.h>

#include "base/alloc.h"
#include "engine/op.h"
#include "engine/regions.h"
#include "engine/transfer.h"

/*
 * COUNTER regions: add-on-store, and notifications when the sum is zero (FORTH-CC 2.3, 3.2). All of
 * a counter is under the NI's lock: who sees the zero sees what was written before each addition.
 */

struct ni_counter {
    int64_t value;
    unsigned notifications;
    struct ni_ack notify[NI_COUNTER_NOTIFICATIONS];
};

/* The NI's lock is held: it keeps the counter from being freed. */
static ni_status find(const struct ni *ni, ni_handle handle, struct ni_counter **counter)
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
    view.object[0] = (uintptr_t)counter;
    status = ni_region_insert(ni, &view, rkey);
    if (status != NI_OK) {
        ni_free(counter);
    }
    return status;
}

void ni_counter_free(struct ni_counter *counter)
{
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
    status = find(ni, handle, &counter);
    if (status == NI_OK && counter->notifications == NI_COUNTER_NOTIFICATIONS) {
        status = NI_ERR_LIMIT;
    }
    if (status == NI_OK) {
        counter->notify[counter->notifications++] = *ack;
    }
    ni_lock_give(&ni->lock, ni->threads);
    return status;
}

/* Notifications may do anything, so they leave without the lock. */
ni_status ni_counter_add(struct ni *ni, ni_handle handle, int64_t value)
{
    struct ni_ack notify[NI_COUNTER_NOTIFICATIONS];
    struct ni_counter *counter;
    unsigned count = 0;
    ni_status status;

    ni_lock_take(&ni->lock, ni->threads);
    status = find(ni, handle, &counter);
    if (status == NI_OK) {
        /* Unsigned, so that it wraps. */
        counter->value = (int64_t)((uint64_t)counter->value + (uint64_t)value);
        if (counter->value == 0 && value != 0) {
            count = counter->notifications;
            memcpy(notify, counter->notify, sizeof(notify));
        }
    }
    ni_lock_give(&ni->lock, ni->threads);
    for (unsigned i = 0; i < count; i++) {
        ni_ack_deliver(ni, &notify[i], NI_OK, notify[i].value);
    }
    return status;
}

ni_status ni_counter_read(struct ni *ni, ni_handle handle, int64_t *value)
{
    struct ni_counter *counter;
    ni_status status;

    ni_lock_take(&ni->lock, ni->threads);
    status = find(ni, handle, &counter);
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
