/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "engine/arrive/arrive.h"
#include "engine/send/control.h"
#include "engine/object/counter/counter.h"
#include "engine/send/direct.h"
#include "engine/send/fast.h"
#include "engine/core/memory.h"
#include "engine/send/send.h"

/*
 * Packets in, the frequent ones: each has a handler of its own, compiled with and without locks.
 * What it does not do itself goes on to ni_arrive_any, which judges it anew.
 */

/* By the detour. A peer that is going away needs no answers; its own failure is noticed
 * elsewhere. */
NI_COLD void ni_direct_answer_later(struct ni_peer *peer, uint64_t token, ni_status status,
                                    uint64_t value)
{
    struct ni_packet_ack fields = {.token = token, .value = value};

    if (token != 0) {
        (void)ni_send_control(peer, NI_PACKET_ACK, NI_LINE, (uint16_t)status, 0, 0, &fields,
                              sizeof(fields));
    }
}

/* The bytes of a Write into memory, if it may be; false: nothing was written. */
NI_ALWAYS_INLINE bool put_bytes(struct ni *ni, const struct ni_packet *packet, uint64_t word1,
                                const uint8_t *payload, bool threads)
{
    const struct ni_remote where = ni_direct_remote(packet, word1);
    uint32_t len = ni_packet_len(word1);

    return ni_memory_write(ni, &where, len, 0, payload, len, threads) == NI_OK;
}

/* A whole Write to memory, if it may be: only that has bytes. False: ni_on_write says what is
 * wrong, or knows what else it is. */
NI_ALWAYS_INLINE bool write_whole(struct ni *ni, struct ni_peer *peer,
                                  const struct ni_packet *packet, uint64_t word0, uint64_t word1,
                                  const uint8_t *payload, bool threads)
{
    uint64_t token = ni_direct_field(packet, 2);
    uint32_t len = ni_packet_len(word1);

    if (NI_UNLIKELY(len == 0) || NI_UNLIKELY(ni_direct_field(packet, 3) != 0) ||
        NI_UNLIKELY(ni_direct_field(packet, 4) != len) ||
        NI_UNLIKELY(ni_packet_head(word0) < NI_DIRECT_HEAD && !ni_packet_in_bulk(word0))) {
        return false;
    }
    if (NI_UNLIKELY(!put_bytes(ni, packet, word1, payload, threads))) {
        return false;
    }
    if ((ni_packet_tag(word0) & NI_WRITE_QUIET) == 0) {
        (void)ni_direct_answer(peer, token, NI_OK, len, threads);
    }
    return true;
}

/* The same for one that leaves out what follows from its length. Apart: eight bytes, the usual
 * ones, need not ask for it. */
static NI_NOINLINE bool write_short(struct ni *ni, struct ni_peer *peer,
                                    const struct ni_packet *packet, uint64_t word0, uint64_t word1,
                                    const uint8_t *payload)
{
    uint32_t len = ni_packet_len(word1);

    if (NI_UNLIKELY(!put_bytes(ni, packet, word1, payload, ni->threads))) {
        return false;
    }
    if (ni_packet_tag(word0) == 0) {
        (void)ni_direct_answer(peer, ni_direct_field(packet, 2), NI_OK, len, ni->threads);
    }
    return true;
}

/* Each word of the packet is read once, where it is needed. */
NI_ALWAYS_INLINE ni_status atomic(struct ni *ni, struct ni_peer *peer,
                                  const struct ni_packet *packet, uint64_t word0, uint64_t word1,
                                  bool threads)
{
    unsigned tag = ni_packet_tag(word0), op = tag & 0xff, width = tag >> 8;
    const struct ni_remote where = ni_direct_remote(packet, word1);
    uint64_t token = ni_direct_field(packet, 2), old = 0;
    ni_status status;

    if (NI_UNLIKELY((width != 4 && width != 8) || op >= NI_ATOMIC_OPS ||
                    ni_packet_len(word1) != 0)) {
        return NI_ERR_PROTOCOL;
    }
    status = ni_memory_combine(ni, &where, (enum ni_atomic_op)op, width, ni_direct_field(packet, 3),
                               ni_direct_field(packet, 4), &old, threads);
    if (NI_UNLIKELY(status != NI_OK)) {
        ni_stat_add(&ni->stats.rx_refused, 1);
    }
    return ni_direct_answer(peer, token, status, old, threads);
}

NI_NOINLINE ni_status ni_arrive_atomic(struct ni *ni, struct ni_peer *peer,
                                       const struct ni_packet *packet, uint64_t word0,
                                       uint64_t word1)
{
    return NI_LIKELY(!ni->threads) ? atomic(ni, peer, packet, word0, word1, false)
                                   : atomic(ni, peer, packet, word0, word1, true);
}

