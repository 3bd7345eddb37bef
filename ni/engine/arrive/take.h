/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_TAKE_H
#define NI_ENGINE_TAKE_H

#include "engine/arrive/arrive.h"
#include "engine/send/fast.h"
#include "engine/arrive/answers.h"
#include "engine/arrive/handlers.h"
#include "engine/object/queue/multi.h"
#include "engine/core/ni.h"
#include "engine/core/peer.h"
#include "engine/core/portal_ops.h"
#include "engine/object/queue/queue.h"

/*
 * Part of progress.c: one packet of a lane, from the look that finds it to the step over it. The
 * most frequent kinds are told apart and handled inline.
 */

NI_ALWAYS_INLINE bool is_line_message(uint64_t word0, uint64_t word1)
{
    return (word0 >> 32 & 0xffff) == (NI_PACKET_MESSAGE | NI_PACKET_HEADER << 8) &&
           ni_packet_len(word1) <= NI_PACKET_INLINE;
}

/* By far the most frequent packet: a message in one line, for who got the last one. */
NI_ALWAYS_INLINE bool is_usual(const struct ni *ni, uint64_t word0, uint64_t word1)
{
    return is_line_message(word0, word1) && ni_packet_region(word1) == ni->arrive.last.queue;
}

/* The same, for the queue with a body that got the last one. */
NI_ALWAYS_INLINE bool is_item(const struct ni *ni, uint64_t word0, uint64_t word1)
{
    return is_line_message(word0, word1) && ni_packet_region(word1) == ni->arrive.last_queue.queue;
}

/* A message of several lines for the consumer that got the last one. */
NI_ALWAYS_INLINE bool is_lines(const struct ni *ni, uint64_t word0, uint64_t word1)
{
    return !ni_packet_in_bulk(word0) && ni_packet_region(word1) == ni->arrive.last.queue &&
           ni_packet_head(word0) + (uint64_t)ni_packet_len(word1) > NI_LINE;
}

/* A packet is stepped over before it is handed on: a callback may poll again, and then finds the
 * next one. Its lines are given back when nobody is in a callback of this lane any more. */
NI_ALWAYS_INLINE void step_over(struct ni_lane_rx *lane, uint32_t lines)
{
    ni_lane_advance(lane, lines);
    lane->depth++;
}

/* It has been handed on. slot is the lane's place in ni->core.lanes. */
NI_ALWAYS_INLINE ni_status handed_on(const struct ni *ni, struct ni_lane_rx *lane, uint32_t slot,
                                     uint32_t lines, ni_status status)
{
    if (NI_UNLIKELY(ni->core.lanes[slot] != lane)) {
        return NI_ERR_CLOSED; /* the lane went away under its own packet */
    }
    lane->depth--;
    if (NI_UNLIKELY(status != NI_OK) && (status == NI_AGAIN || status == NI_ERR_NOMEM)) {
        ni_lane_step_back(lane, lines);
    }
    return status;
}

NI_ALWAYS_INLINE ni_status take_message(struct ni *ni, struct ni_lane_rx *lane, uint32_t slot,
                                        const struct ni_packet *packet, uint64_t word0,
                                        uint64_t word1)
{
    step_over(lane, 1);
    ni_message_call(ni, lane->peer, word0, word1, (const uint8_t *)packet + NI_PACKET_HEADER);
    return handed_on(ni, lane, slot, 1, NI_OK);
}

/* Nobody is called, so that nothing is found changed afterwards. False: it is of another size, or
 * finds no room. */
NI_ALWAYS_INLINE bool take_item(const struct ni *ni, struct ni_lane_rx *lane,
                                const struct ni_packet *packet, uint64_t word1)
{
    struct ni_queue *queue = ni->arrive.last_queue.body;

    if (NI_UNLIKELY(ni_packet_len(word1) != queue->item) ||
        NI_UNLIKELY(!ni_queue_push_item(queue, packet->body))) {
        return false;
    }
    ni_lane_advance(lane, 1);
    return true;
}

static NI_NOINLINE ni_status take_lines_message(struct ni *ni, struct ni_lane_rx *lane,
                                                uint32_t slot, const struct ni_packet *packet,
                                                uint64_t word0, uint64_t word1)
{
    const uint8_t *payload;
    uint32_t lines = ni_lane_check(lane, packet, word0, word1, &payload);

    if (NI_UNLIKELY(lines == 0)) {
        return ni_lane_refusal(lane);
    }
    /* From the second line on: the first is here. */
    ni_fetch_ahead((const uint8_t *)packet + NI_LINE,
                   (uint32_t)(payload - (const uint8_t *)packet) + ni_packet_len(word1) - NI_LINE);
    step_over(lane, lines);
    ni_message_call(ni, lane->peer, word0, word1, payload);
    return handed_on(ni, lane, slot, lines, NI_OK);
}

