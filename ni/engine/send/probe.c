/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/bits.h"
#include "base/clock.h"
#include "engine/core/counts.h"
#include "engine/send/probe.h"
#include "link/lane_inl.h"

/*
 * How far is the peer? The time that a cache line takes from core to core differs by a factor of
 * four between machines, between pairs of cores, and on virtual machines from minute to minute; and
 * the best way to copy long messages differs with it. So while a waiter has nothing to do, an empty
 * packet with a time stamp goes to the peer that was sent to last, now and then, and comes back at
 * once. Half of its round trip, when both sides poll, is a line's way and some software. Round
 * trips of more than a few microseconds say that the peer was not polling, and nothing else; nor
 * does one in which the peer sent something else, for it was busy with that when the probe came.
 * (Of two that send each other long messages in turns, one is always busy while the other waits.
 * Taken for far, their messages would be copied past the caches, at twice the time.)
 *
 * Where both sides always have something to do no probe is ever answered in time. But each gives
 * lines back to the other: the load of these credits, when they have changed, is a line's way from
 * the core that stored them, half of what a packet takes, whose line is won from the reader first.
 */

enum {
    NI_PROBE_INTERVAL = 1 << 15, /* idle polls between probes: about a millisecond */
    NI_PROBE_ASK = 1,            /* tags of a NOP packet */
    NI_PROBE_ECHO = 2,
    NI_PROBE_LIMIT_NS = 2000,
    NI_PROBE_LOOKS = 64,  /* at the credits, before the first long payloads */
    NI_PROBE_OWN_NS = 12, /* a load that takes less found the line in our own cache */
};

/* The peer's lock is held. */
static bool send_probe(struct ni_peer *peer, uint16_t tag, uint64_t stamp)
{
    struct ni_packet *packet;

    if (peer->ep == NULL || ni_peer_waits(peer) || !ni_lane_room(&peer->ep->tx, 1)) {
        return false;
    }
    packet = ni_lane_at(&peer->ep->tx);
    packet->body[0] = stamp;
    packet->word1 = 0;
    peer->ep->tx.empty++;
    ni_lane_commit(&peer->ep->tx, ni_packet_word0(0, NI_PACKET_NOP, NI_LINE, tag), 1);
    return true;
}

/* Whether the peer has not read all that was sent to it. A probe would wait behind that, and come
 * back when the peer is done with it, which for long payloads takes longer than any line; and one
 * that is unread itself will be found, however long the peer does not poll. */
static bool unread(const struct ni_peer *peer)
{
    return peer->ep != NULL && peer->ep->tx.lines != NULL &&
           atomic_load_explicit(&peer->ep->tx.page->consumed, memory_order_relaxed) !=
               peer->ep->tx.head;
}

/* Number of the next packet in its lane; 0: it has no lane, or none with us. */
static uint32_t next_of(const struct ni_peer *peer)
{
    return peer->lane == NULL ? 0 : peer->lane->seq;
}

void ni_probe_idle(struct ni *ni, struct ni_peer *peer)
{
    if (++ni->drive.idle % NI_PROBE_INTERVAL != 0) {
        return;
    }
    ni_peers_count_sent(ni);
    ni_lock_take(&peer->lock, peer->threads);
    if (!unread(peer)) {
        (void)send_probe(peer, NI_PROBE_ASK, ni_now_ns());
        peer->send.probe_seq = next_of(peer);
    }
    ni_lock_give(&peer->lock, peer->threads);
}

/* The smallest of the last answers: late ones say nothing. */
static void learn_round_trip(struct ni_peer *peer, uint32_t ns)
{
    uint32_t least = ns;

    peer->send.answers[peer->send.answer_count++ % NI_PROBE_ANSWERS] = ns;
    for (unsigned i = 0; i < NI_PROBE_ANSWERS; i++) {
        if (peer->send.answers[i] != 0 && peer->send.answers[i] < least) {
            least = peer->send.answers[i];
        }
    }
    atomic_store_explicit(&peer->send.line_ns, least, memory_order_relaxed);
    atomic_store_explicit(&peer->send.far, least > peer->ni->config->far_ns, memory_order_relaxed);
}

void ni_probe_credits(struct ni_peer *peer)
{
    struct ni_lane_tx *tx = &peer->ep->tx;
    uint32_t known = tx->limit - (tx->mask + 1), now;
    uint64_t first = ni_now_ns(), begin = ni_now_ns(), end, ns;

    now = atomic_load_explicit(&tx->page->consumed, memory_order_acquire);
    end = ni_now_ns();
    /* Without what the clock itself takes. */
    ns = end - begin - ni_min_u64(begin - first, end - begin);
    if (now != known && ns >= NI_PROBE_OWN_NS && 2 * ns < NI_PROBE_LIMIT_NS) {
        learn_round_trip(peer, (uint32_t)(2 * ns));
    }
    (void)ni_lane_refresh(tx);
}

void ni_probe_first(struct ni_peer *peer)
{
    if (NI_LIKELY(peer->send.looks >= NI_PROBE_LOOKS ||
                  peer->send.answer_count >= NI_PROBE_ANSWERS)) {
        return;
    }
    ni_lock_take(&peer->lock, peer->threads);
    if (!ni_list_empty(&peer->send.streams) && peer->ep != NULL && peer->ep->tx.lines != NULL) {
        peer->send.looks++;
        ni_probe_credits(peer);
    }
    ni_lock_give(&peer->lock, peer->threads);
}

/* Whether nothing came between the last probe and its echo, which is stepped over. */
static bool came_alone(const struct ni_peer *peer)
{
    uint32_t next = next_of(peer);

    return next == 0 ||
           (peer->send.probe_seq != 0 && next == ni_lane_next_seq(peer->send.probe_seq));
}

void ni_probe_arrive(struct ni_peer *peer, uint16_t tag, uint64_t stamp)
{
    uint64_t ns;

    if (tag == NI_PROBE_ASK) {
        ni_lock_take(&peer->lock, peer->threads);
        (void)send_probe(peer, NI_PROBE_ECHO, stamp);
        ni_lock_give(&peer->lock, peer->threads);
    } else if (tag == NI_PROBE_ECHO) {
        ns = (ni_now_ns() - stamp) / 2;
        if (ns != 0 && ns < NI_PROBE_LIMIT_NS && came_alone(peer)) {
            learn_round_trip(peer, (uint32_t)ns);
        }
    }
}