/* A Read of what fits one packet, answered now. False: not now, or not at all. */
NI_ALWAYS_INLINE bool read_now(struct ni *ni, struct ni_peer *peer, ni_handle region,
                               const struct ni_packet_remote *fields, bool threads)
{
    const struct ni_remote where = {.addr = fields->addr, .key = fields->key, .handle = region};
    uint32_t len = (uint32_t)fields->operand;
    unsigned head = len <= NI_LINE - NI_DIRECT_READ ? NI_DIRECT_READ : NI_LINE;
    uint32_t lines = ni_packet_lines(head, len);
    struct ni_packet *packet;
    bool sent = false;

    ni_lock_take(&peer->lock, threads);
    packet = ni_direct_place(peer, lines);
    if (NI_LIKELY(packet != NULL && lines <= peer->ep->max_lines)) {
        sent = ni_memory_read(ni, &where, (uint8_t *)packet + head, len, threads) == NI_OK;
    }
    if (NI_LIKELY(sent)) {
        packet->body[0] = fields->token;
        packet->body[1] = len;
        packet->body[2] = 0;
        ni_direct_send(peer, packet, ni_packet_word0(0, NI_PACKET_ACK, head, NI_OK),
                       ni_packet_word1(len, 0), lines);
    }
    ni_lock_give(&peer->lock, threads);
    return sent;
}

bool ni_direct_read(struct ni *ni, struct ni_peer *peer, ni_handle region,
                    const struct ni_packet_remote *fields)
{
    if (fields->operand == 0 || !ni_is_one_packet(ni, fields->operand)) {
        return false;
    }
    return NI_LIKELY(!ni->threads) ? read_now(ni, peer, region, fields, false)
                                   : read_now(ni, peer, region, fields, true);
}

static NI_NOINLINE ni_status on_short_read(struct ni *ni, struct ni_peer *peer,
                                           const struct ni_packet *packet, uint64_t word0,
                                           uint64_t word1)
{
    const struct ni_packet_remote fields = {
        .addr = ni_direct_field(packet, 0),
        .key = ni_direct_field(packet, 1),
        .token = ni_direct_field(packet, 2),
        .operand = ni_direct_field(packet, 3),
    };

    if (NI_LIKELY(ni_packet_tag(word0) == NI_READ_MEMORY && ni_packet_len(word1) == 0) &&
        NI_LIKELY(fields.token != 0) &&
        NI_LIKELY(ni_direct_read(ni, peer, ni_packet_region(word1), &fields))) {
        return NI_OK;
    }
    return ni_arrive_any(ni, peer, packet, word0, word1,
                         (const uint8_t *)packet + ni_packet_head(word0), NULL);
}

/* An answer without payload: most often all that its operation waits for. */
static NI_NOINLINE ni_status on_answer(struct ni *ni, struct ni_peer *peer,
                                       const struct ni_packet *packet, uint64_t word0,
                                       uint64_t word1)
{
    uint64_t token = ni_direct_field(packet, 0), value = ni_direct_field(packet, 1);
    ni_status status = ni_direct_status(ni_packet_tag(word0));

    if (NI_LIKELY(ni->threads ? ni_direct_answered(ni, peer, token, status, value, true)
                              : ni_direct_answered(ni, peer, token, status, value, false))) {
        return NI_OK;
    }
    return ni_arrive_any(ni, peer, packet, word0, word1, (const uint8_t *)packet, NULL);
}

/* All that was read, in the line of the answer. False: it is something else. */
NI_ALWAYS_INLINE bool take_read(struct ni *ni, struct ni_peer *peer, const struct ni_packet *packet,
                                uint64_t word1, bool threads)
{
    uint64_t token = ni_direct_field(packet, 0), value = ni_direct_field(packet, 1);
    uint64_t offset = ni_direct_field(packet, 2);
    uint32_t len = ni_packet_len(word1);
    struct ni_ack ack;
    struct ni_op *op;

    ni_lock_take(&ni->lock, threads);
    op = ni_direct_find(ni, peer, token);
    if (NI_UNLIKELY(op == NULL) || NI_UNLIKELY(op->kind != NI_OP_READ) ||
        NI_UNLIKELY(op->len != len) || NI_UNLIKELY(value != len) || NI_UNLIKELY(offset != 0) ||
        NI_UNLIKELY(op->got != 0)) {
        ni_lock_give(&ni->lock, threads);
        return false;
    }
    ack = op->ack;
    ni_direct_copy(op->local, (const uint8_t *)packet + NI_DIRECT_READ, len);
    ni_direct_free(ni, op);
    ni_lock_give(&ni->lock, threads);
    ni_direct_tell(ni, &ack, NI_OK, len);
    return true;
}

static NI_NOINLINE ni_status on_short_answer(struct ni *ni, struct ni_peer *peer,
                                             const struct ni_packet *packet, uint64_t word0,
                                             uint64_t word1)
{
    if (NI_LIKELY(ni_packet_head(word0) == NI_DIRECT_READ && ni_packet_tag(word0) == NI_OK) &&
        NI_LIKELY(ni->threads ? take_read(ni, peer, packet, word1, true)
                              : take_read(ni, peer, packet, word1, false))) {
        return NI_OK;
    }
    return ni_arrive_any(ni, peer, packet, word0, word1,
                         (const uint8_t *)packet + ni_packet_head(word0), NULL);
}

