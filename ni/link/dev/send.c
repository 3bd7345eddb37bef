/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "link/dev/dev.h"
#include "link/lane_inl.h"

/*
 * From the lane to PUTs. What is committed while the ring of command packets is full leaves later,
 * many packets in one PUT. The card reads the lines from the lane itself, at some time until the
 * receiver has them, and lines go back to the engine when the receiver has consumed them. One that
 * is sent again may be read when it has other contents already: the receiver has it by then, knows
 * so by the tag, and does not look.
 */

enum {
    CREDIT_PART = 4,   /* of the ring: what is consumed before we say so */
    BULK_PART = 8,     /* of the bulk area */
    BULK_PACKETS = 16, /* of the 64 that a lane may have under way */
};

/* ---- our state ------------------------------------------------------------------------------- */

static void store(uint32_t *word, uint32_t value)
{
    __atomic_store_n(word, value, __ATOMIC_RELAXED); /* the card reads it at any time */
}

void ni_dev_fill_state(struct ni_dev_peer *peer)
{
    struct ni_dev_state *state = &peer->out->state;

    if (peer->out == NULL) {
        return;
    }
    state->key = peer->link->blob.key;
    store(&state->serial, peer->serial);
    store(&state->heard, peer->heard);
    store(&state->received, peer->high);
    store(&state->consumed, peer->cleared);
    store(&state->fetched, peer->fetch_tail == peer->fetch_head
                               ? peer->high
                               : peer->fetches[peer->fetch_tail % NI_LANE_BULK_RECORDS].position);
    store(&state->wishes, atomic_load_explicit(&peer->link->wishes, memory_order_relaxed));
}

static bool is_due(const struct ni_dev_peer *peer)
{
    uint32_t lines = peer->cleared - peer->credited;

    return peer->dirty || lines >= peer->blob.ring / CREDIT_PART ||
           (lines != 0 &&
            (peer->bulk_bytes >= peer->blob.bulk / BULK_PART || peer->bulk_count >= BULK_PACKETS));
}

static void tell_state(struct ni_dev_peer *peer)
{
    struct ni_dev_put put = {
        .from = &peer->out->state, .to = peer->told, .len = sizeof(peer->out->state)};
    uint32_t consumed = peer->cleared;

    if (!is_due(peer)) {
        return;
    }
    ni_dev_fill_state(peer);
    if (ni_dev_put(peer, &put)) {
        peer->dirty = false;
        peer->buried_at = peer->link->client.wr_ptr; /* should it be buried */
        peer->credited = consumed;
        peer->bulk_bytes = 0;
        peer->bulk_count = 0;
    }
}

/* ---- lines ----------------------------------------------------------------------------------- */

static const struct ni_packet *packet_at(const struct ni_dev_peer *peer, uint32_t position)
{
    size_t line = position & (peer->link->blob.ring - 1);

    return (const struct ni_packet *)(const void *)(ni_dev_out_ring(peer) + line * NI_LINE);
}

/* Packets are our engine's: they need no checks. */
static uint32_t lines_of(const struct ni_packet *packet)
{
    uint64_t word0 = atomic_load_explicit(&packet->word0, memory_order_relaxed);

    return ni_packet_in_bulk(word0)
               ? 1
               : ni_packet_lines(ni_packet_head(word0), ni_packet_len(packet->word1));
}

/* Lines of the packets that lie one behind the other from a position on, as many as one PUT takes.
 * 0: no packet begins there, whatever the peer says that it has. */
static uint32_t run_at(const struct ni_dev_peer *peer, uint32_t position)
{
    uint32_t mask = peer->link->blob.ring - 1, lines = 0;

    while (position + lines != peer->committed) {
        uint32_t at = position + lines, more = lines_of(packet_at(peer, at));

        if (more == 0 || more > NI_DEV_RUN || more > peer->committed - at) {
            return 0;
        }
        if (lines != 0 && ((at & mask) < (position & mask) || lines + more > NI_DEV_RUN)) {
            break;
        }
        lines += more;
    }
    return lines;
}

static bool send_run(struct ni_dev_peer *peer, uint32_t position, uint32_t lines, bool answer)
{
    size_t offset = (size_t)(position & (peer->link->blob.ring - 1)) * NI_LINE;
    struct ni_dev_put put = {
        .from = ni_dev_out_ring(peer) + offset,
        .to = peer->stage + offset,
        .len = lines * NI_LINE,
        .tag = position,
        .answer = answer,
    };

    return ni_dev_put(peer, &put);
}

