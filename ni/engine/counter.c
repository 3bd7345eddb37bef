/* SPDX-License-Identifier: BSD-3-Clause */
#include <apeni/counter.h>

#include "base/alloc.h"
#include "engine/engine.h"

/* COUNTER regions: add-on-store, and notifications when the sum is zero (FORTH-CC 2.3, 3.2). */

struct ni_counter {
    _Atomic int64_t value;
    struct ni_lock lock; /* the notifications */
    unsigned notifications;
    struct ni_ack notify[NI_COUNTER_NOTIFICATIONS];
};

static struct ni_counter *find(const struct ni *ni, ni_handle handle)
{
    struct ni_region_view view;

    return ni_region_view(ni, handle, NI_REGION_COUNTER, &view)
               ? (struct ni_counter *)(uintptr_t)view.object[0]
               : NULL;
}

ni_status ni_counter_create(struct ni *ni, int64_t value, struct ni_rkey *rkey)
{
    struct ni_region_view view = {.type = NI_REGION_COUNTER, .access = NI_ACCESS_WRITE};
    struct ni_counter *counter = ni_calloc(1, sizeof(*counter));
    ni_status status;

    if (counter == NULL) {
        return NI_ERR_NOMEM;
    }
    atomic_init(&counter->value, value);
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
    struct ni_counter *counter = find(ni, handle);
    ni_status status = NI_OK;

    if (counter == NULL) {
        return NI_ERR_REGION;
    }
    if (ack == NULL) {
        return NI_ERR_INVALID;
    }
    ni_lock_take(&counter->lock, ni->threads);
    if (counter->notifications == NI_COUNTER_NOTIFICATIONS) {
        status = NI_ERR_LIMIT;
    } else {
        counter->notify[counter->notifications++] = *ack;
    }
    ni_lock_give(&counter->lock, ni->threads);
    return status;
}

void ni_counter_arrive(struct ni *ni, struct ni_counter *counter, int64_t value)
{
    struct ni_ack notify[NI_COUNTER_NOTIFICATIONS];
    unsigned count;
    /* Acquire and release: who sees the zero sees all that was written before each addition.
     * Unsigned, so that it wraps. */
    int64_t sum = (int64_t)((uint64_t)atomic_fetch_add_explicit(&counter->value, value,
                                                                memory_order_acq_rel) +
                            (uint64_t)value);

    if (sum != 0 || value == 0) {
        return;
    }
    ni_lock_take(&counter->lock, ni->threads);
    count = counter->notifications;
    memcpy(notify, counter->notify, sizeof(notify));
    ni_lock_give(&counter->lock, ni->threads);
    for (unsigned i = 0; i < count; i++) {
        ni_ack_deliver(ni, &notify[i], NI_OK, notify[i].value);
    }
}

ni_status ni_counter_add(struct ni *ni, ni_handle handle, int64_t value)
{
    struct ni_counter *counter = find(ni, handle);

    if (counter == NULL) {
        return NI_ERR_REGION;
    }
    ni_counter_arrive(ni, counter, value);
    return NI_OK;
}

ni_status ni_counter_read(struct ni *ni, ni_handle handle, int64_t *value)
{
    const struct ni_counter *counter = find(ni, handle);

    if (counter == NULL) {
        return NI_ERR_REGION;
    }
    *value = atomic_load_explicit(&counter->value, memory_order_acquire);
    return NI_OK;
}

ni_status ni_counter_add_remote(struct ni *ni, struct ni_peer *peer, const struct ni_rkey *counter,
                                int64_t value, const struct ni_ack *ack)
{
    return ni_store_object(ni, peer, counter, &value, sizeof(value), ack);
}
