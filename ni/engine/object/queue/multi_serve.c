/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/object/queue/multi.h"
#include "engine/core/op.h"
#include "engine/object/queue/queue.h"

/* Multi-reader queues: items matched with requests. */

/* ---- requests -------------------------------------------------------------------------------- */

static void drop_multi_request(struct ni_multi *multi, struct ni_multi_request *request)
{
    ni_list_remove(&request->list);
    multi->unreported -= ni_multi_is_served(request);
    ni_pool_put(&multi->pool, request);
    ni_stat_sub(&multi->ni->stats.queue_requests, 1);
}

static bool is_dead(const struct ni_multi_request *request)
{
    return request->peer != NULL && ni_peer_state(request->peer) != NI_OK;
}

static void drop_dead(struct ni_multi *multi)
{
    for (NI_LIST_EACH_SAFE(node, &multi->requests)) {
        struct ni_multi_request *request = ni_container_of(node, struct ni_multi_request, list);

        if (is_dead(request)) {
            drop_multi_request(multi, request);
        }
    }
}

static struct ni_multi_request *new_request(struct ni_multi *multi)
{
    struct ni_multi_request *request;

    if (NI_UNLIKELY(ni_pool_out(&multi->pool) == multi->queue.capacity)) {
        drop_dead(multi);
    }
    request = ni_pool_get(&multi->pool);
    if (request != NULL) {
        *request = (struct ni_multi_request){.peer = NULL};
        ni_list_init(&request->list);
        ni_list_push_back(&multi->requests, &request->list);
        ni_last_queue_forget(multi->ni, multi->handle);
        ni_stat_add(&multi->ni->stats.queue_requests, 1);
    }
    return request;
}

static ni_status no_request(const struct ni_multi *multi)
{
    return ni_pool_out(&multi->pool) == multi->queue.capacity ? NI_AGAIN : NI_ERR_NOMEM;
}

/* There is something that found no room. */
static void finish_later(struct ni_multi *multi)
{
    if (!ni_list_linked(&multi->unfinished)) {
        ni_list_push_back(&multi->ni->object.multis, &multi->unfinished);
        multi->ni->untidy |= NI_UNTIDY_QUEUES;
    }
}

/* ---- matching -------------------------------------------------------------------------------- */

/* A request of many has all its items: it is told, now or later. */
static void tell_served(struct ni_multi *multi, struct ni_multi_request *request)
{
    if (ni_multi_answer(request, NI_OK, NULL, 0)) {
        drop_multi_request(multi, request);
    } else {
        finish_later(multi);
    }
}

/* One of many goes to the reader's queue. What is left of the request waits behind the others. */
static bool give_one_of_many(struct ni_multi *multi, struct ni_multi_request *request,
                             const void *item)
{
    if (!ni_multi_send_on(request, item, multi->queue.item)) {
        return false;
    }
    ni_list_remove(&request->list);
    ni_list_push_back(&multi->requests, &request->list);
    if (--request->left == 0) {
        multi->unreported++;
        tell_served(multi, request);
    }
    return true;
}

/* Give an item to a request, which is over then; false: its peer takes nothing now. */
static bool give_item(struct ni_multi *multi, struct ni_multi_request *request, const void *item,
                      struct ni_ack *ours)
{
    if (request->to != 0) {
        return give_one_of_many(multi, request, item);
    }
    if (request->peer == NULL) {
        ni_item_copy(request->dst, item, multi->queue.item);
        *ours = request->ack;
    } else if (!ni_multi_answer(request, NI_OK, item, multi->queue.item)) {
        return false;
    }
    drop_multi_request(multi, request);
    return true;
}

/* Give an item to the oldest request that can have it: not one of a peer for which an older one
 * found no room, or its requests would change places. */
static bool match(struct ni_multi *multi, const void *item, struct ni_ack *ours)
{
    uint64_t pass = ++multi->ni->object.multi_pass;

    for (NI_LIST_EACH_SAFE(node, &multi->requests)) {
        struct ni_multi_request *request = ni_container_of(node, struct ni_multi_request, list);
        struct ni_peer *peer = request->peer;

        if (NI_UNLIKELY(is_dead(request))) {
            drop_multi_request(multi, request);
        } else if ((peer == NULL || peer->object.multi_pass != pass) &&
                   !ni_multi_is_served(request)) {
            if (NI_LIKELY(give_item(multi, request, item, ours))) {
                return true;
            }
            peer->object.multi_pass = pass;
        }
    }
    return false;
}

ni_status ni_multi_push(struct ni_multi *multi, const void *item, size_t len)
{
    struct ni_ack ours = {.kind = NI_ACK_NONE};
    struct ni *ni = multi->ni;

    if (len != multi->queue.item) {
        return NI_ERR_BOUNDS;
    }
    if (ni_queue_items(&multi->queue) == 0 && !ni_list_empty(&multi->requests) &&
        match(multi, item, &ours)) {
        ni_ack_deliver(ni, &ours, NI_OK, len);
        return NI_OK;
    }
    if (!ni_queue_push_item(&multi->queue, item)) {
        return NI_AGAIN;
    }
    if (!ni_list_empty(&multi->requests)) {
        finish_later(multi);
    }
    return NI_OK;
}

/* A request that has found its place in the list. */
static void note_waiting(struct ni_multi *multi)
{
    if (ni_queue_items(&multi->queue) != 0) {
        finish_later(multi);
    } else {
        ni_stat_add(&multi->ni->stats.queue_early, 1);
    }
}

