/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/core/noting.h"

#include "base/alloc.h"
#include "engine/core/engine_thread.h"

/* How the departure of a Write is told. */

void ni_noting_end(struct ni *ni, struct ni_noting *noting)
{
    if (noting->departs) {
        ni_ack_deliver(ni, &noting->departed, noting->status,
                       noting->status == NI_OK ? noting->len : 0);
    }
    ni_free(noting);
}

/* It cannot be told here: the caller holds locks. */
void ni_noting_depart(struct ni *ni, struct ni_noting *noting)
{
    ni_lock_take(&ni->lock, ni->threads);
    if (ni_list_empty(&ni->departed)) {
        ni_work_raise(&ni->busy);
    }
    ni_list_push_back(&ni->departed, &noting->list);
    ni_lock_give(&ni->lock, ni->threads);
    ni_engine_kick(ni);
}

struct ni_noting *ni_noting_take(struct ni_op *op, ni_status status)
{
    struct ni *ni = op->peer->ni;
    struct ni_noting *noting = op->noting;

    if (NI_LIKELY(noting == NULL)) {
        return NULL;
    }
    if (!ni_list_linked(&noting->list)) {
        noting->status = status;
    } else {
        ni_list_remove(&noting->list);
        if (ni_list_empty(&ni->departed)) {
            ni_work_lower(&ni->busy);
        }
    }
    op->noting = NULL;
    return noting;
}

unsigned ni_noting_deliver(struct ni *ni)
{
    struct ni_list *node;
    unsigned events = 0;

    do {
        ni_lock_take(&ni->lock, ni->threads);
        node = ni_list_pop_front(&ni->departed);
        if (node != NULL) {
            ni_container_of(node, struct ni_noting, list)->op->noting = NULL;
            if (ni_list_empty(&ni->departed)) {
                ni_work_lower(&ni->busy);
            }
        }
        ni_lock_give(&ni->lock, ni->threads);
        if (node != NULL) {
            ni_noting_end(ni, ni_container_of(node, struct ni_noting, list));
            events++;
        }
    } while (node != NULL);
    return events;
}
