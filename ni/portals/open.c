/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/clock.h"
#include "portals/portals.h"

/* Life of what an NI needs to match, limits, statistics, and what was put off. */

enum { MANY = 1 << 30, NI_VOLATILE_USUAL = 4096 };

static struct ni_portal_task *next_task(struct ni *ni)
{
    struct ni_list *node;

    ni_lock_take(&ni->lock, ni->threads);
    node = ni->portal_work.items.next;
    if (node == &ni->portal_work.items) {
        node = NULL;
    } else {
        ni_work_remove(&ni->portal_work, node);
    }
    ni_lock_give(&ni->lock, ni->threads);
    return node == NULL ? NULL : ni_container_of(node, struct ni_portal_task, list);
}

static unsigned run_tasks(struct ni *ni)
{
    struct ni_portal_task *task;
    unsigned events = 0;

    /* Tasks may come back, or bring others: those are for the next call. */
    for (uint32_t n = ni_work_count(&ni->portal_work); n != 0; n--) {
        task = next_task(ni);
        if (task == NULL) {
            break;
        }
        task->run(ni, task);
        events++;
    }
    return events;
}

void ni_task_add(struct ni *ni, struct ni_portal_task *task,
                 void (*run)(struct ni *ni, struct ni_portal_task *task))
{
    ni_lock_take(&ni->lock, ni->threads);
    task->run = run;
    ni_work_add(&ni->portal_work, &task->list);
    ni_lock_give(&ni->lock, ni->threads);
}

/* The match lists count for themselves; what they counted is added up when somebody looks. */
static void add_up(struct ni *ni)
{
    const struct ni_portals *portals = ni->portals;
    struct ni_match_counts sum = {0};
    uint64_t posted = 0;

    ni_portals_lock(ni);
    for (unsigned i = 0; i < NI_PT_COUNT; i++) {
        const struct ni_pt *pt = portals->pt[i];

        if (pt != NULL) {
            ni_match_counts_add(&sum, &pt->past);
        }
        if (pt != NULL && pt->allocated) {
            ni_match_counts_add(&sum, &pt->posted.counts);
            ni_match_counts_add(&sum, &pt->unexpected.counts);
            posted += ni_stat_get(&pt->posted.length);
            if (pt->overflow != NULL) {
                ni_match_counts_add(&sum, &pt->overflow->counts);
            }
            ni_stat_max(&ni->stats.match_posted_max, ni_stat_get(&pt->posted.counts.most));
            ni_stat_max(&ni->stats.match_unexpected_max, ni_stat_get(&pt->unexpected.counts.most));
        }
    }
    ni_stat_set(&ni->stats.match_searches, ni_stat_get(&sum.searches));
    ni_stat_set(&ni->stats.match_attempts, ni_stat_get(&sum.attempts));
    ni_stat_set(&ni->stats.match_posted, posted);
    ni_stat_set(&ni->stats.match_ns, (uint64_t)ni_cycles_to_ns(ni_stat_get(&portals->cycles)));
    ni_portals_unlock(ni);
}

static void drop_all(struct ni *ni)
{
    struct ni_portals *portals = ni->portals;
    struct ni_unexpected *unexpected;

    for (uint32_t i = 0; (unexpected = ni_pool_next(&portals->unexpected, &i)) != NULL;) {
        ni_unexpected_free(ni, unexpected);
    }
    for (unsigned i = 0; i < NI_PT_COUNT; i++) {
        if (portals->pt[i] != NULL && portals->pt[i]->allocated) {
            ni_match_list_fini(&portals->pt[i]->posted);
            ni_match_headers_fini(&portals->pt[i]->unexpected);
            ni_pt_free_overflow(portals->pt[i]);
        }
        ni_free(portals->pt[i]);
    }
}

static void close_portals(struct ni *ni)
{
    struct ni_portals *portals = ni->portals;
    struct ni_list *node;

    while ((node = portals->own_puts.next) != &portals->own_puts) {
        ni_put_finish(ni, ni_container_of(node, struct ni_put, all), NI_NI_UNDELIVERABLE, 0, 0);
    }
    ni_work_init(&ni->portal_work);
    ni_triggers_close(ni);
    drop_all(ni);
    ni->portal_ops = NULL;
    ni_peer_ops_register(ni, NI_FOLDER_PORTALS, NULL);
    ni->portals = NULL;
    ni->ahead = 0;
    ni_pool_fini(&portals->entries);
    ni_pool_fini(&portals->unexpected);
    ni_pool_fini(&portals->puts);
    ni_pool_fini(&portals->triggered);
    ni_pool_fini(&portals->extras);
    while ((node = ni_list_pop_front(&portals->answers)) != NULL) {
        ni_free(ni_container_of(node, struct ni_answer, all));
    }
    ni_later_free(portals);
    ni_free(portals->map);
    while ((node = ni_list_pop_front(&portals->eqs)) != NULL) {
        ni_eq_release(ni_container_of(node, struct ni_eq, all));
    }
    while ((node = ni_list_pop_front(&portals->cts)) != NULL) {
        ni_free(ni_container_of(node, struct ni_ct, all));
    }
    ni_free(portals);
}

