/* SPDX-License-Identifier: BSD-3-Clause */
#include "link/shm/shm.h"

/* The end of what comes from a sender: whether all of it was read, and that no more is. */

bool ni_shm_drained(struct ni_shm_peer *peer)
{
    if (peer->in_seat < 0) {
        return true;
    }
    if (ni_shm_slots_has(peer->link, (uint32_t)peer->in_seat, peer->in_number)) {
        return false;
    }
    return ni_shm_lanes_drained(peer);
}

void ni_shm_in_stop(struct ni_shm_peer *peer, enum ni_shm_seat_state state)
{
    struct ni_shm_link *link = peer->link;
    struct ni_shm_segment *theirs = atomic_load_explicit(&peer->segment, memory_order_acquire);
    _Atomic uint64_t *word;
    uint64_t seen;

    if (peer->in_seat < 0) {
        return;
    }
    ni_shm_rails_stop(peer);
    if (peer->in_lane) {
        bool reading = peer->rx.depth != 0;

        ni_shm_lane_stops(peer);
        link->core_ops->lane_remove(link->core, &peer->rx);
        if (reading) {
            ni_shm_bury(link, peer->in_area, NULL);
        } else {
            ni_shm_area_put(peer->in_area);
        }
    }
    word = &link->segment->seat_words[peer->in_seat];
    seen = atomic_load_explicit(word, memory_order_relaxed);
    if (ni_shm_seat_state(seen) == NI_SHM_SEAT_OPEN) {
        /* Relaxed: says nothing about other memory. */
        (void)atomic_compare_exchange_strong_explicit(
            word, &seen, ni_shm_seat_word(state, ni_shm_seat_generation(seen)),
            memory_order_relaxed, memory_order_relaxed);
    }
    link->seats[peer->in_seat] = (struct ni_shm_seat){.phase = NI_SHM_DEAF};
    peer->in_seat = -1;
    peer->in_lane = false;
    peer->in_area = NULL;
    if (theirs != NULL) {
        ni_shm_attention(theirs);
    }
}
