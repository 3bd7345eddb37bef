/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include <apeni/multipath.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "engine/send/fast.h"
#include "engine/send/multipath.h"
#include "engine/core/noting.h"
#include "engine/send/send.h"

/* Parts out: rails are made at the first transfer that is long enough, and take turns. */

enum { PART_FIELDS = sizeof(struct ni_packet_remote), PART_HEAD = NI_PACKET_HEADER + PART_FIELDS };

/* ---- rails ----------------------------------------------------------------------------------- */

static unsigned most_of(const struct ni_peer *peer)
{
    return (unsigned)ni_min_u64(peer->ni->send.rails, peer->ep->rails);
}

static struct ni_multipath_out *get_multipath_out(struct ni_peer *peer)
{
    struct ni_multipath_out *out = peer->send.spread;

    if (out == NULL) {
        out = ni_aligned_zero(NI_CACHE_LINE, sizeof(*out));
        if (out != NULL) {
            out->rails = 1;
            out->most = most_of(peer);
            peer->send.spread = out;
        }
    }
    return out;
}

/* Make those that there may be. Less than that is enough, when there is no memory for more; later
 * there may be. */
static ni_status make_rails(struct ni_peer *peer, struct ni_multipath_out *out)
{
    const struct ni_ep *ep = peer->ep;

    if (NI_UNLIKELY(out->retry != 0) && --out->retry == 0) {
        out->most = most_of(peer);
    }
    while (out->rails < out->most) {
        ni_status status = ep->ops->rail(peer->ep, out->rails, &out->rail[out->rails - 1]);

        if (status == NI_OK) {
            out->rails++;
        } else if (status == NI_ERR_NOMEM || status == NI_ERR_UNSUPPORTED) {
            out->most = out->rails;
            out->retry = NI_RAILS_RETRY;
        } else {
            return status;
        }
    }
    return NI_OK;
}

void ni_multipath_seal(struct ni_peer *peer)
{
    struct ni_multipath_out *out = peer->send.spread;

    for (unsigned i = 0; out != NULL && i < NI_RAILS_MAX - 1; i++) {
        out->rail[i].limit = out->rail[i].head;
        out->rail[i].lines = NULL;
    }
}

void ni_multipath_free(struct ni_peer *peer)
{
    ni_free(peer->send.spread);
    peer->send.spread = NULL;
}

/* ---- which way ------------------------------------------------------------------------------- */

/* A counter that no part under way names; false: all are in use. */
static bool take_counter(struct ni_multipath_out *out, uint16_t *counter)
{
    for (unsigned i = 0; i < NI_PARTS_COUNTERS; i++) {
        if ((out->counters & UINT32_C(1) << i) == 0 && out->taken >= out->counter_end[i]) {
            out->counters |= UINT32_C(1) << i;
            *counter = (uint16_t)i;
            return true;
        }
    }
    return false;
}

/* Whether a stream that its caller wants to go so may go so: there is a packet for two at least. */
static bool may_spread(const struct ni_stream *stream, enum ni_multipath how)
{
    const struct ni_peer *peer = stream->peer;

    return how != NI_MULTIPATH_NONE && peer->ni->send.rails > 1 && stream->sent == 0 &&
           stream->len > ni_stream_segment(peer) && peer->ep->max_bulk != 0;
}

ni_status ni_multipath_choose(struct ni_stream *stream)
{
    struct ni_peer *peer = stream->peer;
    enum ni_multipath how =
        stream->multipath != NI_MULTIPATH_DEFAULT ? stream->multipath : peer->ni->send.multipath;
    struct ni_multipath_out *out;
    ni_status status;

    stream->way = NI_STREAM_ONE_RAIL;
    if (!may_spread(stream, how)) {
        return NI_OK;
    }
    status = ni_packet_need_lane(peer);
    if (status == NI_OK && peer->ep->rails > 1 && (out = get_multipath_out(peer)) != NULL) {
        status = make_rails(peer, out);
        if (status == NI_OK && out->rails > 1) {
            stream->way = how == NI_MULTIPATH_RESEQUENCE ? NI_STREAM_ORDERED : NI_STREAM_COUNTED;
        }
        if (stream->way == NI_STREAM_COUNTED && !stream->is_answer &&
            !take_counter(out, &stream->counter)) {
            stream->way = NI_STREAM_ONE_RAIL;
        }
    }
    if (status != NI_OK) {
        stream->way = NI_STREAM_UNDECIDED;
    }
    return status;
}

