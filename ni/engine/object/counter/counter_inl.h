/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_COUNTER_INL_H
#define NI_ENGINE_COUNTER_INL_H

#include <string.h>

#include "engine/object/counter/counter.h"
#include "table/table_inl.h"

/* Additions to counters: whose counter it is, and the addition itself. */

/* A function that is to be told. */
struct ni_call {
    ni_done_fn fn; /* NULL: none */
    void *arg;
    uint64_t value;
};

/* The counter of a handle; key NULL: it is ours to add to. */
NI_ALWAYS_INLINE ni_status ni_counter_judge(const struct ni *ni, ni_handle handle,
                                            const uint64_t *key, struct ni_counter **counter)
{
    const struct ni_table_entry *entry = ni_table_get(&ni->table, handle);

    if (NI_UNLIKELY(entry == NULL) || NI_UNLIKELY(ni_entry_type(entry) != NI_REGION_COUNTER)) {
        return NI_ERR_REGION;
    }
    *counter = (struct ni_counter *)(uintptr_t)ni_entry_object(entry, 0);
    return NI_UNLIKELY(key != NULL && ni_entry_key(entry) != *key) ? NI_ERR_KEY : NI_OK;
}

/* Whether a counter at zero tells nobody, or one function. */
NI_ALWAYS_INLINE bool ni_counter_calls(const struct ni_counter *counter, struct ni_call *call)
{
    const struct ni_counter_target *target = &counter->targets[0];

    if (counter->count == 0) {
        return true;
    }
    if (NI_UNLIKELY(counter->count != 1) || NI_UNLIKELY(target->kind != NI_TARGET_ACK) ||
        NI_UNLIKELY(target->ack.kind != NI_ACK_CALL)) {
        return false;
    }
    *call =
        (struct ni_call){.fn = target->ack.fn, .arg = target->ack.arg, .value = target->ack.value};
    return true;
}

/* The addition. What follows is put into notices; NULL: into call, and where it is more than that
 * nothing is done, and false returned. */
NI_ALWAYS_INLINE bool ni_counter_add_in(struct ni *ni, struct ni_counter *counter, int64_t add,
                                        struct ni_counter_notify *notices, struct ni_call *call)
{
    /* Unsigned, so that it wraps. */
    int64_t sum = (int64_t)((uint64_t)counter->value + (uint64_t)add), value = sum;

    if (notices == NULL && NI_UNLIKELY(!ni_list_empty(&counter->armed))) {
        return false;
    }
    if (sum == 0 && add != 0) {
        if (notices == NULL && NI_UNLIKELY(!ni_counter_calls(counter, call))) {
            return false;
        }
        if (notices != NULL) {
            notices->count = counter->count;
            memcpy(notices->targets, counter->targets,
                   counter->count * sizeof(counter->targets[0]));
        }
        value = counter->reload; /* armed again before anybody is told */
        ni_stat_add(&ni->stats.counters_fired, 1);
    }
    counter->value = value;
    if (notices != NULL && NI_UNLIKELY(!ni_list_empty(&counter->armed))) {
        ni_armed_reach(counter, sum, &notices->armed);
    }
    return true;
}

/* Add without threads; call is told by the caller. False: nothing was done, ni_counter_add_keyed
 * knows why. */
NI_ALWAYS_INLINE bool ni_counter_add_now(struct ni *ni, ni_handle handle, const uint64_t *key,
                                         int64_t add, struct ni_call *call)
{
    struct ni_counter *counter;

    call->fn = NULL;
    return NI_LIKELY(ni_counter_judge(ni, handle, key, &counter) == NI_OK) &&
           ni_counter_add_in(ni, counter, add, NULL, call);
}

#endif
