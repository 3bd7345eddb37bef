/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/remedy.h"
#include "link/lane_inl.h"
#include "link/shm/shm.h"

/*
 * Packets in, until there is a lane. The doorbell says which slots to look at; a bit stays in
 * link->pending as long as a slot of it holds a packet whose turn has not come, or which the core
 * could not take.
 *
 * Words are loaded once. What does not fit together is dropped: the worst that a bad word costs is
 * the sender's own packets, and the slot until the sender's seat is freed.
 */

enum outcome {
    DONE,  /* nothing more to do for this slot */
    TAKEN, /* the same, and a packet was delivered */
    KEEP,  /* its turn comes when another packet has come */
    RETRY, /* try again at the next poll */
};

static void free_slot(struct ni_shm_link *link, uint32_t slot, uint64_t word)
{
    /* Q2. Not if somebody has written something else there meanwhile. */
    (void)atomic_compare_exchange_strong_explicit(&link->segment->slot_words[slot], &word,
                                                  NI_SHM_SLOT_FREE, memory_order_release,
                                                  memory_order_relaxed);
}

static enum outcome drop_slot(struct ni_shm_link *link, uint32_t slot, uint64_t word)
{
    ni_stat_add(&link->stats->rx_malformed, 1);
    free_slot(link, slot, word);
    return DONE;
}

/* ---- a sender's first packet ----------------------------------------------------------------- */

static void set_phase(struct ni_shm_link *link, uint32_t seat, struct ni_shm_seat info)
{
    link->seats[seat] = info;
    if (link->seats_known <= seat) {
        link->seats_known = seat + 1;
    }
}

static enum outcome refuse_seat(struct ni_shm_link *link, uint32_t seat)
{
    _Atomic uint64_t *word = &link->segment->seat_words[seat];
    uint64_t seen = atomic_load_explicit(word, memory_order_relaxed);

    set_phase(link, seat, (struct ni_shm_seat){.phase = NI_SHM_DEAF});
    if (ni_shm_seat_state(seen) == NI_SHM_SEAT_OPEN) {
        uint64_t refused = ni_shm_seat_word(NI_SHM_SEAT_REFUSED, ni_shm_seat_generation(seen));

        /* Relaxed: says nothing about other memory. */
        (void)atomic_compare_exchange_strong_explicit(word, &seen, refused, memory_order_relaxed,
                                                      memory_order_relaxed);
    }
    return DONE;
}

static bool sits(const struct ni_shm_link *link, uint32_t seat)
{
    return ni_shm_seat_state(atomic_load_explicit(&link->segment->seat_words[seat],
                                                  memory_order_relaxed)) == NI_SHM_SEAT_OPEN;
}

/* There is no memory to know who has the seat; core_peer NULL: not even which process it is. */
static enum outcome cannot_greet(struct ni_shm_link *link, uint32_t seat, struct ni_peer *core_peer)
{
    static struct ni_log_limit limit = NI_LOG_LIMIT(4);
    uint64_t most = link->config->memory_wait_ms;

    if (!ni_memory_wait_over(&link->seats[seat].wait, seat, most)) {
        return RETRY;
    }
    ni_log_limited(&limit, NI_LOG_ERROR,
                   "no memory to receive from another process, for %llu ms now: refusing it; free "
                   "memory, or raise the limit of address space (ulimit -v) or the memory limit of "
                   "this container or user",
                   (unsigned long long)most);
    (void)refuse_seat(link, seat);
    if (core_peer != NULL) {
        link->core_ops->peer_down(link->core, core_peer, NI_ERR_NOMEM);
    }
    return DONE;
}

/* Find out who has the seat. DONE: the seat is ACTIVE or DEAF; RETRY; KEEP: this is no seat in
 * use. */
static enum outcome greet(struct ni_shm_link *link, uint32_t seat)
{
    static struct ni_log_limit limit = NI_LOG_LIMIT(10);
    /* Acquire: pairs with S1 and S3. */
    uint64_t word = atomic_load_explicit(&link->segment->seat_words[seat], memory_order_acquire);
    enum ni_shm_seat_state state = ni_shm_seat_state(word);
    uint8_t bytes[NI_SHM_BLOB_STRIDE];
    struct ni_shm_blob blob;
    struct ni_peer *core_peer;
    struct ni_shm_peer *peer;
    char reason[128];
    size_t len;