NI_ALWAYS_INLINE ni_status take_put(struct ni *ni, struct ni_lane_rx *lane, uint32_t slot,
                                    const struct ni_packet *packet, uint64_t word0, uint64_t word1)
{
    ni_status status;

    step_over(lane, 1);
    status = ni->portal_ops->arrive_plain(ni, lane->peer, packet, word0, word1,
                                          (const uint8_t *)&packet->body[2]);
    return handed_on(ni, lane, slot, 1, status);
}

static NI_NOINLINE ni_status take_lines_put(struct ni *ni, struct ni_lane_rx *lane, uint32_t slot,
                                            const struct ni_packet *packet, uint64_t word0,
                                            uint64_t word1)
{
    const uint8_t *payload;
    uint32_t lines = ni_lane_check(lane, packet, word0, word1, &payload);
    ni_status status;

    if (NI_UNLIKELY(lines == 0)) {
        return ni_lane_refusal(lane);
    }
    ni_fetch_ahead(payload, ni_packet_len(word1));
    step_over(lane, lines);
    status = ni->portal_ops->arrive_plain(ni, lane->peer, packet, word0, word1, payload);
    return handed_on(ni, lane, slot, lines, status);
}

static NI_NOINLINE ni_status take_any_line(struct ni *ni, struct ni_lane_rx *lane, uint32_t slot,
                                           const struct ni_packet *packet, uint64_t word0,
                                           uint64_t word1)
{
    ni_status status;

    step_over(lane, 1);
    status = ni_arrive_line(ni, lane->peer, packet, word0, word1);
    return handed_on(ni, lane, slot, 1, status);
}

static NI_NOINLINE ni_status take_other(struct ni *ni, struct ni_lane_rx *lane, uint32_t slot,
                                        const struct ni_packet *packet, uint64_t word0,
                                        uint64_t word1)
{
    struct ni_peer *peer = lane->peer;
    const uint8_t *payload;
    uint32_t lines = ni_lane_check(lane, packet, word0, word1, &payload);
    ni_status status = NI_OK;

    if (NI_UNLIKELY(lines == 0)) {
        return ni_lane_refusal(lane);
    }
    /* Behind the first line, or in the bulk area. */
    if ((uintptr_t)payload - (uintptr_t)packet >= NI_LINE) {
        ni_fetch_ahead(payload, ni_packet_len(word1));
    }
    step_over(lane, lines);
    if (!ni_message_take(ni, peer, word0, word1, payload)) {
        status = ni_packet_kind(word0) >= NI_PACKET_PUT && ni->portal_ops != NULL
                     ? ni->portal_ops->arrive(ni, peer, packet, word0, word1, payload)
                     : ni_arrive(ni, peer, packet, word0, word1, payload, lane);
    }
    return handed_on(ni, lane, slot, lines, status);
}

static NI_NOINLINE ni_status take_any(struct ni *ni, struct ni_lane_rx *lane, uint32_t slot,
                                      const struct ni_packet *packet, uint64_t word0,
                                      uint64_t word1)
{
    return ni_packet_is_line_of_memory(word0, word1)
               ? take_any_line(ni, lane, slot, packet, word0, word1)
               : take_other(ni, lane, slot, packet, word0, word1);
}

/* Something that a function is told of. */
static NI_NOINLINE ni_status take_told(struct ni *ni, struct ni_lane_rx *lane, uint32_t slot,
                                       ni_done_fn fn, void *arg, uint64_t value)
{
    step_over(lane, 1);
    fn(arg, NI_OK, value);
    return handed_on(ni, lane, slot, 1, NI_OK);
}

/* One function for each kind, which calls nothing but by its last step: together they would keep
 * what all of them need, which is more than what one does. Each goes on to take_any with what
 * its instance does not do. */

