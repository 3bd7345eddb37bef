/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "base/alloc.h"
#include "base/fault_inl.h"
#include "link/ucx/ucx.h"

/*
 * Faults that strike messages with packets after UCX has handed them over.
 *
 *   DROP       the message goes nowhere; what it would have filled stays empty
 *   DELAY      it is kept for DELAY_STEPS polls, and others of the same sender overtake it
 *   TRUNCATE   it is shorter than its header says
 *   CORRUPT    the header of its first packet is damaged
 *   DUP        it arrives twice
 *
 * A message whose payload is with the sender still comes late by itself, and can be fetched once:
 * it is neither delayed nor repeated.
 */

enum { DELAY_STEPS = 16 };

/* A message that waits. Its sender is known by the token in the header: it may be given up
 * meanwhile. */
struct late {
    struct ni_list list; /* in the link's late ones */
    uint32_t steps;
    struct ni_ucx_message message;
    uint8_t data[];
};

static bool delay(struct ni_ucx_link *link, const struct ni_ucx_message *message)
{
    struct late *late = ni_malloc(sizeof(*late) + message->len);

    if (late == NULL) {
        return false;
    }
    late->steps = DELAY_STEPS;
    late->message = *message;
    late->message.data = late->data;
    if (message->len != 0) {
        memcpy(late->data, message->data, message->len);
    }
    ni_list_push_back(&link->late, &late->list);
    (void)atomic_fetch_add_explicit(&link->late_count, 1, memory_order_relaxed);
    return true;
}

/* Damage the first packet. What UCX has of several lines is copied first, to *copy. */
static void damage(struct ni_ucx_message *message, uint8_t **copy)
{
    if (message->bulk.head.type == NI_UCX_BULK) {
        message->bulk.line[1] = ~message->bulk.line[1];
    } else if (message->here && message->len >= NI_LINE &&
               (*copy = ni_aligned(NI_LINE, message->len)) != NULL) {
        memcpy(*copy, message->data, message->len);
        ni_packet_damage((struct ni_packet *)(void *)*copy);
        message->data = *copy;
    }
}

ucs_status_t ni_ucx_strike(struct ni_ucx_peer *peer, const struct ni_ucx_message *message)
{
    struct ni_ucx_message struck = *message;
    uint8_t *copy = NULL;
    ucs_status_t status;

    if (ni_fault(NI_FAULT_DROP)) {
        ni_ucx_lost(peer, &message->bulk.head);
        return UCS_OK;
    }
    if (message->here && ni_fault(NI_FAULT_DELAY) && delay(peer->link, message)) {
        return UCS_OK;
    }
    if (message->len != 0 && ni_fault(NI_FAULT_TRUNCATE)) {
        struck.len = (message->bulk.head.position * UINT64_C(2654435761)) % message->len;
    }
    if (ni_fault(NI_FAULT_CORRUPT)) {
        damage(&struck, &copy);
    }
    if (message->here && ni_fault(NI_FAULT_DUP)) {
        (void)ni_ucx_take(peer, &struck);
    }
    status = ni_ucx_take(peer, &struck);
    ni_free(copy);
    return status;
}

static void forget_late(struct ni_ucx_link *link, struct late *late)
{
    ni_list_remove(&late->list);
    (void)atomic_fetch_sub_explicit(&link->late_count, 1, memory_order_relaxed);
    ni_free(late);
}

void ni_ucx_late(struct ni_ucx_link *link)
{
    for (NI_LIST_EACH_SAFE(node, &link->late)) {
        struct late *late = ni_container_of(node, struct late, list);
        struct ni_ucx_peer *peer;

        if (--late->steps == 0) {
            peer = ni_ucx_peer_named(link, late->message.bulk.head.token);
            if (peer != NULL) {
                (void)ni_ucx_take(peer, &late->message);
            }
            forget_late(link, late);
        }
    }
}

void ni_ucx_late_forget(struct ni_ucx_link *link)
{
    for (NI_LIST_EACH_SAFE(node, &link->late)) {
        forget_late(link, ni_container_of(node, struct late, list));
    }
}
