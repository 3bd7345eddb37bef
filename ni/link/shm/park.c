/* SPDX-License-Identifier: BSD-3-Clause */
#include "link/lane_inl.h"
#include "link/shm/shm.h"

/*
 * Lanes that are not polled. A poll that looked at the lanes of all peers would take the longer the
 * more of them there are, although most say nothing for long. So each tick reviews the lanes. When
 * nothing has come since the review before, the word `unpolled` of the lane is set; when nothing
 * has come by the next one either, the lane is parked: the engine does not look at it any more. A
 * sender that finds the word set behind its packet resets it and rings, in the line of our header
 * that each poll looks at anyway, and the lane is polled again.
 *
 * So a sender on a lane that is polled does what it does in any case: it loads one word that stays
 * in its cache. A few lanes are always polled, so that few peers never have to ring.
 *
 *   B1  The sender writes its packet and exchanges the word for 0 (acq_rel). The owner that loads
 *       0 (acquire) finds the packet, and does not park the lane.
 *   B2  The sender sets its bit (release). The owner takes the bits (acquire), and then finds both
 *       the word at 0 and the packet.
 *
 * There is no fence between the sender's packet and its look at the word, as there is none for
 * sleepers (progress.c). Its load may so come before the owner's store while the owner's last look
 * comes before the packet, although a tick lies between these two; and a sender may die between
 * B1 and B2, or reset what is another's. Therefore each review looks at the parked lanes, too, as
 * does the process that is about to sleep: whatever became of the bell, a packet is found a tick
 * later.
 *
 * A sleeper sets the words of all lanes, because senders look at no other; each rings once then.
 * The owner never resets a word: a bell too many costs little.
 */

enum { POLLED_ALWAYS = 2 }; /* lanes, whether quiet or not */

/* The peer of a seat that has a lane, or NULL. */
static struct ni_shm_peer *lane_of(const struct ni_shm_link *link, uint32_t seat)
{
    const struct ni_shm_seat *info = &link->seats[seat];

    return info->phase == NI_SHM_ACTIVE && info->peer->in_lane ? info->peer : NULL;
}

static bool shm_lane_has_packet(const struct ni_shm_peer *peer)
{
    return ni_lane_has_packet(&peer->rx);
}

void ni_shm_lane_started(struct ni_shm_peer *peer)
{
    peer->in_parked = false;
    peer->in_announced = false;
    peer->in_reviewed = peer->rx.seq;
    peer->link->polled++;
}

void ni_shm_lane_stops(struct ni_shm_peer *peer)
{
    peer->link->polled -= !peer->in_parked;
    peer->in_parked = false;
}

void ni_shm_unpark(struct ni_shm_peer *peer)
{
    struct ni_shm_link *link = peer->link;

    if (peer->in_parked) {
        peer->in_parked = false;
        peer->in_announced = false;
        link->polled++;
        link->core_ops->lane_unpark(link->core, &peer->rx);
    }
}

void ni_shm_answer_bells(struct ni_shm_link *link)
{
    /* Acquire: pairs with B2. */
    uint64_t bells = atomic_exchange_explicit(&link->header->bells, 0, memory_order_acquire);

    for (; bells != 0; bells &= bells - 1) {
        for (uint32_t seat = (uint32_t)__builtin_ctzll(bells); seat < link->seats_known;
             seat += 64) {
            struct ni_shm_peer *peer = lane_of(link, seat);

            if (peer != NULL &&
                atomic_load_explicit(&peer->rx.page->unpolled, memory_order_relaxed) == 0) {
                ni_shm_unpark(peer);
            }
        }
    }
}

/* Nothing has come since the review before. */
static void park(struct ni_shm_link *link, struct ni_shm_peer *peer)
{
    _Atomic uint32_t *word = &peer->rx.page->unpolled;

    if (!peer->in_announced) {
        atomic_store_explicit(word, 1, memory_order_relaxed);
        peer->in_announced = true;
        return;
    }
    /* Acquire: pairs with B1. */
    if (atomic_load_explicit(word, memory_order_acquire) == 0 || shm_lane_has_packet(peer)) {
        peer->in_announced = false;
        return;
    }
    if (link->core_ops->lane_park(link->core, &peer->rx)) {
        peer->in_parked = true;
        link->polled--;
    }
}

void ni_shm_park_quiet(struct ni_shm_link *link)
{
    for (uint32_t seat = 0; seat < link->seats_known; seat++) {
        struct ni_shm_peer *peer = lane_of(link, seat);

        if (peer == NULL) {
            continue;
        }
        if (peer->in_parked) {
            if (shm_lane_has_packet(peer)) {
                ni_shm_unpark(peer);
            }
        } else if (peer->rx.seq != peer->in_reviewed || peer->ending != NI_OK) {
            peer->in_reviewed = peer->rx.seq;
            peer->in_announced = false;
        } else if (link->polled > POLLED_ALWAYS) {
            park(link, peer);
        }
    }
}

void ni_shm_announce_sleep(struct ni_shm_link *link)
{
    for (uint32_t seat = 0; seat < link->seats_known; seat++) {
        const struct ni_shm_peer *peer = lane_of(link, seat);

        /* Where it is set already its line stays with the sender. */
        if (peer != NULL &&
            atomic_load_explicit(&peer->rx.page->unpolled, memory_order_relaxed) == 0) {
            atomic_store_explicit(&peer->rx.page->unpolled, 1, memory_order_relaxed);
        }
    }
}

bool ni_shm_parked_have(struct ni_shm_link *link)
{
    bool found = false;

    for (uint32_t seat = 0; seat < link->seats_known; seat++) {
        struct ni_shm_peer *peer = lane_of(link, seat);

        if (peer != NULL && peer->in_parked && shm_lane_has_packet(peer)) {
            ni_shm_unpark(peer);
            found = true;
        }
    }
    return found;
}

void ni_shm_ring(struct ni_shm_peer *peer)
{
    struct ni_shm_segment *segment = atomic_load_explicit(&peer->segment, memory_order_relaxed);
    uint32_t seat = (uint32_t)atomic_load_explicit(&peer->out_seat, memory_order_relaxed) - 1;

    if (peer->ep.tx.lines == NULL ||
        /* B1 */
        atomic_exchange_explicit(&peer->out_area->page->unpolled, 0, memory_order_acq_rel) == 0) {
        return;
    }
    /* B2 */
    atomic_fetch_or_explicit(&segment->header->bells, UINT64_C(1) << seat % 64,
                             memory_order_release);
}
