/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_SHORT_H
#define NI_ENGINE_SHORT_H

#include "engine/object/counter/counter.h"
#include "engine/send/direct.h"
#include "engine/send/fast.h"
#include "engine/core/memory.h"

/*
 * The shortest ways, in an NI without threads: Writes and Reads of one word, out and in, where they
 * are answered in the same go, the answers, and additions to counters. Nothing here calls the
 * program. Each does all of it, or nothing: false, and the general way (direct.h) finds everything
 * as it was.
 */

/* Who is to be told of an answer or a counter, once its packet has been stepped over. */
struct ni_short_end {
    ni_done_fn fn; /* NULL: nobody */
    void *arg;
    uint64_t value;
};

/* ---- counters -------------------------------------------------------------------------------- */

/* Whether a counter at zero tells nobody, or one function. */
NI_ALWAYS_INLINE bool ni_short_tells(const struct ni_counter *counter, struct ni_short_end *end)
{
    const struct ni_counter_target *target = &counter->targets[0];

    end->fn = NULL;
    if (counter->count == 0) {
        return true;
    }
    if (NI_UNLIKELY(counter->count != 1) || NI_UNLIKELY(target->kind != NI_TARGET_ACK) ||
        NI_UNLIKELY(target->ack.kind != NI_ACK_CALL)) {
        return false;
    }
    *end = (struct ni_short_end){
        .fn = target->ack.fn, .arg = target->ack.arg, .value = target->ack.value};
    return true;
}

/* Add to a counter; key NULL: it is ours to add to. */
NI_ALWAYS_INLINE bool ni_short_count(struct ni *ni, ni_handle handle, const uint64_t *key,
                                     int64_t add, struct ni_short_end *end)
{
    const struct ni_table_entry *entry = ni_table_get(&ni->table, handle);
    struct ni_counter *counter;
    int64_t value;

    end->fn = NULL;
    if (NI_UNLIKELY(entry == NULL) || NI_UNLIKELY(ni_entry_type(entry) != NI_REGION_COUNTER) ||
        NI_UNLIKELY(key != NULL && ni_entry_key(entry) != *key)) {
        return false;
    }
    counter = (struct ni_counter *)(uintptr_t)ni_entry_object(entry, 0);
    if (NI_UNLIKELY(!ni_list_empty(&counter->armed))) {
        return false;
    }
    /* Unsigned, so that it wraps. */
    value = (int64_t)((uint64_t)counter->value + (uint64_t)add);
    if (value == 0 && add != 0) {
        if (NI_UNLIKELY(!ni_short_tells(counter, end))) {
            return false;
        }
        value = counter->reload; /* armed again before anybody is told */
        ni_stat_add(&ni->stats.counters_fired, 1);
    }
    counter->value = value;
    return true;
}

/* ---- in -------------------------------------------------------------------------------------- */

/* What the upper half of word 0 is. */
NI_ALWAYS_INLINE bool ni_short_is_tagged(uint64_t word0, unsigned kind, unsigned head, uint16_t tag)
{
    return word0 >> 32 == ni_packet_word0(0, kind, head, tag) >> 32;
}

NI_ALWAYS_INLINE bool ni_short_is(uint64_t word0, unsigned kind, unsigned head)
{
    return ni_short_is_tagged(word0, kind, head, 0);
}

NI_ALWAYS_INLINE bool ni_short_is_word(uint64_t len)
{
    return len == sizeof(uint64_t) || len == sizeof(uint32_t);
}

/* The bytes of a whole Write, if they may be written. */
NI_ALWAYS_INLINE bool ni_short_put(struct ni *ni, const struct ni_packet *packet, uint64_t word1,
                                   const void *from, uint32_t len)
{
    const struct ni_remote where = ni_direct_remote(packet, word1);

    return NI_LIKELY(ni_memory_write(ni, &where, len, 0, from, len, false) == NI_OK);
}

NI_ALWAYS_INLINE bool ni_short_write(struct ni *ni, struct ni_peer *peer,
                                     const struct ni_packet *packet, uint64_t word1)
{
    uint64_t token = ni_direct_field(packet, 2);
    uint32_t len = ni_packet_len(word1);
    struct ni_line line;

    if (NI_UNLIKELY(!ni_short_is_word(len)) || NI_UNLIKELY(token == 0) ||
        NI_UNLIKELY(ni_direct_field(packet, 3) != 0) ||
        NI_UNLIKELY(ni_direct_field(packet, 4) != len) ||
        NI_UNLIKELY(ni_line_begin(peer, &line) == NULL) ||
        !ni_short_put(ni, packet, word1, (const uint8_t *)packet + NI_DIRECT_HEAD, len)) {
        return false;
    }
    line.packet->body[0] = token;
    line.packet->body[1] = len;
    line.packet->body[2] = 0;
    ni_line_publish(peer, &line, ni_packet_word0(0, NI_PACKET_ACK, NI_LINE, NI_OK), 0);
    return true;
}

