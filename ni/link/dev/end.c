/* SPDX-License-Identifier: BSD-3-Clause */
#include <sched.h>

#include "base/log.h"
#include "link/dev/dev.h"
#include "link/lane_inl.h"

/*
 * Peers that come, die, close, or are given up. What a peer sent before it went is read first: for
 * GRACE_NS if it died, for PATIENCE_NS if it closed, should the engine not take it.
 *
 * A peer that was given up stays in the graves until the card has nothing of it, and the peer has
 * what was sent to it. Bye is PUT again after each look until the peer says that it has it: should
 * our memory go before, it would take us for dead.
 */

#define GRACE_NS    UINT64_C(400000000)
#define PATIENCE_NS UINT64_C(60000000000)
#define ANSWER_NS   UINT64_C(6000000000) /* for the peer to fetch what we said before bye */
#define ACK_NS      UINT64_C(200000000)  /* to say that it has bye, and lines that a look passed */

void ni_dev_end(struct ni_dev_peer *peer, ni_status status)
{
    int was = NI_OK;

    if (atomic_compare_exchange_strong_explicit(&peer->ending, &was, status, memory_order_relaxed,
                                                memory_order_relaxed)) {
        peer->ending_ns = peer->link->now_ns;
        atomic_store_explicit(&peer->link->unsettled, true, memory_order_relaxed);
    } else if (was == NI_ERR_PEER_CLOSED && status == NI_ERR_PROTOCOL) {
        atomic_store_explicit(&peer->ending, status, memory_order_relaxed); /* not all has come */
    }
}

/* ---- what needs the engine ------------------------------------------------------------------- */

enum due { DUE_NOTHING, DUE_ACCEPT, DUE_LANE, DUE_END };

/* Whether all is read that will be, and nobody is reading. */
static bool is_read(const struct ni_dev_peer *peer)
{
    ni_status ending = ni_dev_ending(peer);
    uint64_t waited = peer->link->now_ns - peer->ending_ns, word0;

    if (!peer->announced) {
        return true;
    }
    if (peer->rx.depth != 0) {
        return false;
    }
    if (ending == NI_ERR_PROTOCOL || ending == NI_ERR_CARD || waited > PATIENCE_NS ||
        atomic_load_explicit(&peer->link->gone, memory_order_relaxed) ||
        (waited > GRACE_NS && !peer->heard)) {
        return true;
    }
    if (peer->heard && !peer->refused && peer->rx.tail != peer->bye_position) {
        return false;
    }
    return (peer->fetch_tail == peer->fetch_head || peer->refused) &&
           ni_lane_peek(&peer->rx, &word0) == NULL;
}

static enum due due(const struct ni_dev_peer *peer)
{
    if (peer->down) {
        return DUE_NOTHING;
    }
    if (peer->core == NULL && peer->known) {
        return DUE_ACCEPT;
    }
    if (peer->in != NULL && !peer->announced && peer->core != NULL &&
        ni_dev_ending(peer) != NI_ERR_PROTOCOL) {
        return DUE_LANE;
    }
    if (ni_dev_ending(peer) == NI_OK) {
        return DUE_NOTHING;
    }
    if (is_read(peer)) {
        return DUE_END;
    }
    atomic_store_explicit(&peer->link->unsettled, true, memory_order_relaxed);
    return DUE_NOTHING;
}

static struct ni_dev_peer *next_due(struct ni_dev_link *link, enum due *what)
{
    struct ni_dev_peer *found = NULL;

    pthread_mutex_lock(&link->lock);
    for (NI_LIST_EACH(node, &link->peers)) {
        struct ni_dev_peer *peer = ni_container_of(node, struct ni_dev_peer, list);

        *what = due(peer);
        if (*what != DUE_NOTHING) {
            found = peer;
            break;
        }
    }
    pthread_mutex_unlock(&link->lock);
    return found;
}

static void bury_unheld(struct ni_dev_peer *peer, enum ni_dev_bye bye)
{
    struct ni_dev_link *link = peer->link;

    pthread_mutex_lock(&link->lock);
    peer->down = true;
    if (!peer->held) {
        ni_dev_bury(peer, bye);
    }
    pthread_mutex_unlock(&link->lock);
}

static bool accept_peer(struct ni_dev_link *link, struct ni_dev_peer *peer)
{
    struct ni_peer *core =
        link->core_ops->accept(link->core, &link->base, &peer->blob, sizeof(peer->blob));

    if (core == NULL) {
        bury_unheld(peer, NI_DEV_REFUSED);
        return true;
    }
    pthread_mutex_lock(&link->lock);
    if (peer->core == NULL) { /* the engine may have connected just now */
        peer->core = core;
    }
    pthread_mutex_unlock(&link->lock);
    return true;
}

static bool add_lane(struct ni_dev_link *link, struct ni_dev_peer *peer)
{
    peer->rx.peer = peer->core;
    if (link->core_ops->lane_add(link->core, &peer->rx) != NI_OK) {
        return false;
    }
    peer->announced = true;
    return true;
}

static bool end_peer(struct ni_dev_link *link, struct ni_dev_peer *peer)
{
    struct ni_peer *core = peer->core;
    ni_status status = ni_dev_ending(peer);

    if (peer->announced) {
        link->core_ops->lane_remove(link->core, &peer->rx);
        peer->announced = false;
    }
    peer->broke = status == NI_ERR_PROTOCOL;
    bury_unheld(peer, peer->broke ? NI_DEV_BROKEN : NI_DEV_CLOSED);
    if (core != NULL) {
        link->core_ops->peer_down(link->core, core, status);
    }
    return true;
}

