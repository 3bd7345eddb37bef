/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/clock.h"
#include "base/log.h"
#include "link/shm/shm.h"

/*
 * Who lives, who has left. Words in shared memory tell of those that leave in order, and the
 * attention word tells when to look at them; record locks tell of those that die. A process that is
 * stopped holds its locks: it lives.
 */

enum {
    /* A dead peer's packets that the core does not take are not waited for longer than this.
     * Together with the interval of checks (parameter peer_check_ms, 250 ms) this stays below a
     * second. */
    GRACE_NS = 400 * 1000 * 1000,
    SEATS_AT_ONCE = 8,
};

/* A peer that left in order has a right to be heard. But for how long, if the core does not read?
 * Perhaps it found that the peer breaks the protocol, and never will. */
#define PATIENCE_NS UINT64_C(60000000000)

void ni_shm_end(struct ni_shm_peer *peer, ni_status status)
{
    if (peer->ending == NI_OK && !peer->down) {
        ni_shm_unpark(peer); /* what it has sent is still taken */
        peer->ending = status;
        peer->ending_at = ni_now_ns();
        peer->ending_tail = ni_shm_tails(peer);
        peer->link->endings++;
    }
}

/* ---- seats ----------------------------------------------------------------------------------- */

/* Nobody uses the seat any more. */
static void reclaim(struct ni_shm_link *link, uint32_t seat)
{
    uint64_t word = atomic_load_explicit(&link->segment->seat_words[seat], memory_order_relaxed);

    ni_shm_slots_sweep(link, seat);
    link->seats[seat] = (struct ni_shm_seat){.phase = NI_SHM_IDLE};
    ni_shm_seat_free(link->segment, seat, ni_shm_seat_generation(word));
}

/* The sender of a seat has gone. */
static void seat_gone(struct ni_shm_link *link, uint32_t seat, ni_status status)
{
    const struct ni_shm_seat *info = &link->seats[seat];

    switch (info->phase) {
    case NI_SHM_ACTIVE:
        ni_shm_end(info->peer, status);
        return;
    case NI_SHM_IDLE:
        /* What it has sent is taken first, and makes the seat active. */
        if (ni_shm_slots_any(link, seat)) {
            link->pending = UINT64_MAX;
            link->retry = true;
            return;
        }
        break;
    case NI_SHM_DEAF:
        break;
    }
    reclaim(link, seat);
}

static bool looks_dead(struct ni_shm_link *link, uint32_t seat)
{
    _Atomic uint64_t *word = &link->segment->seat_words[seat];
    uint64_t seen = atomic_load_explicit(word, memory_order_acquire);

    /* Looked at again: it may have left, and then given its lock back, in between. Pairs with
     * S3. */
    return !ni_shm_seat_alive(link->segment, seat) &&
           atomic_load_explicit(word, memory_order_acquire) == seen;
}

/* Whether who has left this seat did so because what we had sent broke the protocol, which our seat
 * there has said since before. */
static bool cut_us_off(const struct ni_shm_link *link, uint32_t seat)
{
    const struct ni_shm_peer *peer = link->seats[seat].peer;
    const struct ni_shm_segment *segment;
    uint64_t out_seat, word;

    if (link->seats[seat].phase != NI_SHM_ACTIVE) {
        return false;
    }
    segment = atomic_load_explicit(&peer->segment, memory_order_acquire);   /* E3 */
    out_seat = atomic_load_explicit(&peer->out_seat, memory_order_acquire); /* E4 */
    if (segment == NULL || out_seat == 0) {
        return false;
    }
    word = atomic_load_explicit(&segment->seat_words[(uint32_t)out_seat - 1], memory_order_relaxed);
    return word == ni_shm_seat_word(NI_SHM_SEAT_BROKEN, (uint32_t)(out_seat >> 32));
}

