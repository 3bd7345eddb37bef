/* SPDX-License-Identifier: BSD-3-Clause */
#include "qp/pair.h"

/* Life of queue pairs, their targets, and when they are served. */

static void free_pair(struct ni_qpair *pair)
{
    ni_targets_free(&pair->targets);
    ni_free(pair);
}

void ni_qp_settle(struct ni_qpair *pair)
{
    if (pair->gone && !pair->serving && pair->units == 0) {
        free_pair(pair);
    }
}

/* ---- what the engine calls ------------------------------------------------------------------- */

static unsigned run_pairs(struct ni *ni)
{
    struct ni_list *head = &ni->qps->pairs, *next;
    unsigned events = 0;

    for (struct ni_list *node = head->next; node != head; node = next) {
        /* Nobody is called who could remove the next one: acks are our own. */
        next = node->next;
        events += ni_qp_serve(ni_container_of(node, struct ni_qpair, all));
    }
    return events;
}

static void release_pair(struct ni *ni, const struct ni_region_view *region)
{
    struct ni_qpair *pair = (struct ni_qpair *)(uintptr_t)region->object[0];

    pair->gone = true;
    ni_list_remove(&pair->all);
    if (ni_list_empty(&ni->qps->pairs)) {
        ni->untidy &= ~(uint32_t)NI_UNTIDY_QPS;
    }
    ni_qp_settle(pair);
}

static void close_qps(struct ni *ni)
{
    ni_free(ni->qps);
    ni->qps = NULL;
    ni->qp_ops = NULL;
}

static const struct ni_region_ops region_ops = {.release = release_pair,
                                                .under_progress_lock = true};

static const struct ni_command_ops ops = {.progress = run_pairs, .close = close_qps};

/* ---- making one ------------------------------------------------------------------------------ */

static bool is_ring(const void *ring, size_t align, uint32_t count)
{
    return ring != NULL && (uintptr_t)ring % align == 0 && count >= NI_QP_ENTRIES_MIN &&
           count <= NI_QP_ENTRIES && ni_is_pow2(count);
}

static bool is_attr(const struct ni_qp_attr *attr)
{
    return is_ring(attr->requests, sizeof(*attr->requests), attr->request_count) &&
           is_ring(attr->completions, sizeof(*attr->completions), attr->completion_count) &&
           attr->ends != NULL && (uintptr_t)attr->ends % _Alignof(struct ni_qp_ends) == 0 &&
           (attr->unroll == 0 || (attr->unroll >= NI_QP_UNROLL_MIN && ni_is_pow2(attr->unroll)));
}

static void clear_rings(const struct ni_qp_attr *attr)
{
    for (uint32_t i = 0; i < attr->request_count; i++) {
        for (unsigned w = 0; w < NI_ARRAY_LENGTH(attr->requests[i].word); w++) {
            ni_qp_store(&attr->requests[i].word[w], 0);
        }
    }
    for (uint32_t i = 0; i < attr->completion_count; i++) {
        ni_qp_store(&attr->completions[i].word[0], 0);
        ni_qp_store(&attr->completions[i].word[1], 0);
    }
    ni_qp_store(&attr->ends->taken, 0);
    ni_qp_store(&attr->ends->polled, 0);
}

static struct ni_qpair *new_pair(struct ni *ni, const struct ni_qp_attr *attr)
{
    struct ni_qpair *pair =
        ni_calloc(1, sizeof(*pair) + attr->completion_count * sizeof(pair->flights[0]));

    if (pair != NULL) {
        ni_list_init(&pair->all);
        pair->ni = ni;
        pair->attr = *attr;
        for (uint32_t i = attr->completion_count; i-- > 0;) {
            pair->flights[i].next = pair->free;
            pair->free = &pair->flights[i];
        }
        clear_rings(attr);
    }
    return pair;
}