static bool is_inner(ni_done_fn fn)
{
    return fn == ni_unexpected_fetched || fn == ni_iovec_fetched || fn == ni_answer_done ||
           fn == ni_iovec_written;
}

/* The portal table entry in which something was matched last. */
static void look_ahead(struct ni *ni)
{
    struct ni_pt *pt = ni_pt_at(ni->portals, ni->ahead - 1);
    const struct ni_entry *next;

    ni->ahead = 0;
    if (pt != NULL) {
        next = (const void *)ni_match_list_ahead(&pt->posted);
        if (next != NULL) {
            __builtin_prefetch(next->user_ptr, 1); /* the program's request, most likely */
        }
        (void)ni_match_headers_ahead(&pt->unexpected);
    }
}

static const struct ni_portal_ops ops = {
    .arrive = ni_portals_arrive,
    .arrive_plain = ni_put_arrives_plain,
    .progress = run_tasks,
    .inner = is_inner,
    .ready = ni_later_ready,
    .tell = ni_later_tell,
    .share = ni_later_share,
    .ahead = look_ahead,
    .add_up = add_up,
    .close = close_portals,
};

static void fill_limit(uint32_t *limit, uint32_t usual)
{
    *limit = *limit != 0 ? *limit : usual;
}

/* No more than there is, which is the default. */
static void cut(uint64_t *limit, uint64_t most)
{
    *limit = *limit != 0 ? ni_min_u64(*limit, most) : most;
}

static void set_limits(struct ni_limits *limits, const struct ni_limits *desired)
{
    static const struct ni_limits none = {.max_msg_size = 0};

    *limits = desired != NULL ? *desired : none;
    fill_limit(&limits->max_entries, MANY);
    fill_limit(&limits->max_unexpected_headers, MANY);
    fill_limit(&limits->max_pt_index, NI_PT_COUNT - 1);
    fill_limit(&limits->max_iovecs, 1U << 20);
    fill_limit(&limits->max_triggered_ops, MANY);
    fill_limit(&limits->max_eqs, MANY);
    fill_limit(&limits->max_cts, MANY);
    limits->max_mds = UINT32_MAX;
    limits->max_list_size = limits->max_entries;
    limits->features = NI_TARGET_BIND_INACCESSIBLE | NI_COHERENT_ATOMICS;
    limits->max_volatile_size =
        limits->max_volatile_size != 0 ? limits->max_volatile_size : NI_VOLATILE_USUAL;
    limits->max_msg_size = limits->max_msg_size != 0 ? limits->max_msg_size : INT64_MAX;
    cut(&limits->max_atomic_size, NI_ATOMIC_MOST);
    cut(&limits->max_fetch_atomic_size, NI_ATOMIC_MOST);
    cut(&limits->max_waw_ordered_size, NI_PUT_ORDERED);
    cut(&limits->max_war_ordered_size, NI_REPLY_INLINE);
}

static bool limits_valid(const struct ni_limits *limits)
{
    return limits->max_entries <= MANY && limits->max_unexpected_headers <= MANY &&
           limits->max_pt_index < NI_PT_COUNT && limits->max_iovecs <= 1U << 20 &&
           limits->max_msg_size <= INT64_MAX && limits->max_triggered_ops <= MANY &&
           limits->max_eqs <= MANY && limits->max_cts <= MANY &&
           limits->max_volatile_size <= 1U << 20;
}

int ni_portals_open(struct ni *ni, const struct ni_limits *desired, struct ni_limits *actual)
{
    struct ni_portals *portals;
    struct ni_limits limits;
    ni_status status = ni_usable(ni);
    bool taken;

    set_limits(&limits, desired);
    if (status != NI_OK) {
        return status;
    }
    if (!limits_valid(&limits)) {
        return NI_PTL_ARG_INVALID;
    }
    if (ni->portals != NULL) {
        return NI_PTL_IN_USE;
    }
    portals = ni_aligned_zero(NI_CACHE_LINE, sizeof(*portals));
    if (portals == NULL) {
        return NI_PTL_NO_SPACE;
    }
    portals->limits = limits;
    ni_list_init(&portals->own_puts);
    ni_list_init(&portals->answers);
    ni_list_init(&portals->eqs);
    ni_list_init(&portals->cts);
    ni_list_init(&portals->ready);
    ni_list_init(&portals->trigger_task.list);
    if (ni_pool_init_packed(&portals->entries, sizeof(struct ni_entry), 0, limits.max_entries) !=
            NI_OK ||
        ni_pool_init(&portals->unexpected, sizeof(struct ni_unexpected), 0, 0) != NI_OK ||
        ni_pool_init(&portals->puts, sizeof(struct ni_put), 0, 0) != NI_OK ||
        ni_pool_init(&portals->extras, sizeof(struct ni_extra), 0, 0) != NI_OK ||
        ni_triggers_open(portals) != NI_OK) {
        ni_free(portals);
        return NI_PTL_NO_SPACE;
    }
    taken = ni_progress_lock_take(ni);
    ni->portals = portals;
    ni->portal_ops = &ops;
    ni_puts_register(ni);
    ni_progress_lock_give(ni, taken);
    if (actual != NULL) {
        *actual = limits;
    }
    return NI_OK;
}