/* The same of which only a refusal is answered. */
NI_ALWAYS_INLINE bool ni_short_write_quiet(struct ni *ni, const struct ni_packet *packet,
                                           uint64_t word1)
{
    uint32_t len = ni_packet_len(word1);

    return NI_LIKELY(ni_short_is_word(len)) && NI_LIKELY(ni_direct_field(packet, 3) == 0) &&
           NI_LIKELY(ni_direct_field(packet, 4) == len) &&
           ni_short_put(ni, packet, word1, (const uint8_t *)packet + NI_DIRECT_HEAD, len);
}

NI_ALWAYS_INLINE bool ni_short_read(struct ni *ni, struct ni_peer *peer,
                                    const struct ni_packet *packet, uint64_t word1)
{
    uint64_t token = ni_direct_field(packet, 2), len = ni_direct_field(packet, 3);
    const struct ni_remote where = ni_direct_remote(packet, word1);
    struct ni_line line;

    if (NI_UNLIKELY(!ni_short_is_word(len)) || NI_UNLIKELY(token == 0) ||
        NI_UNLIKELY(ni_packet_len(word1) != 0) || NI_UNLIKELY(ni_line_begin(peer, &line) == NULL) ||
        NI_UNLIKELY(ni_memory_read(ni, &where, (uint8_t *)line.packet + NI_DIRECT_READ,
                                   (uint32_t)len, false) != NI_OK)) {
        return false;
    }
    line.packet->body[0] = token;
    line.packet->body[1] = len;
    line.packet->body[2] = 0;
    ni_line_publish(peer, &line, ni_packet_word0(0, NI_PACKET_ACK, NI_DIRECT_READ, NI_OK),
                    ni_packet_word1((uint32_t)len, 0));
    return true;
}

/* The operation that is over; false: more is to be told than a function can be. */
NI_ALWAYS_INLINE bool ni_short_over(struct ni *ni, struct ni_op *op, struct ni_short_end *end)
{
    if (NI_UNLIKELY((unsigned)op->ack.kind > NI_ACK_CALL)) {
        return false;
    }
    if (op->ack.kind == NI_ACK_CALL) {
        *end = (struct ni_short_end){.fn = op->ack.fn, .arg = op->ack.arg, .value = op->len};
    }
    ni_direct_free(ni, op);
    return true;
}

/* A Write has been done, or all of some. */
NI_ALWAYS_INLINE bool ni_short_ack(struct ni *ni, struct ni_peer *peer,
                                   const struct ni_packet *packet, uint64_t word1,
                                   struct ni_short_end *end)
{
    struct ni_op *op = ni_direct_find(ni, peer, ni_direct_field(packet, 0));

    return NI_LIKELY(op != NULL) && NI_LIKELY(op->kind <= NI_OP_QUIET) &&
           NI_LIKELY(ni_direct_ends(op, NI_OK)) && NI_LIKELY(ni_packet_len(word1) == 0) &&
           ni_short_over(ni, op, end);
}

/* A word has been read. */
NI_ALWAYS_INLINE bool ni_short_data(struct ni *ni, struct ni_peer *peer,
                                    const struct ni_packet *packet, uint64_t word1,
                                    struct ni_short_end *end)
{
    struct ni_op *op = ni_direct_find(ni, peer, ni_direct_field(packet, 0));
    uint64_t len = ni_packet_len(word1), word = ni_direct_field(packet, 3);
    uint8_t *local;

    if (NI_UNLIKELY(op == NULL) || NI_UNLIKELY(op->kind != NI_OP_READ) ||
        NI_UNLIKELY(!ni_short_is_word(len)) || NI_UNLIKELY(op->len != len) ||
        NI_UNLIKELY(ni_direct_field(packet, 1) != len) ||
        NI_UNLIKELY(ni_direct_field(packet, 2) != 0) || NI_UNLIKELY(op->got != 0)) {
        return false;
    }
    local = op->local;
    if (NI_UNLIKELY(!ni_short_over(ni, op, end))) {
        return false;
    }
    ni_direct_copy(local, &word, len);
    return true;
}

/* What is added to a counter, of which nobody wants to hear again. */
NI_ALWAYS_INLINE bool ni_short_addition(struct ni *ni, const struct ni_packet *packet,
                                        uint64_t word1, struct ni_short_end *end)
{
    uint64_t key = ni_direct_field(packet, 1);

    return NI_LIKELY(ni_packet_len(word1) == sizeof(int64_t)) &&
           NI_LIKELY(ni_direct_field(packet, 2) == 0) &&
           NI_LIKELY(ni_direct_field(packet, 3) == NI_WRITE_WORD) &&
           NI_LIKELY(ni_direct_field(packet, 4) == sizeof(int64_t)) &&
           ni_short_count(ni, ni_packet_region(word1), &key, (int64_t)ni_direct_field(packet, 5),
                          end);
}

/* Bytes for memory that are counted where they arrive. Where the counter is the general way's, so
 * are the bytes, once more. */
NI_ALWAYS_INLINE bool ni_short_counted(struct ni *ni, const struct ni_packet *packet,
                                       uint64_t word1, const uint8_t *payload,
                                       struct ni_short_end *end)
{
    uint64_t key = ni_direct_field(packet, 2), counter = ni_direct_field(packet, 3);
    uint32_t len = ni_packet_len(word1);