    if (state != NI_SHM_SEAT_OPEN && state != NI_SHM_SEAT_CLOSED) {
        return KEEP;
    }
    if (ni_shm_seat_blob(link->segment, seat, bytes, sizeof(bytes), &len) != NI_OK) {
        return cannot_greet(link, seat, NULL);
    }
    if (ni_shm_blob_check(link, bytes, len, &blob, reason, sizeof(reason)) != NI_OK) {
        ni_log_limited(&limit, NI_LOG_INFO, "a sender is refused: %s", reason);
        return refuse_seat(link, seat);
    }
    core_peer = link->core_ops->accept(link->core, &link->base, bytes, len);
    if (core_peer == NULL) {
        return refuse_seat(link, seat);
    }
    peer = ni_shm_peer_get(link, &blob, NULL);
    if (peer == NULL) {
        return cannot_greet(link, seat, core_peer);
    }
    if (peer->ending != NI_OK || (peer->in_seat >= 0 && !sits(link, (uint32_t)peer->in_seat))) {
        return RETRY; /* it has left an earlier seat, which we have not finished with */
    }
    if (peer->in_seat >= 0) {
        return refuse_seat(link, seat); /* nobody has two */
    }
    peer->in_peer = core_peer;
    peer->in_seat = seat;
    peer->in_number = 0;
    set_phase(link, seat, (struct ni_shm_seat){.phase = NI_SHM_ACTIVE, .peer = peer});
    return DONE;
}

/* ---- one slot -------------------------------------------------------------------------------- */

static enum outcome start_lane(struct ni_shm_link *link, struct ni_shm_peer *peer, bool with_bulk)
{
    static struct ni_log_limit limit = NI_LOG_LIMIT(1);
    const struct ni_shm_counts *counts = &link->segment->geometry.counts;
    struct ni_shm_area *area;
    bool got_bulk = with_bulk;
    int error = ENOMEM;
    ni_status status;

    if (peer->in_lane) {
        ni_shm_end(peer, NI_ERR_PROTOCOL);
        return DONE;
    }
    status = ni_shm_area_get(link->segment, (uint32_t)peer->in_seat, &got_bulk, &area);
    if (status != NI_OK) {
        error = errno;
    } else if (got_bulk != with_bulk) {
        ni_shm_area_put(area);
        status = NI_ERR_NOMEM;
    }
    if (status == NI_OK) {
        ni_lane_rx_init(&peer->rx, area->page, area->first, counts->first / NI_LINE,
                        with_bulk ? area->bulk : NULL, 0);
        peer->rx.bulk_most = with_bulk ? counts->bulk : 0;
        peer->rx.grow = ni_shm_more_bulk_in;
        peer->rx.move = ni_shm_lane_changes;
        peer->rx.rides = 1;
        peer->rx.peer = peer->in_peer;
        peer->rx.link_data = peer;
        status = link->core_ops->lane_add(link->core, &peer->rx);
        if (status != NI_OK) {
            ni_shm_area_put(area);
        }
    }
    if (status != NI_OK) {
        ni_log_limited(&limit, NI_LOG_WARN,
                       "no memory to receive from process %u: %s; trying again%s", peer->process,
                       strerror(error), ni_remedy(error));
        return RETRY;
    }
    peer->in_area = area;
    peer->in_lane = true;
    ni_shm_lane_started(peer);
    ni_shm_count_memory(link);
    return TAKEN;
}

static enum outcome start_sender(struct ni_shm_link *link, struct ni_shm_peer *peer,
                                 enum ni_shm_slot_state state)
{
    if (state != NI_SHM_SLOT_RAIL) {
        return start_lane(link, peer, state == NI_SHM_SLOT_LANE);
    }
    switch (ni_shm_rail_start(link, peer)) {
    case NI_OK:
        return TAKEN;
    case NI_ERR_PROTOCOL:
        ni_shm_end(peer, NI_ERR_PROTOCOL);
        return DONE;
    default:
        return RETRY;
    }
}

/* The next packet of an active sender. */
static enum outcome take_queued_packet(struct ni_shm_link *link, struct ni_shm_peer *peer,
                                       uint32_t seat, uint32_t slot, enum ni_shm_slot_state state)
{
    ni_status status;

    if (state != NI_SHM_SLOT_PACKET) {
        enum outcome outcome = start_sender(link, peer, state);

        if (NI_UNLIKELY(outcome == RETRY)) {
            outcome = ni_shm_no_memory(peer) ? DONE : RETRY;
        } else {
            peer->no_memory = 0;
        }
        peer->in_number += outcome != RETRY;
        return outcome;
    }
    /* A handler may poll: it then finds the next packet, not this one. */
    peer->in_number++;
    peer->delivering++;
    link->slots_busy[slot] = 1;
    status = link->core_ops->deliver(
        link->core, peer->in_peer,
        (const struct ni_packet *)(const void *)(link->segment->slots +
                                                 (size_t)slot * NI_SHM_SLOT_SIZE),
        NI_SHM_SLOT_SIZE);
    link->slots_busy[slot] = 0;
    if (link->seats[seat].peer != peer) { /* it was disconnected by the handler */
        return TAKEN;
    }
    peer->delivering--;
    if (status == NI_AGAIN) {
        peer->in_number--;
        return RETRY;
    }
    ni_stat_add(&link->stats->queue_packets, 1);
    if (status != NI_OK) {
        ni_shm_end(peer, NI_ERR_PROTOCOL);
    }
    return TAKEN;
}