void ni_multipath_leave(const struct ni_stream *stream)
{
    struct ni_multipath_out *out = stream->peer->send.spread;

    if (stream->way == NI_STREAM_COUNTED && !stream->is_answer) {
        out->counters &= ~(UINT32_C(1) << stream->counter);
        out->counter_end[stream->counter] = out->seq;
    }
}

/* ---- one part -------------------------------------------------------------------------------- */

/* Where a part is composed: on which rail, in its ring or with its payload in the bulk area. */
struct place {
    unsigned rail;
    struct ni_packet *packet; /* other rails than the first */
    uint32_t lines;
    bool in_bulk;
    uint8_t *fields, *payload;
};

/* On one of the other rails. skip: of `len` bytes, those before the data, which begins a line. */
static bool place_on_rail(const struct ni_peer *peer, struct ni_lane_tx *tx, uint32_t skip,
                          uint32_t len, struct place *place)
{
    uint32_t lines = ni_packet_lines(PART_HEAD, len);

    place->in_bulk = lines > peer->ep->max_lines || len > NI_RING_PAYLOAD;
    place->lines = place->in_bulk ? 1 : lines;
    if (!ni_lane_room(tx, place->lines)) {
        return false;
    }
    place->packet = ni_lane_at(tx);
    place->fields = (uint8_t *)place->packet + NI_PACKET_HEADER;
    place->payload =
        place->in_bulk ? ni_lane_bulk_reserve(tx, len, skip) : (uint8_t *)place->packet + PART_HEAD;
    return place->payload != NULL;
}

/* NI_AGAIN: this rail has no room. */
static ni_status place_on(struct ni_peer *peer, unsigned rail, uint32_t skip, uint32_t len,
                          struct place *place)
{
    struct ni_lane_tx *tx;

    place->rail = rail;
    if (rail == 0) {
        return ni_packet_begin(peer, PART_FIELDS, skip, len, &place->fields, &place->payload);
    }
    tx = &peer->send.spread->rail[rail - 1];
    return place_on_rail(peer, tx, skip, len, place) ? NI_OK
                                                     : peer->ep->ops->rail(peer->ep, rail, tx);
}

/* The rail whose turn it is, or the next that has room; the first one, if the part must go
 * there. */
static ni_status find_place(struct ni_peer *peer, bool first, uint32_t skip, uint32_t len,
                            struct place *place)
{
    const struct ni_multipath_out *out = peer->send.spread;
    ni_status status = NI_AGAIN;

    if (first) {
        return place_on(peer, 0, skip, len, place);
    }
    for (unsigned i = 0; i < out->rails && status == NI_AGAIN; i++) {
        status = place_on(peer, (out->next + i) % out->rails, skip, len, place);
    }
    return status;
}

static void commit_part(struct ni_peer *peer, const struct place *place, uint32_t len,
                        ni_handle handle)
{
    struct ni_multipath_out *out = peer->send.spread;
    uint64_t word0 = ni_packet_word0(0, NI_PACKET_WRITE, PART_HEAD, 0);

    out->next = (place->rail + 1) % out->rails;
    ni_stat_add(&out->packets[place->rail], 1);
    if (place->rail == 0) {
        ni_packet_commit(peer, NI_PACKET_WRITE, 0, len, handle);
        return;
    }
    place->packet->word1 = ni_packet_word1(len, handle);
    if (place->in_bulk) {
        ni_lane_commit_bulk(&out->rail[place->rail - 1], word0, 1, place->payload, len);
    } else {
        ni_lane_commit(&out->rail[place->rail - 1], word0, place->lines);
    }
    ni_published(peer, peer->ep);
}

static void count_part(struct ni *ni, const struct place *place, uint32_t len)
{
    ni_lock_take(&ni->lock, ni->threads);
    ni_stat_add(&ni->stats.parts_sent, 1);
    if (place->rail != 0) {
        ni_stat_add(&ni->stats.parts_rails, 1);
        ni_stat_add(&ni->stats.tx_packets, 1);
        ni_stat_add(&ni->stats.tx_bytes, len);
    }
    ni_lock_give(&ni->lock, ni->threads);
}