static NI_NOINLINE ni_status take_counted(struct ni *ni, struct ni_lane_rx *lane, uint32_t slot,
                                          const struct ni_packet *packet, uint64_t word0,
                                          uint64_t word1)
{
    uint64_t counter = ni_direct_field(packet, 3);
    const uint8_t *payload;
    uint32_t lines = ni_lane_check(lane, packet, word0, word1, &payload);
    struct ni_call call;

    if (NI_UNLIKELY(lines == 0)) {
        return ni_lane_refusal(lane);
    }
    ni_fetch_ahead(payload, ni_packet_len(word1));
    if (NI_UNLIKELY(!ni_write_is_counted(packet, word1, counter)) ||
        NI_UNLIKELY(
            !ni_write_counted_memory(ni, packet, word1, counter, payload, &call, NI_MODE_LINE))) {
        return take_any(ni, lane, slot, packet, word0, word1);
    }
    step_over(lane, lines);
    if (call.fn != NULL) {
        call.fn(call.arg, NI_OK, call.value);
    }
    return handed_on(ni, lane, slot, lines, NI_OK);
}

/* A Write of a word to memory. */
NI_ALWAYS_INLINE bool take_word(struct ni *ni, struct ni_lane_rx *lane,
                                const struct ni_packet *packet, uint64_t word1, uint16_t tag)
{
    const uint64_t word0 = ni_packet_word0(0, NI_PACKET_WRITE, NI_DIRECT_HEAD, tag);
    const struct ni_write write =
        ni_write_of(packet, word0, word1, (const uint8_t *)packet + NI_DIRECT_HEAD);

    if (NI_UNLIKELY(!ni_short_is_word(write.len)) ||
        NI_UNLIKELY(!ni_write_is_whole(packet, word0, word1)) ||
        NI_UNLIKELY(!ni_write_memory(ni, lane->peer, &write, NI_MODE_LINE))) {
        return false;
    }
    ni_lane_advance(lane, 1);
    return true;
}

static NI_NOINLINE ni_status take_write(struct ni *ni, struct ni_lane_rx *lane, uint32_t slot,
                                        const struct ni_packet *packet, uint64_t word0,
                                        uint64_t word1)
{
    if ((ni_direct_field(packet, 3) & NI_WRITE_COUNTED) != 0) {
        return take_counted(ni, lane, slot, packet, word0, word1);
    }
    return NI_LIKELY(take_word(ni, lane, packet, word1, 0))
               ? NI_OK
               : take_any(ni, lane, slot, packet, word0, word1);
}

static NI_NOINLINE ni_status take_write_unacked(struct ni *ni, struct ni_lane_rx *lane,
                                                uint32_t slot, const struct ni_packet *packet,
                                                uint64_t word0, uint64_t word1)
{
    return NI_LIKELY(take_word(ni, lane, packet, word1, NI_WRITE_UNACKED))
               ? NI_OK
               : take_any(ni, lane, slot, packet, word0, word1);
}

static NI_NOINLINE ni_status take_addition(struct ni *ni, struct ni_lane_rx *lane, uint32_t slot,
                                           const struct ni_packet *packet, uint64_t word0,
                                           uint64_t word1)
{
    struct ni_call call;

    if (NI_UNLIKELY(!ni_write_is_addition(packet, word1)) ||
        NI_UNLIKELY(!ni_write_addition(ni, packet, word1, &call, NI_MODE_LINE))) {
        return take_any(ni, lane, slot, packet, word0, word1);
    }
    if (call.fn != NULL) {
        return take_told(ni, lane, slot, call.fn, call.arg, call.value);
    }
    ni_lane_advance(lane, 1);
    return NI_OK;
}

static NI_NOINLINE ni_status take_read(struct ni *ni, struct ni_lane_rx *lane, uint32_t slot,
                                       const struct ni_packet *packet, uint64_t word0,
                                       uint64_t word1)
{
    const struct ni_remote where = ni_direct_remote(packet, word1);
    uint64_t token = ni_direct_field(packet, 2), len = ni_direct_field(packet, 3);

    if (NI_UNLIKELY(!ni_short_is_word(len)) ||
        NI_UNLIKELY(!ni_read_is_of_memory(packet, 0, word1)) ||
        NI_UNLIKELY(!ni_read_memory(ni, lane->peer, &where, token, (uint32_t)len, NI_MODE_LINE))) {
        return take_any(ni, lane, slot, packet, word0, word1);
    }
    ni_lane_advance(lane, 1);
    return NI_OK;
}

