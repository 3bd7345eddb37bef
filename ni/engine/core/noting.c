/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/core/noting.h"

#include "base/alloc.h"
#include "engine/core/bulk.h"
#include "engine/core/engine_thread.h"

/* How the departure of a Write is told. */

/* It cannot be told here: the caller holds locks. */
void ni_noting_depart(struct ni *ni, struct ni_noting *noting)
{
    ni_lock_take(&ni->lock, ni->threads);
    if (ni_list_empty(&ni->core.departed)) {
        ni_work_raise(&ni->send.busy);
    }
    ni_list_push_back(&ni->core.departed, &noting->list);
    ni_lock_give(&ni->lock, ni->threads);
    ni_engine_kick(ni);
}

/* Its operation knows it no longer; what is to be told of it, if anything. */
static bool part_noting(struct ni_noting *noting, struct ni_end *also)
{
    bool departs = noting->departs;

    *also = (struct ni_end){.ack = noting->departed,
                            .status = noting->status,
                            .value = noting->status == NI_OK ? noting->len : 0};
    noting->op->bulk->noting = NULL;
    ni_free(noting);
    return departs;
}

/* One less waits in ni->core.departed. */
static void count_off(struct ni *ni)
{
    if (ni_list_empty(&ni->core.departed)) {
        ni_work_lower(&ni->send.busy);
    }
}

bool ni_noting_end(struct ni *ni, struct ni_noting *noting, ni_status status, struct ni_end *also)
{
    if (!ni_list_linked(&noting->list)) {
        noting->status = status;
    } else {
        ni_list_remove(&noting->list);
        count_off(ni);
    }
    return part_noting(noting, also);
}

unsigned ni_noting_deliver(struct ni *ni)
{
    struct ni_list *node;
    unsigned events = 0;

    do {
        struct ni_end also;
        bool departs = false;

        ni_lock_take(&ni->lock, ni->threads);
        node = ni_list_pop_front(&ni->core.departed);
        if (node != NULL) {
            departs = part_noting(ni_container_of(node, struct ni_noting, list), &also);
            count_off(ni);
        }
        ni_lock_give(&ni->lock, ni->threads);
        if (departs) {
            ni_ack_deliver(ni, &also.ack, also.status, also.value);
        }
        events += node != NULL;
    } while (node != NULL);
    return events;
}
