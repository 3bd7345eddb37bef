/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/clock.h"
#include "portals/portals.h"

/*
 * Event queues that store events: a ring of slots, written by the thread that causes an event and
 * read by the thread that asks, under the queue's own lock. When it is full an event is lost, and
 * the next one that finds room says so.
 */

enum {
    NI_EQ_MOST = 1 << 24,
    NI_EQ_LOOK_US = 1000,
    NI_EQ_SPARE = 3, /* slots that flow control leaves: for PT_DISABLED, and what is under way */
};

struct ni_eq_slot {
    struct ni_event event;
    bool after_loss;
};

struct ni_eq_ring {
    struct ni *ni;
    const struct ni_eq *eq;
    struct ni_lock lock;
    uint64_t head, tail; /* events read and written */
    uint64_t mask;
    bool lost; /* an event, since the last one that was stored */
    struct ni_eq_slot slot[];
};

static void store_event(void *arg, const struct ni_event *event)
{
    struct ni_eq_ring *ring = arg;
    bool short_of_room;

    ni_lock_take(&ring->lock, ring->ni->threads);
    if (ring->tail - ring->head > ring->mask) {
        ring->lost = true;
    } else {
        struct ni_eq_slot *slot = &ring->slot[ring->tail++ & ring->mask];

        slot->event = *event;
        slot->after_loss = ring->lost;
        ring->lost = false;
    }
    short_of_room = ring->tail - ring->head + NI_EQ_SPARE > ring->mask;
    ni_lock_give(&ring->lock, ring->ni->threads);
    if (NI_UNLIKELY(short_of_room) && atomic_load_explicit(&ring->eq->flow, memory_order_relaxed)) {
        ni_pt_queue_full(ring->ni, ring->eq);
    }
}

int ni_eq_alloc(struct ni *ni, size_t count, struct ni_eq **made)
{
    struct ni_eq_ring *ring;
    uint64_t slots;
    int result;

    if (count == 0 || count > NI_EQ_MOST) {
        return NI_PTL_ARG_INVALID;
    }
    slots = ni_round_up_pow2(count);
    ring = ni_malloc(sizeof(*ring) + slots * sizeof(ring->slot[0]));
    if (ring == NULL) {
        return NI_PTL_NO_SPACE;
    }
    *ring = (struct ni_eq_ring){.ni = ni, .mask = slots - 1};
    result = ni_eq_make(ni, store_event, ring, made);
    if (result != NI_OK) {
        ni_free(ring);
        return result;
    }
    ring->eq = *made;
    (*made)->ring = ring;
    return NI_OK;
}

/* The oldest event, without looking for new ones. */
static int take_ring_event(struct ni_eq_ring *ring, struct ni_event *event)
{
    int result = NI_PTL_EQ_EMPTY;

    ni_lock_take(&ring->lock, ring->ni->threads);
    if (ring->head != ring->tail) {
        const struct ni_eq_slot *slot = &ring->slot[ring->head++ & ring->mask];

        *event = slot->event;
        result = slot->after_loss ? (int)NI_PTL_EQ_DROPPED : NI_OK;
    }
    ni_lock_give(&ring->lock, ring->ni->threads);
    return result;
}

static int take_first_event(struct ni_eq *const *eqs, unsigned size, struct ni_event *event,
                            unsigned *which)
{
    int result = NI_PTL_EQ_EMPTY;

    for (unsigned i = 0; i < size && result == NI_PTL_EQ_EMPTY; i++) {
        result = take_ring_event(eqs[i]->ring, event);
        *which = i;
    }
    return result;
}

static int check_queues(const struct ni *ni, struct ni_eq *const *eqs, unsigned size)
{
    if (ni->portals == NULL || ni_usable(ni) != NI_OK) {
        return ni->portals == NULL ? NI_PTL_NO_INIT : (int)NI_ERR_FORKED;
    }
    for (unsigned i = 0; i < size; i++) {
        if (eqs[i]->ring == NULL) {
            return NI_PTL_ARG_INVALID;
        }
    }
    return size != 0 ? NI_OK : NI_PTL_ARG_INVALID;
}

int ni_eq_poll(struct ni *ni, struct ni_eq *const *eqs, unsigned size, uint64_t timeout_us,
               struct ni_event *event, unsigned *which)
{
    uint64_t now = ni_now_ns() / 1000;
    uint64_t end = now + ni_min_u64(timeout_us, UINT64_MAX - now);
    int result = check_queues(ni, eqs, size);

    if (result != NI_OK) {
        return result;
    }
    for (;;) {
        result = take_first_event(eqs, size, event, which);
        if (result != NI_PTL_EQ_EMPTY) {
            return result;
        }
        /* Another thread may store an event, of which ni_wait here knows nothing. */
        (void)ni_wait(ni, ni_min_u64(end - now, NI_EQ_LOOK_US));
        result = take_first_event(eqs, size, event, which);
        now = ni_now_ns() / 1000;
        if (result != NI_PTL_EQ_EMPTY || now >= end) {
            return result;
        }
    }
}

int ni_eq_get(struct ni *ni, struct ni_eq *eq, struct ni_event *event)
{
    unsigned which;

    return ni_eq_poll(ni, &eq, 1, 0, event, &which);
}

int ni_eq_wait(struct ni *ni, struct ni_eq *eq, struct ni_event *event)
{
    unsigned which;

    return ni_eq_poll(ni, &eq, 1, UINT64_MAX, event, &which);
}
