/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/bulk/states.h"

#include "base/assert.h"

/*
 * The states of a long transfer.
 *
 *                    REQUEST               ANSWER
 *         ACCEPTED ----------> REQUESTED ----------> ANSWERED
 *          |   |  ^                |                    |
 *     SEND |   |  +----------------+----- GIVE_UP ------+
 *          |   | COPY        CLOSE
 *          |   +----> COPYING ----> CLOSED --> NOTING, LOST
 *          v              ^ COPY      |
 *       PACKETS           +-----------+
 *          ^            SEND          |
 *          +--------------------------+
 *
 * END leads from each to ENDED.
 */

static const uint8_t table[NI_BULK_STATES][NI_BULK_EVENTS] = {
    [NI_BULK_ACCEPTED] = {[NI_BULK_REQUEST] = NI_BULK_REQUESTED,
                          [NI_BULK_COPY] = NI_BULK_COPYING,
                          [NI_BULK_SEND] = NI_BULK_PACKETS,
                          [NI_BULK_NOTE] = NI_BULK_NOTING,
                          [NI_BULK_END] = NI_BULK_ENDED},
    [NI_BULK_REQUESTED] = {[NI_BULK_ANSWER] = NI_BULK_ANSWERED,
                           [NI_BULK_GIVE_UP] = NI_BULK_ACCEPTED,
                           [NI_BULK_END] = NI_BULK_ENDED},
    [NI_BULK_ANSWERED] = {[NI_BULK_GIVE_UP] = NI_BULK_ACCEPTED, [NI_BULK_END] = NI_BULK_ENDED},
    [NI_BULK_COPYING] = {[NI_BULK_CLOSE] = NI_BULK_CLOSED, [NI_BULK_END] = NI_BULK_ENDED},
    [NI_BULK_CLOSED] = {[NI_BULK_COPY] = NI_BULK_COPYING,
                        [NI_BULK_SEND] = NI_BULK_PACKETS,
                        [NI_BULK_NOTE] = NI_BULK_NOTING,
                        [NI_BULK_LOSE] = NI_BULK_LOST,
                        [NI_BULK_END] = NI_BULK_ENDED},
    [NI_BULK_PACKETS] = {[NI_BULK_END] = NI_BULK_ENDED},
    [NI_BULK_NOTING] = {[NI_BULK_END] = NI_BULK_ENDED},
    [NI_BULK_LOST] = {[NI_BULK_END] = NI_BULK_ENDED},
};

enum ni_bulk_state ni_bulk_next(enum ni_bulk_state state, enum ni_bulk_event event)
{
    return (enum ni_bulk_state)table[state][event];
}

/* The list of those in a state, or NULL. */
static struct ni_work *state_list(struct ni *ni, enum ni_bulk_state state)
{
    switch (state) {
    case NI_BULK_REQUESTED:
    case NI_BULK_ANSWERED:
        return &ni->bulk.requests;
    case NI_BULK_COPYING:
    case NI_BULK_CLOSED:
        return &ni->bulk.copying;
    default:
        return NULL;
    }
}

void ni_bulk_go(struct ni_op *op, enum ni_bulk_event event)
{
    struct ni *ni = op->peer->ni;
    enum ni_bulk_state next = ni_bulk_next(op->bulk->state, event);
    struct ni_work *from = state_list(ni, op->bulk->state);

    NI_ASSERT(next != NI_BULK_NEVER);
    if (from == NULL || from == state_list(ni, next)) {
        op->bulk->state = next;
        return;
    }
    ni_lock_take(&ni->lock, ni->threads);
    if (from == &ni->bulk.requests && ni_list_linked(&op->bulk->list)) {
        op->peer->bulk.requests--;
    }
    ni_work_remove(from, &op->bulk->list);
    op->bulk->state = next;
    ni_lock_give(&ni->lock, ni->threads);
}

void ni_bulk_list(struct ni_op *op)
{
    struct ni *ni = op->peer->ni;
    struct ni_work *work;

    ni_lock_take(&ni->lock, ni->threads);
    work = state_list(ni, op->bulk->state);
    if (work == &ni->bulk.requests) {
        op->peer->bulk.requests++;
    }
    ni_work_add(work, &op->bulk->list);
    ni_lock_give(&ni->lock, ni->threads);
}