static void watch_seat(struct ni_shm_link *link, uint32_t seat, bool ask)
{
    /* Acquire: pairs with S3. */
    uint64_t word = atomic_load_explicit(&link->segment->seat_words[seat], memory_order_acquire);

    switch (ni_shm_seat_state(word)) {
    case NI_SHM_SEAT_FREE:
        if (link->seats[seat].phase != NI_SHM_IDLE) { /* only we free seats */
            seat_gone(link, seat, NI_ERR_PROTOCOL);
        }
        return;
    case NI_SHM_SEAT_CLOSED:
        seat_gone(link, seat, cut_us_off(link, seat) ? NI_ERR_PROTOCOL : NI_ERR_PEER_CLOSED);
        return;
    default:
        if (ask && looks_dead(link, seat)) {
            seat_gone(link, seat, NI_ERR_PEER_DEAD);
        }
    }
}

/* ---- peers that we send to ------------------------------------------------------------------- */

static bool has_closed(const struct ni_shm_segment *segment)
{
    return atomic_load_explicit(&segment->header->state, memory_order_acquire) == NI_SHM_CLOSED;
}

/* What our seat there says. */
static ni_status seat_status(const struct ni_shm_segment *segment, uint64_t out_seat)
{
    uint64_t word =
        atomic_load_explicit(&segment->seat_words[(uint32_t)out_seat - 1], memory_order_relaxed);

    if (ni_shm_seat_generation(word) != (uint32_t)(out_seat >> 32)) {
        return NI_ERR_PROTOCOL; /* taken for dead, or written over */
    }
    switch (ni_shm_seat_state(word)) {
    case NI_SHM_SEAT_OPEN:
        return NI_OK;
    case NI_SHM_SEAT_KICKED:
        return NI_ERR_PEER_CLOSED;
    case NI_SHM_SEAT_REFUSED:
        return NI_ERR_UNREACHABLE;
    default: /* BROKEN, or written over */
        return NI_ERR_PROTOCOL;
    }
}

static ni_status out_status(const struct ni_shm_peer *peer, bool ask)
{
    /* Acquire: pairs with E2, E3, E4. */
    int broken = atomic_load_explicit(&peer->broken, memory_order_acquire);
    struct ni_shm_segment *segment = atomic_load_explicit(&peer->segment, memory_order_acquire);
    uint64_t out_seat = atomic_load_explicit(&peer->out_seat, memory_order_acquire);

    if (broken != NI_OK || segment == NULL) {
        return (ni_status)broken;
    }
    if (has_closed(segment)) {
        return NI_ERR_PEER_CLOSED;
    }
    if (ask && !ni_shm_owner_alive(segment)) {
        return has_closed(segment) ? NI_ERR_PEER_CLOSED : NI_ERR_PEER_DEAD;
    }
    return out_seat == 0 ? NI_OK : seat_status(segment, out_seat);
}

static void watch_peers(struct ni_shm_link *link, bool ask)
{
    pthread_mutex_lock(&link->lock);
    for (NI_LIST_EACH(node, &link->peers)) {
        struct ni_shm_peer *peer = ni_container_of(node, struct ni_shm_peer, list);
        ni_status status = peer->down ? NI_OK : out_status(peer, ask);

        if (status != NI_OK) {
            ni_shm_end(peer, status);
        }
    }
    pthread_mutex_unlock(&link->lock);
}

static inline uint64_t word_at(const _Atomic uint64_t *words, unsigned i)
{
    return atomic_load_explicit(&words[i], memory_order_relaxed);
}

/* Whether eight seats in a row are free, as most are. */
static bool all_free(const _Atomic uint64_t *words)
{
    uint64_t states = word_at(words, 0) | word_at(words, 1) | word_at(words, 2) |
                      word_at(words, 3) | word_at(words, 4) | word_at(words, 5) |
                      word_at(words, 6) | word_at(words, 7);

    return ni_shm_seat_state(states) == NI_SHM_SEAT_FREE;
}

static void watch_seats(struct ni_shm_link *link, bool ask)
{
    uint32_t seats = link->segment->geometry.counts.seats;

    for (uint32_t i = 0; i < seats; i++) {
        /* From seats_known on nobody has sent anything: only a sender that died before matters. */
        while (i >= link->seats_known && i + SEATS_AT_ONCE <= seats &&
               all_free(&link->segment->seat_words[i])) {
            i += SEATS_AT_ONCE;
        }
        if (i < seats) {
            watch_seat(link, i, ask);
        }
    }
}