    return NI_LIKELY((counter & NI_WRITE_COUNTED) != 0) &&
           NI_LIKELY(ni_direct_field(packet, 4) == len) &&
           ni_short_put(ni, packet, word1, payload, len) &&
           ni_short_count(ni, (ni_handle)counter, &key, len, end);
}

/* ---- out ------------------------------------------------------------------------------------- */

/* A line and an operation, both of which are at hand. */
NI_ALWAYS_INLINE struct ni_op *ni_short_begin(struct ni_peer *peer, struct ni_line *line,
                                              uint64_t *token)
{
    if (NI_UNLIKELY(ni_line_begin(peer, line) == NULL) || NI_UNLIKELY(peer->ep->same_memory) ||
        NI_UNLIKELY(peer->ni->op_pool.free == NULL)) {
        return NULL;
    }
    return ni_pool_take(&peer->ni->op_pool, token);
}

/* The line of a Write of a word. */
NI_ALWAYS_INLINE void ni_short_send_word(struct ni_peer *peer, struct ni_line *line,
                                         const void *src, uint32_t len, const struct ni_remote *dst,
                                         uint64_t token, uint16_t tag)
{
    line->packet->body[0] = dst->addr;
    line->packet->body[1] = dst->key;
    line->packet->body[2] = token;
    line->packet->body[3] = 0;
    line->packet->body[4] = len;
    ni_direct_copy(&line->packet->body[5], src, len);
    ni_line_publish(peer, line, ni_packet_word0(0, NI_PACKET_WRITE, NI_DIRECT_HEAD, tag),
                    ni_packet_word1(len, dst->handle));
}

/* Write a word, whose length is that of one (ni_short_is_word), for an operation that there is
 * already. */
NI_ALWAYS_INLINE bool ni_short_post_more(struct ni_peer *peer, const void *src, uint32_t len,
                                         const struct ni_remote *dst, uint64_t token, uint16_t tag)
{
    struct ni_line line;

    if (NI_UNLIKELY(ni_line_begin(peer, &line) == NULL)) {
        return false;
    }
    ni_short_send_word(peer, &line, src, len, dst, token, tag);
    return true;
}

/* Write a word, and have its end told. */
NI_ALWAYS_INLINE bool ni_short_post(struct ni_peer *peer, const void *src, uint32_t len,
                                    const struct ni_remote *dst, const struct ni_ack *ack)
{
    struct ni_line line;
    uint64_t token;
    struct ni_op *op = ni_short_begin(peer, &line, &token);

    if (NI_UNLIKELY(op == NULL)) {
        return false;
    }
    ni_direct_begin(peer, op, NI_OP_WRITE, len, NULL, ack);
    ni_short_send_word(peer, &line, src, len, dst, token, 0);
    return true;
}

/* Write a word of which nobody hears again but ni_flush. */
NI_ALWAYS_INLINE bool ni_short_post_quiet(struct ni_peer *peer, const void *src, uint32_t len,
                                          const struct ni_remote *dst)
{
    return NI_LIKELY(peer->quiet != 0) &&
           ni_short_post_more(peer, src, len, dst, peer->quiet, NI_WRITE_QUIET);
}

/* Write a word of which nobody wants to hear again. */
NI_ALWAYS_INLINE bool ni_short_post_word(struct ni_peer *peer, const struct ni_remote *dst,
                                         uint64_t value, unsigned width)
{
    struct ni_line line;

    if (NI_UNLIKELY(ni_line_begin(peer, &line) == NULL)) {
        return false;
    }
    line.packet->body[0] = dst->addr;
    line.packet->body[1] = dst->key;
    line.packet->body[2] = 0;
    line.packet->body[3] = NI_WRITE_WORD;
    line.packet->body[4] = width;
    line.packet->body[5] = value;
    ni_line_publish(peer, &line, ni_packet_word0(0, NI_PACKET_WRITE, NI_DIRECT_HEAD, NI_WRITE_HOLD),
                    ni_packet_word1(width, dst->handle));
    return true;
}

/* Read a word. */
NI_ALWAYS_INLINE bool ni_short_ask(struct ni_peer *peer, void *dst, uint32_t len,
                                   const struct ni_remote *src, const struct ni_ack *ack)
{
    struct ni_line line;
    uint64_t token;
    struct ni_op *op = ni_short_begin(peer, &line, &token);

    if (NI_UNLIKELY(op == NULL)) {
        return false;
    }
    ni_direct_begin(peer, op, NI_OP_READ, len, dst, ack);
    line.packet->body[0] = src->addr;
    line.packet->body[1] = src->key;
    line.packet->body[2] = token;
    line.packet->body[3] = len;
    line.packet->body[4] = 0;
    ni_line_publish(peer, &line, ni_packet_word0(0, NI_PACKET_READ, NI_LINE, 0),
                    ni_packet_word1(0, src->handle));
    return true;
}

#endif
