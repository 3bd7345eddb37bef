/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/clock.h"
#include "portals/portals.h"

/* Counting events. */

enum { NI_CT_LOOK_US = 1000 };

int ni_ct_alloc(struct ni *ni, struct ni_ct **made)
{
    struct ni_ct *ct;
    bool full;

    if (ni->portals == NULL) {
        return NI_PTL_NO_INIT;
    }
    ct = ni_calloc(1, sizeof(*ct));
    if (ct == NULL) {
        return NI_PTL_NO_SPACE;
    }
    ct->ni = ni;
    atomic_init(&ct->next, NI_CT_NEVER);
    ni_portals_lock(ni);
    full = ni->portals->ct_count == ni->portals->limits.max_cts;
    if (!full) {
        ni_list_push_back(&ni->portals->cts, &ct->all);
        ni->portals->ct_count++;
    }
    ni_portals_unlock(ni);
    if (full) {
        ni_free(ct);
        return NI_PTL_NO_SPACE;
    }
    *made = ct;
    return NI_OK;
}

int ni_ct_free(struct ni *ni, struct ni_ct *ct)
{
    if (ni->portals == NULL) {
        return NI_PTL_NO_INIT;
    }
    ni_portals_lock(ni);
    ni_ct_drop_triggered(ni, ct);
    ni_list_remove(&ct->all);
    ni->portals->ct_count--;
    ni_portals_unlock(ni);
    ni_free(ct);
    return NI_OK;
}

int ni_ct_get(const struct ni_ct *ct, struct ni_ct_event *event)
{
    /* Pair with the releases below: what was counted is in place. */
    event->success = atomic_load_explicit(&ct->success, memory_order_acquire);
    event->failure = atomic_load_explicit(&ct->failure, memory_order_acquire);
    return NI_OK;
}

/* After each change of a count. Edge T, see trigger.h. */
static inline void changed(struct ni_ct *ct)
{
    if (NI_UNLIKELY(atomic_load_explicit(&ct->next, memory_order_seq_cst) != NI_CT_NEVER)) {
        ni_ct_trigger(ct);
    }
}

int ni_ct_set(struct ni_ct *ct, struct ni_ct_event value)
{
    atomic_store_explicit(&ct->success, value.success, memory_order_seq_cst);
    atomic_store_explicit(&ct->failure, value.failure, memory_order_seq_cst);
    changed(ct);
    return NI_OK;
}

int ni_ct_inc(struct ni_ct *ct, struct ni_ct_event increment)
{
    if (increment.success != 0 && increment.failure != 0) {
        return NI_PTL_ARG_INVALID;
    }
    if (increment.success != 0) {
        atomic_fetch_add_explicit(&ct->success, increment.success, memory_order_seq_cst);
    }
    if (increment.failure != 0) {
        atomic_fetch_add_explicit(&ct->failure, increment.failure, memory_order_seq_cst);
    }
    changed(ct);
    return NI_OK;
}

void ni_ct_count(struct ni_ct *ct, bool bytes, enum ni_ni_fail fail, uint64_t mlength)
{
    struct ni_ct_event increment = {0};

    if (fail != NI_NI_OK) {
        increment.failure = 1;
    } else {
        increment.success = bytes ? mlength : 1;
    }
    if (ct != NULL) {
        (void)ni_ct_inc(ct, increment);
    }
}

static bool has_ct_reached(const struct ni_ct *ct, uint64_t test, struct ni_ct_event *event)
{
    (void)ni_ct_get(ct, event);
    return event->success >= test || event->failure != 0;
}

int ni_ct_poll(struct ni *ni, struct ni_ct *const *cts, const uint64_t *tests, unsigned size,
               uint64_t timeout_us, struct ni_ct_event *event, unsigned *which)
{
    uint64_t now = ni_now_ns() / 1000;
    uint64_t end = now + ni_min_u64(timeout_us, UINT64_MAX - now);
    bool last = false;

    if (ni->portals == NULL || ni_usable(ni) != NI_OK) {
        return ni->portals == NULL ? NI_PTL_NO_INIT : (int)NI_ERR_FORKED;
    }
    if (size == 0) {
        return NI_PTL_ARG_INVALID;
    }
    for (;;) {
        for (unsigned i = 0; i < size; i++) {
            if (has_ct_reached(cts[i], tests[i], event)) {
                *which = i;
                return NI_OK;
            }
        }
        if (last) {
            return NI_PTL_CT_NONE_REACHED;
        }
        /* Another thread may count, of which ni_wait here knows nothing. */
        (void)ni_wait(ni, ni_min_u64(end - now, NI_CT_LOOK_US));
        now = ni_now_ns() / 1000;
        last = now >= end;
    }
}

int ni_ct_wait(struct ni *ni, const struct ni_ct *ct, uint64_t test, struct ni_ct_event *event)
{
    struct ni_ct *one = (struct ni_ct *)(uintptr_t)ct;
    unsigned which;

    return ni_ct_poll(ni, &one, &test, 1, UINT64_MAX, event, &which);
}