/* The progress lock is ours. */
static ni_status open_qps(struct ni *ni)
{
    if (ni->qps == NULL) {
        ni->qps = ni_calloc(1, sizeof(*ni->qps));
        if (ni->qps == NULL) {
            return NI_ERR_NOMEM;
        }
        ni_list_init(&ni->qps->pairs);
        ni->qp_ops = &ops;
        ni_region_type_register(ni, NI_REGION_QP, &region_ops);
    }
    return NI_OK;
}

/* The progress lock is ours. */
static ni_status add_pair(struct ni *ni, const struct ni_qp_attr *attr, ni_handle *handle)
{
    struct ni_region_view view = {.type = NI_REGION_QP,
                                  .base = (uintptr_t)attr->requests,
                                  .len = attr->request_count * sizeof(*attr->requests)};
    struct ni_qpair *pair;
    struct ni_rkey rkey;
    ni_status status = open_qps(ni);

    if (status != NI_OK) {
        return status;
    }
    pair = new_pair(ni, attr);
    if (pair == NULL) {
        return NI_ERR_NOMEM;
    }
    view.object[0] = (uintptr_t)pair;
    status = ni_region_insert(ni, &view, &rkey);
    if (status != NI_OK) {
        free_pair(pair);
        return status;
    }
    ni_list_push_back(&ni->qps->pairs, &pair->all);
    ni->untidy |= NI_UNTIDY_QPS;
    *handle = rkey.handle;
    return NI_OK;
}

ni_status ni_qp_create(struct ni *ni, const struct ni_qp_attr *attr, ni_handle *qp)
{
    ni_status status = ni_usable(ni);
    bool taken;

    if (status != NI_OK) {
        return status;
    }
    if (attr == NULL || qp == NULL || !is_attr(attr)) {
        return NI_ERR_INVALID;
    }
    taken = ni_progress_lock_take(ni);
    status = add_pair(ni, attr, qp);
    ni_progress_lock_give(ni, taken);
    return status;
}

/* ---- targets, and the doorbell --------------------------------------------------------------- */

/* The progress lock is ours: it keeps the pair from being freed. */
static struct ni_qpair *find_pair(const struct ni *ni, ni_handle qp)
{
    struct ni_region_view view;

    return ni_region_view(ni, qp, NI_REGION_QP, &view)
               ? (struct ni_qpair *)(uintptr_t)view.object[0]
               : NULL;
}

static struct ni_targets *pair_targets(const struct ni *ni, ni_handle qp)
{
    struct ni_qpair *pair = find_pair(ni, qp);

    return pair != NULL ? &pair->targets : NULL;
}

ni_status ni_qp_target(struct ni *ni, ni_handle qp, struct ni_peer *peer,
                       const struct ni_rkey *rkey, uint16_t *target)
{
    return ni_targets_add(ni, qp, pair_targets, peer, rkey, target);
}

ni_status ni_qp_untarget(struct ni *ni, ni_handle qp, uint16_t target)
{
    return ni_targets_remove(ni, qp, pair_targets, target);
}

ni_status ni_qp_poke(struct ni *ni, ni_handle qp)
{
    struct ni_qpair *pair;
    ni_status status = ni_usable(ni);
    bool taken;

    if (status != NI_OK) {
        return status;
    }
    taken = ni_progress_lock_take(ni);
    pair = find_pair(ni, qp);
    if (pair != NULL) {
        (void)ni_qp_serve(pair);
    }
    ni_progress_lock_give(ni, taken);
    return pair != NULL ? NI_OK : NI_ERR_REGION;
}

const char *ni_qp_reason_text(enum ni_qp_reason reason)
{
    static const char *const texts[] = {
#define NI_QP_TEXT(name, text) [NI_QP_##name] = text,
        NI_QP_REASON_LIST(NI_QP_TEXT)
#undef NI_QP_TEXT
    };

    return (size_t)reason < NI_ARRAY_LENGTH(texts) ? texts[reason] : "unknown reason";
}