static void send_lines(struct ni_dev_peer *peer)
{
    while (peer->sent != peer->committed) {
        uint32_t lines = run_at(peer, peer->sent);

        if (lines == 0) {
            ni_dev_broken(peer);
            return;
        }
        if (!send_run(peer, peer->sent, lines, false)) {
            return;
        }
        peer->sent += lines;
        if (ni_dev_before(peer->most, peer->sent)) {
            peer->most = peer->sent;
        }
    }
}

/* Only the first of them: what is behind it may have come, and be unread. If the peer then has just
 * these, it has not. */
static void repeat(struct ni_dev_peer *peer)
{
    uint32_t lines = run_at(peer, peer->acked);

    if (peer->acked == peer->sent) {
        peer->repeat = false;
    } else if (lines == 0) {
        ni_dev_broken(peer);
    } else if (send_run(peer, peer->acked, lines, true)) {
        ni_stat_add(&peer->link->stats->dev_repeats, 1);
        peer->repeat = false;
        peer->repeated = peer->acked + lines;
    }
}

void ni_dev_pump(struct ni_dev_peer *peer)
{
    if (!peer->known || peer->out == NULL) {
        return;
    }
    if (peer->repeat) {
        repeat(peer);
    }
    if (ni_far_ending(&peer->far) == NI_OK || peer->said) {
        send_lines(peer);
    }
    tell_state(peer);
}

/* ---- what a peer says ------------------------------------------------------------------------ */

/* Lines that are between what it had and what was sent, or fewer, from a state that was overtaken.
 */
static bool may_be(uint32_t before, uint32_t now, uint32_t sent)
{
    return !ni_dev_before(before, now) || !ni_dev_before(sent, now);
}

static void on_bye(struct ni_dev_peer *peer, uint64_t bye)
{
    uint32_t kind = (uint32_t)(bye >> 32);

    if (kind == NI_DEV_STAYS || peer->heard) {
        return;
    }
    peer->heard = true;
    peer->dirty = true; /* it waits to know */
    peer->bye_position = (uint32_t)bye;
    ni_dev_end(peer, kind == NI_DEV_REFUSED  ? NI_ERR_UNREACHABLE
                     : kind == NI_DEV_BROKEN ? NI_ERR_PROTOCOL
                                             : NI_ERR_PEER_CLOSED);
}

/* Something is missing at the receiver: all that is not acknowledged goes again, once for each gap
 * that it has seen. */
static void on_gap(struct ni_dev_peer *peer, uint32_t gaps, uint32_t received)
{
    if (!ni_dev_before(peer->gaps, gaps)) {
        return;
    }
    peer->gaps = gaps;
    if (received == peer->acked && peer->acked != peer->sent) {
        ni_stat_add(&peer->link->stats->dev_repeats, 1);
        peer->sent = peer->acked;
    }
}

void ni_dev_on_state(struct ni_dev_peer *peer, const struct ni_dev_state *state)
{
    if (!may_be(peer->acked, state->received, peer->most) ||
        !may_be(peer->credit, state->consumed, peer->most) ||
        !may_be(peer->fetched, state->fetched, peer->most)) {
        ni_dev_broken(peer);
        return;
    }
    if (ni_dev_before(peer->acked, state->received)) {
        peer->acked = state->received;
        if (ni_dev_before(peer->sent, peer->acked) || peer->acked == peer->repeated) {
            peer->sent = peer->acked;
        }
        peer->repeat = false;
        peer->repeated = peer->acked;
        ni_dev_touch(peer);
    }
    if (ni_dev_before(peer->credit, state->consumed)) {
        peer->credit = state->consumed;
        /* L2 of lane.h: the bytes were read. */
        atomic_store_explicit(&peer->out_page.consumed, peer->credit, memory_order_release);
    }
    if (ni_dev_before(peer->fetched, state->fetched)) {
        peer->fetched = state->fetched;
    }
    atomic_store_explicit(&peer->wishes, state->wishes, memory_order_relaxed);
    peer->parted = peer->parted || state->heard != 0;
    on_gap(peer, state->gaps, state->received);
    on_bye(peer, state->bye);
    ni_dev_moved(peer);
}