static enum outcome look_at_slot(struct ni_shm_link *link, uint32_t slot)
{
    /* Acquire: pairs with Q1. */
    uint64_t word = atomic_load_explicit(&link->segment->slot_words[slot], memory_order_acquire);
    enum ni_shm_slot_state state = ni_shm_slot_state(word);
    uint32_t seat = ni_shm_slot_seat(word);
    struct ni_shm_peer *peer;
    enum outcome outcome;

    if (state == NI_SHM_SLOT_FREE || state == NI_SHM_SLOT_CLAIMED || link->slots_busy[slot] != 0) {
        return DONE; /* when it is published its bit comes again */
    }
    if (state > NI_SHM_SLOT_RAIL || seat >= link->segment->geometry.counts.seats) {
        return drop_slot(link, slot, word);
    }
    if (link->seats[seat].phase == NI_SHM_IDLE) {
        outcome = greet(link, seat);
        if (outcome != DONE) {
            return outcome == KEEP ? drop_slot(link, slot, word) : outcome;
        }
    }
    peer = link->seats[seat].peer;
    if (link->seats[seat].phase == NI_SHM_DEAF) {
        ni_stat_add(&link->stats->rx_refused, 1);
        free_slot(link, slot, word);
        return DONE;
    }
    if (ni_shm_slot_number(word) != peer->in_number) {
        /* Behind the next one: its turn comes. Before it: somebody wrote over the word. */
        return ni_shm_slot_number(word) - peer->in_number < UINT32_C(1) << 31
                   ? KEEP
                   : drop_slot(link, slot, word);
    }
    outcome = take_queued_packet(link, peer, seat, slot, state);
    if (outcome != RETRY) {
        free_slot(link, slot, word);
    }
    return outcome;
}

/* ---- all slots ------------------------------------------------------------------------------- */

/* The slots of one bit of the doorbell. Returns packets; leaves the bit in pending if some slot is
 * not done. */
static unsigned look_at_group(struct ni_shm_link *link, unsigned bit)
{
    unsigned taken = 0;
    bool kept = false;

    for (uint32_t slot = bit; slot < link->segment->geometry.counts.slots; slot += 64) {
        enum outcome outcome = look_at_slot(link, slot);

        taken += outcome == TAKEN;
        kept |= outcome == KEEP || outcome == RETRY;
        link->retry |= outcome == RETRY;
    }
    if (!kept) {
        link->pending &= ~(UINT64_C(1) << bit);
    }
    return taken;
}

unsigned ni_shm_receive(struct ni_shm_link *link)
{
    unsigned total = 0, taken;
    unsigned budget = 2 * link->segment->geometry.counts.slots;

    /* Acquire: pairs with Q3. */
    link->pending |= atomic_exchange_explicit(&link->header->posted, 0, memory_order_acquire);
    link->retry = false;
    do {
        taken = 0;
        for (uint64_t left = link->pending; left != 0; left &= left - 1) {
            taken += look_at_group(link, (unsigned)__builtin_ctzll(left));
        }
        total += taken;
    } while (taken != 0 && link->pending != 0 && total < budget);
    link->retry |= taken != 0 && link->pending != 0;
    return total;
}

static bool is_packet_of(uint64_t word, uint32_t seat)
{
    enum ni_shm_slot_state state = ni_shm_slot_state(word);

    return state >= NI_SHM_SLOT_PACKET && state <= NI_SHM_SLOT_RAIL &&
           ni_shm_slot_seat(word) == seat;
}

bool ni_shm_slots_any(const struct ni_shm_link *link, uint32_t seat)
{
    for (uint32_t i = 0; i < link->segment->geometry.counts.slots; i++) {
        if (is_packet_of(atomic_load_explicit(&link->segment->slot_words[i], memory_order_relaxed),
                         seat)) {
            return true;
        }
    }
    return false;
}

bool ni_shm_slots_has(const struct ni_shm_link *link, uint32_t seat, uint32_t number)
{
    for (uint32_t i = 0; i < link->segment->geometry.counts.slots; i++) {
        uint64_t word = atomic_load_explicit(&link->segment->slot_words[i], memory_order_relaxed);

        if (is_packet_of(word, seat) && ni_shm_slot_number(word) == number) {
            return true;
        }
    }
    return false;
}

void ni_shm_slots_sweep(struct ni_shm_link *link, uint32_t seat)
{
    for (uint32_t i = 0; i < link->segment->geometry.counts.slots; i++) {
        uint64_t word = atomic_load_explicit(&link->segment->slot_words[i], memory_order_relaxed);

        if (ni_shm_slot_state(word) != NI_SHM_SLOT_FREE && ni_shm_slot_seat(word) == seat &&
            link->slots_busy[i] == 0) {
            free_slot(link, i, word);
        }
    }
}
