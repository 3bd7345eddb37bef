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
    ni_far_end(&peer->link->far, &peer->far, status, peer->link->now_ns);
}

/* ---- what needs the engine ------------------------------------------------------------------- */

static bool dev_peer_is_read(const struct ni_far_peer *far)
{
    const struct ni_dev_peer *peer = ni_container_of(far, const struct ni_dev_peer, far);
    ni_status ending = ni_far_ending(&peer->far);
    uint64_t waited = peer->link->now_ns - peer->far.ending_ns;

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
           !ni_lane_has_packet(&peer->rx);
}

static bool dev_peer_known(const struct ni_far_peer *far)
{
    const struct ni_dev_peer *peer = ni_container_of(far, const struct ni_dev_peer, far);

    return peer->known;
}

static struct ni_lane_rx *dev_peer_lane(struct ni_far_peer *far)
{
    struct ni_dev_peer *peer = ni_container_of(far, struct ni_dev_peer, far);

    return peer->in == NULL ? NULL : &peer->rx;
}

static const void *dev_peer_blob(const struct ni_far_peer *far, size_t *len)
{
    const struct ni_dev_peer *peer = ni_container_of(far, const struct ni_dev_peer, far);

    *len = sizeof(peer->blob);
    return &peer->blob;
}

static void dev_peer_gone(struct ni_far_peer *far, enum ni_far_gone how)
{
    struct ni_dev_peer *peer = ni_container_of(far, struct ni_dev_peer, far);

    if (!far->held) {
        ni_dev_bury(peer, how == NI_FAR_REFUSED ? NI_DEV_REFUSED
                          : far->broke          ? NI_DEV_BROKEN
                                                : NI_DEV_CLOSED);
    }
    if (how == NI_FAR_LEFT) {
        ni_dev_graves(peer->link);
    }
}

const struct ni_far_ops ni_dev_far_ops = {
    .known = dev_peer_known,
    .lane = dev_peer_lane,
    .is_read = dev_peer_is_read,
    .blob = dev_peer_blob,
    .gone = dev_peer_gone,
};

/* ---- graves ---------------------------------------------------------------------------------- */

/* Whether there is somebody who may want to hear of us. */
static bool is_reachable(const struct ni_dev_peer *peer)
{
    ni_status ending = ni_far_ending(&peer->far);

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
    ni_list_remove(&peer->far.list);
    ni_list_push_back(&link->graves, &peer->far.list);
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
        struct ni_dev_peer *peer = ni_container_of(node, struct ni_dev_peer, far.list);

        if (is_over(peer)) {
            ni_dev_peer_free(peer);
        }
    }
}

/* ---- the end of the link --------------------------------------------------------------------- */

void ni_dev_farewell(struct ni_dev_link *link)
{
    pthread_mutex_lock(&link->far.lock);
    link->leaving = true;
    while (!ni_list_empty(&link->far.peers)) {
        struct ni_dev_peer *peer =
            ni_container_of(link->far.peers.next, struct ni_dev_peer, far.list);

        peer->far.down = true;
        ni_dev_bury(peer, NI_DEV_CLOSED);
    }
    while (!ni_list_empty(&link->graves)) {
        ni_dev_step(link);
        pthread_mutex_unlock(&link->far.lock);
        (void)sched_yield();
        pthread_mutex_lock(&link->far.lock);
    }
    pthread_mutex_unlock(&link->far.lock);
}
