/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/object/counter/counter.h"

#include "base/alloc.h"
#include "engine/object/counter/counter_inl.h"
#include "engine/core/op.h"
#include "engine/core/regions.h"
#include "engine/bulk/transfer.h"
#include "engine/send/send.h"

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

static void release_counter(struct ni *ni, const struct ni_region_view *region)
{
    struct ni_counter *counter = (struct ni_counter *)(uintptr_t)region->object[0];

    ni_armed_cancel(ni, counter);
    ni_free(counter);
}

/* An addition, or a setting of it. */
static ni_status write_counter(struct ni *ni, struct ni_peer *writer, ni_handle handle,
                               const struct ni_region_view *region, const uint8_t *payload,
                               uint32_t len)
{
    int64_t value;

    (void)region;
    if (len != sizeof(value)) {
        return ni_setting_arrive(ni, writer, handle, payload, len);
    }
    memcpy(&value, payload, sizeof(value));
    return ni_counter_add(ni, handle, value);
}

static ni_status notify_counter(struct ni *ni, struct ni_peer *writer, ni_handle handle,
                                const struct ni_region_view *region, uint64_t value)
{
    (void)writer;
    (void)region;
    return ni_counter_add(ni, handle, (int64_t)value);
}

/* Its notifications do. */
static bool may_counter_call(const struct ni_region_view *region)
{
    (void)region;
    return true;
}

static void ack_region(struct ni *ni, const struct ni_ack *ack, ni_status status, uint64_t value)
{
    if (ack->kind == NI_ACK_COUNTER) {
        (void)ni_counter_add(ni, ack->counter, (int64_t)value);
    } else {
        ni_counter_notify_ack(ni, ack->region, status, value);
    }
}

void ni_counters_register(struct ni *ni)
{
    static const struct ni_region_ops ops = {.write = write_counter,
                                             .notify = notify_counter,
                                             .may_call = may_counter_call,
                                             .release = release_counter};

    ni_region_type_register(ni, NI_REGION_COUNTER, &ops);
    ni->core.ack_region = ack_region;
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

void ni_counter_change(struct ni *ni, struct ni_counter *counter, int64_t add,
                       struct ni_counter_notify *notices)
{
    notices->count = 0;
    ni_list_init(&notices->armed);
    (void)ni_counter_add_in(ni, counter, add, notices, NULL);
}

ni_status ni_counter_change_of(struct ni *ni, ni_handle handle, const uint64_t *key, int64_t add,
                               struct ni_counter_notify *notices)
{
    ni_status status = ni_usable(ni);
    struct ni_counter *counter;

    ni_lock_take(&ni->lock, ni->threads);
    /* Regions come and go under this lock: what the entry says is from one moment. */
    status = status == NI_OK ? ni_counter_judge(ni, handle, key, &counter) : status;
    if (NI_LIKELY(status == NI_OK)) {
        ni_counter_change(ni, counter, add, notices);
    }
    ni_lock_give(&ni->lock, ni->threads);
    return status;
}

static ni_status add_to_counter(struct ni *ni, ni_handle handle, const uint64_t *key, int64_t value)
{
    struct ni_counter_notify notices;
    ni_status status = ni_counter_change_of(ni, handle, key, value, &notices);

    if (status == NI_OK && ni_counter_notify_any(&notices)) {
        ni_counter_notify_deliver(ni, &notices);
    }
    return status;
}

ni_status ni_counter_add(struct ni *ni, ni_handle handle, int64_t value)
{
    struct ni_call call;

    if (NI_UNLIKELY(ni->threads || ni->poll_cases) ||
        NI_UNLIKELY(!ni_counter_add_now(ni, handle, NULL, value, &call))) {
        return add_to_counter(ni, handle, NULL, value);
    }
    if (call.fn != NULL) {
        call.fn(call.arg, NI_OK, call.value);
    }
    return NI_OK;
}

ni_status ni_counter_add_keyed(struct ni *ni, ni_handle handle, uint64_t key, int64_t value)
{
    return add_to_counter(ni, handle, &key, value);
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
