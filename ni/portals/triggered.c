/* SPDX-License-Identifier: BSD-3-Clause */
#include "portals/trigger.h"

/* When operations are triggered, and who runs them: see trigger.h. */

/* ---- running --------------------------------------------------------------------------------- */

static void free_trigger(struct ni *ni, struct ni_trigger *trigger)
{
    ni_stat_set(&ni->stats.match_triggered, --ni->portals->triggers);
    ni_pool_put(&ni->portals->triggered, trigger);
}

/* portals->lock is held. */
static void drop_trigger(struct ni *ni, struct ni_trigger *trigger)
{
    if (trigger->kind->drop != NULL) {
        trigger->kind->drop(ni, trigger);
    }
    free_trigger(ni, trigger);
}

static void run_ready(struct ni *ni);

/* What found no memory tries again. */
static void run_later(struct ni *ni, struct ni_portal_task *task)
{
    (void)task;
    run_ready(ni);
}

/* Run the first one, which is out of the list, with portals->lock held and given back meanwhile. */
static int run_one(struct ni *ni, struct ni_trigger *trigger)
{
    int result;

    if (ni->closing || ni_usable(ni) != NI_OK) {
        drop_trigger(ni, trigger);
        return NI_OK;
    }
    ni_portals_unlock(ni);
    result = trigger->kind->run(ni, trigger);
    ni_portals_lock(ni);
    if (result == NI_PTL_NO_SPACE) {
        ni_list_push_front(&ni->portals->ready, &trigger->ready);
    } else {
        free_trigger(ni, trigger);
        ni_stat_add(&ni->stats.match_fired, 1);
    }
    return result;
}

static void run_ready(struct ni *ni)
{
    struct ni_portals *portals = ni->portals;
    struct ni_list *node;
    int result = NI_OK;

    ni_portals_lock(ni);
    if (portals->notices) {
        ni_portals_unlock(ni);
        return;
    }
    portals->notices = true;
    while (result != NI_PTL_NO_SPACE && (node = ni_list_pop_front(&portals->ready)) != NULL) {
        result = run_one(ni, ni_container_of(node, struct ni_trigger, ready));
    }
    portals->notices = false;
    ni_portals_unlock(ni);
    if (result == NI_PTL_NO_SPACE) {
        ni_task_add(ni, &portals->trigger_task, run_later);
    }
}

/* ---- counters -------------------------------------------------------------------------------- */

/* Edge T: see trigger.h. */
static uint64_t total(const struct ni_ct *ct)
{
    uint64_t success = atomic_load_explicit(&ct->success, memory_order_seq_cst);
    uint64_t failure = atomic_load_explicit(&ct->failure, memory_order_seq_cst);

    return success + ni_min_u64(failure, UINT64_MAX - success);
}

static void set_next(struct ni_ct *ct)
{
    uint64_t next = ct->waiting != NULL ? ct->waiting->threshold : NI_CT_NEVER;

    atomic_store_explicit(&ct->next, next, memory_order_seq_cst);
}

/* Make ready what the counter has reached. portals->lock is held. */
static bool collect_triggers(struct ni *ni, struct ni_ct *ct)
{
    uint64_t count = total(ct);
    bool any = false;

    while (ct->waiting != NULL && ct->waiting->threshold <= count) {
        struct ni_trigger *trigger = ni_trigger_take(&ct->waiting);

        ni_list_init(&trigger->ready);
        ni_list_push_back(&ni->portals->ready, &trigger->ready);
        any = true;
    }
    set_next(ct);
    return any;
}

void ni_ct_trigger(struct ni_ct *ct)
{
    struct ni *ni = ct->ni;
    bool any;

    if (total(ct) < atomic_load_explicit(&ct->next, memory_order_seq_cst)) {
        return;
    }
    ni_portals_lock(ni);
    any = collect_triggers(ni, ct);
    ni_portals_unlock(ni);
    if (any) {
        run_ready(ni);
    }
}

void ni_ct_drop_triggered(struct ni *ni, struct ni_ct *ct)
{
    while (ct->waiting != NULL) {
        drop_trigger(ni, ni_trigger_take(&ct->waiting));
    }
    set_next(ct);
}

int ni_ct_cancel_triggered(struct ni *ni, struct ni_ct *ct)
{
    if (ni->portals == NULL) {
        return NI_PTL_NO_INIT;
    }
    ni_portals_lock(ni);
    ni_ct_drop_triggered(ni, ct);
    ni_portals_unlock(ni);
    return NI_OK;
}

ni_status ni_triggers_open(struct ni_portals *portals)
{
    return ni_pool_init(&portals->triggered, sizeof(struct ni_trigger), 0,
                        portals->limits.max_triggered_ops);
}

void ni_triggers_close(struct ni *ni)
{
    struct ni_list *node;

    while ((node = ni_list_pop_front(&ni->portals->ready)) != NULL) {
        drop_trigger(ni, ni_container_of(node, struct ni_trigger, ready));
    }
}

/* ---- arming ---------------------------------------------------------------------------------- */

struct ni_trigger *ni_trigger_new(struct ni *ni, const struct ni_trigger_kind *kind)
{
    struct ni_portals *portals = ni->portals;
    struct ni_trigger *trigger = ni_pool_get(&portals->triggered);

    if (trigger != NULL) {
        trigger->kind = kind;
        trigger->age = portals->trigger_age++;
        ni_stat_set(&ni->stats.match_triggered, ++portals->triggers);
    }
    return trigger;
}

void ni_trigger_arm(struct ni *ni, struct ni_trigger *trigger, struct ni_ct *ct, uint64_t threshold)
{
    bool any;

    trigger->threshold = ni_min_u64(threshold, NI_CT_NEVER - 1);
    ni_portals_lock(ni);
    ni_trigger_insert(&ct->waiting, trigger);
    set_next(ct);
    any = collect_triggers(ni, ct);
    ni_portals_unlock(ni);
    if (any) {
        run_ready(ni);
    }
}