/* The window is full: until the peer says that it has taken more. */
static ni_status stall(struct ni *ni, struct ni_multipath_out *out)
{
    if (!out->stalled) {
        ni_lock_take(&ni->lock, ni->threads);
        ni_stat_add(&ni->stats.window_stalls, 1);
        ni_lock_give(&ni->lock, ni->threads);
    }
    out->stalled = true;
    return NI_AGAIN;
}

/* What a part is, beside its bytes. */
static uint64_t flags(const struct ni_stream *stream, bool noted)
{
    return NI_WRITE_PART | (stream->way == NI_STREAM_ORDERED ? NI_PART_ORDERED : 0) |
           (noted ? NI_PART_NOTED : 0) | (stream->is_answer ? NI_PART_ANSWER : 0);
}

/* Fill the part, whose data are the next len bytes. Returns whether the stream goes on. */
static bool fill_part(const struct ni_stream *stream, const struct place *place, uint32_t len,
                      bool noted)
{
    struct ni_packet_part part = {.seq = (uint32_t)stream->peer->send.spread->seq,
                                  .counter = stream->counter};
    struct ni_packet_remote fields = {
        .addr = stream->where.addr,
        .key = stream->where.key,
        .token = stream->token,
        .operand = flags(stream, noted) | stream->sent,
        .compare = stream->len,
    };
    uint8_t *at = place->payload;
    ni_status refused;

    memcpy(at, &part, sizeof(part));
    at += sizeof(part);
    if (noted) {
        memcpy(at, &stream->noting->note, sizeof(stream->noting->note));
        at += sizeof(stream->noting->note);
    }
    refused = ni_stream_copy(stream, at, len);
    if (stream->is_answer) {
        fields.key = (uint16_t)refused;
    }
    memcpy(place->fields, &fields, sizeof(fields));
    return refused == NI_OK;
}

ni_status ni_multipath_step(struct ni_stream *stream)
{
    struct ni_peer *peer = stream->peer;
    struct ni_multipath_out *out = peer->send.spread;
    uint32_t len = (uint32_t)ni_min_u64(stream->len - stream->sent, ni_stream_segment(peer));
    bool last = stream->sent + len == stream->len;
    bool noted = last && stream->noting != NULL && stream->noting->noted;
    uint32_t skip = sizeof(struct ni_packet_part) + (noted ? sizeof(struct ni_packet_note) : 0);
    struct place place;
    ni_status status;

    if (out->seq - out->taken >= NI_PARTS_WINDOW) {
        return stall(peer->ni, out);
    }
    status = find_place(peer, last && stream->way == NI_STREAM_ORDERED, skip, skip + len, &place);
    if (status != NI_OK) {
        return status;
    }
    out->stalled = false;
    stream->sent = fill_part(stream, &place, len, noted) ? stream->sent + len : stream->len;
    commit_part(peer, &place, skip + len, stream->where.handle);
    count_part(peer->ni, &place, skip + len);
    out->seq++;
    if (last && stream->noting != NULL) {
        ni_noting_depart(peer->ni, stream->noting);
    }
    return NI_OK;
}

ni_status ni_multipath_taken(struct ni_peer *peer, uint64_t seq)
{
    struct ni_multipath_out *out;
    ni_status status = NI_ERR_PROTOCOL;
    uint64_t more;

    ni_lock_take(&peer->lock, peer->threads);
    out = peer->send.spread;
    if (out != NULL) {
        more = (uint32_t)seq - (uint32_t)out->taken;
        if (seq <= UINT32_MAX && more <= out->seq - out->taken) {
            out->taken += more;
            status = NI_OK;
        }
    }
    ni_lock_give(&peer->lock, peer->threads);
    return status;
}

/* ---- for programs ---------------------------------------------------------------------------- */

unsigned ni_rails(const struct ni *ni, struct ni_peer *peer, uint64_t *packets, unsigned most)
{
    unsigned rails = 1;

    (void)ni;
    ni_lock_take(&peer->lock, peer->threads);
    if (peer->send.spread != NULL) {
        rails = peer->send.spread->rails;
    }
    for (unsigned i = 0; i < most; i++) {
        packets[i] = i < rails && peer->send.spread != NULL
                         ? ni_stat_get(&peer->send.spread->packets[i])
                         : 0;
    }
    ni_lock_give(&peer->lock, peer->threads);
    return rails;
}