ni_status ni_multi_ask(struct ni_multi *multi, const struct ni_multi_request *model)
{
    struct ni_ack none = {.kind = NI_ACK_NONE};
    struct ni_multi_request *request;
    bool first = ni_list_empty(&multi->requests);

    if (ni_queue_items(&multi->queue) != 0 && first && model->to == 0 &&
        ni_multi_answer(model, NI_OK, ni_queue_first(&multi->queue), multi->queue.item)) {
        ni_queue_step(&multi->queue, 1);
        return NI_OK;
    }
    request = new_request(multi);
    if (request == NULL) {
        return no_request(multi);
    }
    ni_peer_name(model->peer);
    request->peer = model->peer;
    request->token = model->token;
    request->to = model->to;
    request->left = model->left;
    request->read = model->read;
    while (first && model->to != 0 && ni_queue_items(&multi->queue) != 0 &&
           match(multi, ni_queue_first(&multi->queue), &none)) {
        ni_queue_step(&multi->queue, 1);
    }
    if (!ni_list_empty(&multi->requests)) {
        note_waiting(multi);
    }
    return NI_OK;
}

ni_status ni_multi_ask_here(struct ni_multi *multi, void *dst, const struct ni_ack *ack,
                            uint64_t *token)
{
    struct ni *ni = multi->ni;
    struct ni_multi_request *request;
    size_t len = multi->queue.item;

    if (ni_list_empty(&multi->requests) && ni_queue_items(&multi->queue) != 0) {
        ni_item_copy(dst, ni_queue_first(&multi->queue), len);
        ni_queue_step(&multi->queue, 1);
        *token = 0;
        ni_ack_deliver(ni, ack, NI_OK, len);
        return NI_OK;
    }
    request = new_request(multi);
    if (request == NULL) {
        return no_request(multi);
    }
    *token = ni_pool_token(&multi->pool, request);
    request->token = *token;
    request->dst = dst;
    if (ack != NULL) {
        request->ack = *ack;
    }
    note_waiting(multi);
    return NI_OK;
}

bool ni_multi_forget(struct ni_multi *multi, const struct ni_peer *peer, uint64_t token,
                     struct ni_ack *ack)
{
    for (NI_LIST_EACH(node, &multi->requests)) {
        struct ni_multi_request *request = ni_container_of(node, struct ni_multi_request, list);

        if (request->peer == peer && request->token == token && !ni_multi_is_served(request)) {
            *ack = request->ack;
            drop_multi_request(multi, request);
            return true;
        }
    }
    return false;
}

bool ni_multi_refuse(struct ni_multi *multi)
{
    struct ni *ni = multi->ni;

    for (NI_LIST_EACH_SAFE(node, &multi->requests)) {
        struct ni_multi_request *request = ni_container_of(node, struct ni_multi_request, list);

        ni_status status = ni_multi_is_served(request) ? NI_OK : NI_ERR_REGION;

        if (is_dead(request) || ni_multi_answer(request, status, NULL, 0)) {
            drop_multi_request(multi, request);
        }
    }
    if (!ni_list_empty(&multi->requests)) {
        ni_list_remove(&multi->unfinished);
        ni_list_push_back(&ni->object.multis, &multi->unfinished);
        ni->untidy |= NI_UNTIDY_QUEUES;
        return false;
    }
    return true;
}

/* ---- what found no room ---------------------------------------------------------------------- */

/* One item for one request; false: nothing to do, or no room. The queue may be gone afterwards. */
static bool serve_one(struct ni_multi *multi)
{
    struct ni_ack ours = {.kind = NI_ACK_NONE};
    size_t len = multi->queue.item;
    struct ni *ni = multi->ni;

    if (ni_queue_items(&multi->queue) == 0 || !match(multi, ni_queue_first(&multi->queue), &ours)) {
        return false;
    }
    ni_queue_step(&multi->queue, 1);
    ni_ack_deliver(ni, &ours, NI_OK, len);
    return true;
}

/* Requests of many that have all and could not be told. */
static void tell_all_served(struct ni_multi *multi)
{
    for (NI_LIST_EACH_SAFE(node, &multi->requests)) {
        struct ni_multi_request *request = ni_container_of(node, struct ni_multi_request, list);

        if (is_dead(request)) {
            drop_multi_request(multi, request);
        } else if (ni_multi_is_served(request)) {
            tell_served(multi, request);
        }
    }
}

static unsigned serve_multi(struct ni *ni, struct ni_multi *multi)
{
    ni_handle handle = multi->handle;
    unsigned events = 0;

    if (multi->gone) {
        ni_multi_close(multi);
        return 0;
    }
    while (serve_one(multi)) {
        events++;
        multi = ni_multi_find(ni, handle);
        if (multi == NULL) {
            return events;
        }
    }
    if (multi->unreported != 0) {
        tell_all_served(multi);
    }
    if (ni_queue_items(&multi->queue) != 0 && !ni_list_empty(&multi->requests)) {
        finish_later(multi);
    }
    return events;
}

unsigned ni_multis_progress(struct ni *ni)
{
    struct ni_list pass, *node;
    unsigned events = 0;

    ni_list_init(&pass);
    ni_list_splice_back(&pass, &ni->object.multis);
    while ((node = ni_list_pop_front(&pass)) != NULL) {
        events += serve_multi(ni, ni_container_of(node, struct ni_multi, unfinished));
    }
    if (ni_list_empty(&ni->object.multis)) {
        ni->untidy &= ~(uint32_t)NI_UNTIDY_QUEUES;
    }
    return events;
}