/* What is added to a counter of ours, of which nobody wants to hear again. */
static bool write_counter(struct ni *ni, const struct ni_packet *packet, uint64_t word1)
{
    return ni_packet_len(word1) == sizeof(int64_t) &&
           ni_direct_field(packet, 4) == sizeof(int64_t) && ni_direct_field(packet, 2) == 0 &&
           ni_counter_add_keyed(ni, ni_packet_region(word1), ni_direct_field(packet, 1),
                                (int64_t)ni_direct_field(packet, 5)) == NI_OK;
}

/* Bytes for memory that are counted where they arrive. */
static bool write_counted(struct ni *ni, const struct ni_packet *packet, uint64_t word1,
                          const uint8_t *payload)
{
    uint64_t key = ni_direct_field(packet, 2);
    ni_handle counter = (ni_handle)ni_direct_field(packet, 3);
    uint32_t len = ni_packet_len(word1);

    if (ni_direct_field(packet, 4) != len ||
        NI_UNLIKELY(!put_bytes(ni, packet, word1, payload, ni->threads))) {
        return false;
    }
    if (NI_UNLIKELY(ni_counter_add_keyed(ni, counter, key, len) != NI_OK)) {
        ni_stat_add(&ni->stats.rx_refused, 1); /* nobody asked to be told */
    }
    return true;
}

/* A Write, untagged but for HOLD, that says in `operand` that it is no plain one. */
static NI_NOINLINE ni_status on_special_write(struct ni *ni, struct ni_peer *peer,
                                              const struct ni_packet *packet, uint64_t word0,
                                              uint64_t word1, const uint8_t *payload)
{
    uint64_t operand = ni_direct_field(packet, 3);

    if (operand == NI_WRITE_WORD && payload == (const uint8_t *)&packet->body[5] &&
        write_counter(ni, packet, word1)) {
        return NI_OK;
    }
    if ((operand & NI_WRITE_COUNTED) != 0 && ni_packet_tag(word0) == 0 &&
        write_counted(ni, packet, word1, payload)) {
        return NI_OK;
    }
    return ni_arrive_any(ni, peer, packet, word0, word1, payload, NULL);
}

static NI_NOINLINE ni_status on_short_write(struct ni *ni, struct ni_peer *peer,
                                            const struct ni_packet *packet, uint64_t word0,
                                            uint64_t word1, const uint8_t *payload)
{
    if (ni_packet_head(word0) >= NI_DIRECT_HEAD && !ni_packet_in_bulk(word0) &&
        (ni_packet_tag(word0) & ~NI_WRITE_HOLD) == 0 && ni_direct_field(packet, 3) != 0) {
        return on_special_write(ni, peer, packet, word0, word1, payload);
    }
    if (NI_LIKELY(ni->threads ? write_whole(ni, peer, packet, word0, word1, payload, true)
                              : write_whole(ni, peer, packet, word0, word1, payload, false))) {
        return NI_OK;
    }
    if (ni_packet_head(word0) == NI_WRITE_WHOLE_HEAD && !ni_packet_in_bulk(word0) &&
        ni_packet_len(word1) != 0 && (ni_packet_tag(word0) & ~NI_WRITE_QUIET) == 0 &&
        write_short(ni, peer, packet, word0, word1, payload)) {
        return NI_OK;
    }
    return ni_arrive_any(ni, peer, packet, word0, word1, payload, NULL);
}

/* The frequent ones, apart: what all kinds need together would be more than what they do. */
ni_status ni_arrive_line(struct ni *ni, struct ni_peer *peer, const struct ni_packet *packet,
                         uint64_t word0, uint64_t word1)
{
    unsigned kind = ni_packet_kind(word0);
    const uint8_t *payload = (const uint8_t *)packet + ni_packet_head(word0);

    if (kind == NI_PACKET_ACK) {
        return ni_packet_len(word1) == 0 ? on_answer(ni, peer, packet, word0, word1)
                                         : on_short_answer(ni, peer, packet, word0, word1);
    }
    if (NI_UNLIKELY(ni->spare == NULL)) {
        return ni_arrive_any(ni, peer, packet, word0, word1, payload, NULL);
    }
    if (kind == NI_PACKET_WRITE) {
        return on_short_write(ni, peer, packet, word0, word1, payload);
    }
    return kind == NI_PACKET_READ ? on_short_read(ni, peer, packet, word0, word1)
                                  : ni_arrive_atomic(ni, peer, packet, word0, word1);
}

ni_status ni_arrive(struct ni *ni, struct ni_peer *peer, const struct ni_packet *packet,
                    uint64_t word0, uint64_t word1, const uint8_t *payload, struct ni_lane_rx *lane)
{
    if (ni_packet_is_line_of_memory(word0, word1)) {
        return ni_arrive_line(ni, peer, packet, word0, word1);
    }
    if (ni_packet_kind(word0) == NI_PACKET_WRITE && NI_LIKELY(ni->spare != NULL)) {
        return on_short_write(ni, peer, packet, word0, word1, payload);
    }
    return ni_arrive_any(ni, peer, packet, word0, word1, payload, lane);
}