void ni_shm_watch(struct ni_shm_link *link, bool ask)
{
    watch_seats(link, ask);
    watch_peers(link, ask);
}

/* ---- endings --------------------------------------------------------------------------------- */

static bool ready(struct ni_shm_peer *peer, uint64_t now)
{
    if (ni_shm_reading(peer)) {
        return false; /* a handler of its packets polls */
    }
    if (peer->ending == NI_ERR_PROTOCOL || ni_shm_drained(peer)) {
        return true;
    }
    if (peer->ending_tail != ni_shm_tails(peer)) {
        peer->ending_tail = ni_shm_tails(peer);
        peer->ending_at = now;
    }
    return now - peer->ending_at > (peer->ending == NI_ERR_PEER_CLOSED ? PATIENCE_NS : GRACE_NS);
}

/* Out of the list, so that nobody finds it any more; false: connect has it. */
static bool take_out(struct ni_shm_peer *peer)
{
    bool held;

    pthread_mutex_lock(&peer->link->lock);
    held = peer->held;
    if (!held) {
        ni_list_remove(&peer->list);
    }
    pthread_mutex_unlock(&peer->link->lock);
    return !held;
}

/* Whether the peer is still there after the core was told: it may have disconnected it. */
static bool listed(struct ni_shm_link *link, const struct ni_shm_peer *peer)
{
    bool found = false;

    pthread_mutex_lock(&link->lock);
    for (NI_LIST_EACH(node, &link->peers)) {
        found |= ni_container_of(node, struct ni_shm_peer, list) == peer;
    }
    pthread_mutex_unlock(&link->lock);
    return found;
}

/* The core knows that the peer is down and writes nothing more to its lane, but it may keep the
 * endpoint for as long as it likes. Give back at once what others could use: the seat, if the owner
 * lives, or else the memory, which our mapping keeps alive. */
static void vacate(struct ni_shm_peer *peer)
{
    struct ni_shm_segment *segment = atomic_load_explicit(&peer->segment, memory_order_acquire);
    uint64_t seat = atomic_exchange_explicit(&peer->out_seat, 0, memory_order_acquire);

    if (seat == 0) {
        return;
    }
    if (has_closed(segment) || !ni_shm_owner_alive(segment)) {
        ni_shm_areas_empty(segment, (uint32_t)seat - 1);
    }
    ni_shm_seat_leave(segment, (uint32_t)seat - 1, (uint32_t)(seat >> 32));
}

static void finish_peer(struct ni_shm_peer *peer)
{
    struct ni_shm_link *link = peer->link;
    struct ni_peer *core_peer;
    ni_status status = peer->ending;
    int64_t seat = peer->in_seat;
    bool ours;

    peer->down = true;
    link->endings--;
    atomic_store_explicit(&peer->status, status, memory_order_release); /* E1 */
    ni_shm_in_stop(peer, status == NI_ERR_PROTOCOL ? NI_SHM_SEAT_BROKEN : NI_SHM_SEAT_KICKED);
    if (seat >= 0) {
        watch_seat(link, (uint32_t)seat, status == NI_ERR_PEER_DEAD);
    }
    ours = take_out(peer);
    core_peer = peer->in_peer == NULL && !ours ? peer->ep.peer : peer->in_peer;
    if (core_peer != NULL) {
        /* The core may disconnect the endpoint, if there is one: then the peer is gone. */
        link->core_ops->peer_down(link->core, core_peer, status);
    }
    if (ours) {
        ni_shm_peer_free(peer);
    } else if (listed(link, peer)) {
        vacate(peer);
    }
}

void ni_shm_end_poll(struct ni_shm_link *link, uint64_t now)
{
    struct ni_shm_peer *found;

    do {
        found = NULL;
        pthread_mutex_lock(&link->lock);
        for (NI_LIST_EACH(node, &link->peers)) {
            struct ni_shm_peer *peer = ni_container_of(node, struct ni_shm_peer, list);

            if (peer->ending != NI_OK && !peer->down && ready(peer, now)) {
                found = peer;
                break;
            }
        }
        pthread_mutex_unlock(&link->lock);
        if (found != NULL) {
            finish_peer(found); /* calls the core, so the list may have changed */
        }
    } while (found != NULL);
}