/* An answer that says NI_OK. */
NI_ALWAYS_INLINE ni_status take_answer(struct ni *ni, struct ni_lane_rx *lane, uint32_t slot,
                                       const struct ni_packet *packet, uint64_t word0,
                                       uint64_t word1, bool data)
{
    const struct ni_answer answer = ni_answer_of(packet, word1, NI_OK, data, NI_MODE_LINE);
    struct ni_ack ack;
    uint64_t value;

    if (NI_UNLIKELY(data ? !ni_short_is_word(answer.len) : answer.len != 0) ||
        NI_UNLIKELY(!ni_answer_take(ni, lane->peer, &answer, data, &ack, &value, NI_MODE_LINE))) {
        return take_any(ni, lane, slot, packet, word0, word1);
    }
    if (NI_LIKELY(ack.kind == NI_ACK_CALL)) {
        return take_told(ni, lane, slot, ack.fn, ack.arg, value);
    }
    ni_lane_advance(lane, 1);
    return NI_OK;
}

static NI_NOINLINE ni_status take_ack(struct ni *ni, struct ni_lane_rx *lane, uint32_t slot,
                                      const struct ni_packet *packet, uint64_t word0,
                                      uint64_t word1)
{
    return take_answer(ni, lane, slot, packet, word0, word1, false);
}

static NI_NOINLINE ni_status take_data(struct ni *ni, struct ni_lane_rx *lane, uint32_t slot,
                                       const struct ni_packet *packet, uint64_t word0,
                                       uint64_t word1)
{
    return take_answer(ni, lane, slot, packet, word0, word1, true);
}

/* What the upper half of word 0 is. */
NI_ALWAYS_INLINE bool is_line(uint64_t word0, unsigned kind, unsigned head, uint16_t tag)
{
    return word0 >> 32 == ni_packet_word0(0, kind, head, tag) >> 32;
}

/* What is no message and no put. */
static NI_NOINLINE ni_status take_rest(struct ni *ni, struct ni_lane_rx *lane, uint32_t slot,
                                       const struct ni_packet *packet, uint64_t word0,
                                       uint64_t word1)
{
    if (NI_UNLIKELY(ni->threads)) {
        return take_any(ni, lane, slot, packet, word0, word1);
    }
    if (is_line(word0, NI_PACKET_WRITE, NI_DIRECT_HEAD, NI_WRITE_UNACKED)) {
        return take_write_unacked(ni, lane, slot, packet, word0, word1);
    }
    if (is_line(word0, NI_PACKET_WRITE, NI_DIRECT_HEAD, NI_WRITE_HOLD)) {
        return take_addition(ni, lane, slot, packet, word0, word1);
    }
    if (is_line(word0, NI_PACKET_WRITE, NI_DIRECT_HEAD, 0)) {
        return take_write(ni, lane, slot, packet, word0, word1);
    }
    if (is_line(word0, NI_PACKET_ACK, NI_LINE, NI_OK)) {
        return take_ack(ni, lane, slot, packet, word0, word1);
    }
    if (is_line(word0, NI_PACKET_READ, NI_LINE, NI_READ_MEMORY)) {
        return take_read(ni, lane, slot, packet, word0, word1);
    }
    if (is_line(word0, NI_PACKET_ACK, NI_DIRECT_READ, NI_OK)) {
        return take_data(ni, lane, slot, packet, word0, word1);
    }
    return is_line(word0, NI_PACKET_WRITE, NI_LINE, 0)
               ? take_counted(ni, lane, slot, packet, word0, word1)
               : take_any(ni, lane, slot, packet, word0, word1);
}

/* Hand on one packet of a lane: the most frequent kinds in short. */
NI_ALWAYS_INLINE ni_status take_packet(struct ni *ni, struct ni_lane_rx *lane, uint32_t slot,
                                       const struct ni_packet *packet, uint64_t word0,
                                       uint64_t word1)
{
    if (NI_LIKELY(is_usual(ni, word0, word1))) {
        return take_message(ni, lane, slot, packet, word0, word1);
    }
    if (ni_packet_kind(word0) == NI_PACKET_MESSAGE) {
        if (is_item(ni, word0, word1) && NI_LIKELY(take_item(ni, lane, packet, word1))) {
            return NI_OK;
        }
        return NI_LIKELY(is_lines(ni, word0, word1))
                   ? take_lines_message(ni, lane, slot, packet, word0, word1)
                   : take_other(ni, lane, slot, packet, word0, word1);
    }
    if (NI_LIKELY(ni_packet_is_short_put(word0, word1) && ni->portal_ops != NULL)) {
        return take_put(ni, lane, slot, packet, word0, word1);
    }
    if (NI_LIKELY(ni_packet_is_lines_put(word0, word1) && ni->portal_ops != NULL)) {
        return take_lines_put(ni, lane, slot, packet, word0, word1);
    }
    return take_rest(ni, lane, slot, packet, word0, word1);
}

#endif