/* Each of these may call the user, who may do anything: the list is walked anew each time. */
unsigned ni_dev_settle(struct ni_dev_link *link)
{
    unsigned events = 0;
    bool done = true;
    struct ni_dev_peer *peer;
    enum due what;

    atomic_store_explicit(&link->unsettled, false, memory_order_relaxed);
    while (done && (peer = next_due(link, &what)) != NULL) {
        done = what == DUE_ACCEPT ? accept_peer(link, peer)
               : what == DUE_LANE ? add_lane(link, peer)
                                  : end_peer(link, peer);
        events += done;
    }
    if (!done) {
        atomic_store_explicit(&link->unsettled, true, memory_order_relaxed);
    }
    return events;
}

/* ---- graves ---------------------------------------------------------------------------------- */

/* Whether there is somebody who may want to hear of us. */
static bool is_reachable(const struct ni_dev_peer *peer)
{
    ni_status ending = ni_dev_ending(peer);

    return peer->known && !peer->refused && !peer->heard && peer->out != NULL &&
           (ending == NI_OK || ending == NI_ERR_PROTOCOL || ending == NI_ERR_PEER_CLOSED) &&
           !atomic_load_explicit(&peer->link->gone, memory_order_relaxed);
}

void ni_dev_bury(struct ni_dev_peer *peer, enum ni_dev_bye bye)
{
    struct ni_dev_link *link = peer->link;

    if (peer->known && peer->out != NULL && !peer->said) {
        /* In one piece: the card reads it at any time. */
        __atomic_store_n(&peer->out->state.bye, (uint64_t)bye << 32 | peer->committed,
                         __ATOMIC_RELEASE);
        peer->said = true;
        peer->dirty = true;
        peer->welcomes = false;
        ni_dev_pump(peer);
    }
    peer->buried_ns = link->now_ns;
    peer->looked_ns = 0; /* a look is due */
    peer->flushed = false;
    peer->buried_at = link->client.wr_ptr;
    ni_list_remove(&peer->list);
    ni_list_push_back(&link->graves, &peer->list);
    link->peer_count--;
    if (is_reachable(peer)) {
        ni_dev_moved(peer);
    } else {
        ni_list_remove(&peer->moved);
    }
}

/* Whether a payload waits to be fetched. */
static bool has_payload(const struct ni_dev_peer *peer)
{
    uint32_t mask = peer->link->blob.ring - 1, position = peer->credit;

    if (ni_dev_before(position, peer->fetched)) {
        position = peer->fetched;
    }

    while (position != peer->committed) {
        const struct ni_packet *packet =
            (const struct ni_packet *)(const void *)(ni_dev_out_ring(peer) +
                                                     (size_t)(position & mask) * NI_LINE);
        uint64_t word0 = atomic_load_explicit(&packet->word0, memory_order_relaxed);
        uint32_t lines = ni_packet_lines(ni_packet_head(word0), ni_packet_len(packet->word1));

        if (ni_packet_in_bulk(word0)) {
            return true;
        }
        if (lines == 0 || lines > peer->committed - position) {
            return false;
        }
        position += lines;
    }
    return false;
}

/* Whether the peer has what was sent to it, or will not have it. */
static bool is_heard(const struct ni_dev_peer *peer)
{
    uint64_t waited = peer->link->now_ns - peer->buried_ns;

    if (!is_reachable(peer) || waited > ANSWER_NS) {
        return true;
    }
    if (!peer->flushed || peer->dirty || peer->sent != peer->committed || has_payload(peer)) {
        return false;
    }
    return (peer->acked == peer->committed && peer->parted) || waited > ACK_NS;
}

/* Whether the card has nothing of it any more. */
static bool is_over(const struct ni_dev_peer *peer)
{
    const struct ni_dev_link *link = peer->link;
    uint32_t fetched = __atomic_load_n(&link->client.doorbell->rd_ptr, __ATOMIC_ACQUIRE);

    if (atomic_load_explicit(&link->gone, memory_order_relaxed)) {
        return true;
    }
    return peer->gets == 0 && !ni_dev_before(fetched, peer->buried_at) && is_heard(peer);
}

void ni_dev_graves(struct ni_dev_link *link)
{
    for (NI_LIST_EACH_SAFE(node, &link->graves)) {
        struct ni_dev_peer *peer = ni_container_of(node, struct ni_dev_peer, list);

        if (is_over(peer)) {
            ni_dev_peer_free(peer);
        }
    }
}

/* ---- the end of the link --------------------------------------------------------------------- */

void ni_dev_farewell(struct ni_dev_link *link)
{
    pthread_mutex_lock(&link->lock);
    link->leaving = true;
    while (!ni_list_empty(&link->peers)) {
        struct ni_dev_peer *peer = ni_container_of(link->peers.next, struct ni_dev_peer, list);

        peer->down = true;
        ni_dev_bury(peer, NI_DEV_CLOSED);
    }
    while (!ni_list_empty(&link->graves)) {
        ni_dev_step(link);
        pthread_mutex_unlock(&link->lock);
        (void)sched_yield();
        pthread_mutex_lock(&link->lock);
    }
    pthread_mutex_unlock(&link->lock);
}
