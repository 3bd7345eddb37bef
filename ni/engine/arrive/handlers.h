/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_HANDLERS_H
#define NI_ENGINE_HANDLERS_H

#include "engine/arrive/arrival.h"
#include "engine/object/counter/counter_inl.h"
#include "engine/object/queue/multi.h"
#include "engine/object/queue/queue.h"
#include "engine/send/direct.h"
#include "engine/send/fast.h"
#include "engine/core/memory.h"
#include "engine/send/short.h"

/*
 * Packets in, the kinds that must be fast: each has a predicate, which says what the packet is from
 * its fields alone, and one body. Where speed needs several copies of a body, they are instances of
 * it, by a constant mode. An instance that returns false has done nothing, and ANY, behind all
 * others, judges the packet anew.
 */

enum ni_mode {
    NI_MODE_LINE,   /* no threads; a word, answered in the same go; calls nobody (take.h) */
    NI_MODE_PLAIN,  /* no threads; one packet, which is not refused (direct.c) */
    NI_MODE_LOCKED, /* the same with locks */
    NI_MODE_ANY,    /* segments, and what is refused; locks as the NI says (arrive_write.c) */
};

NI_ALWAYS_INLINE bool ni_mode_locks(const struct ni *ni, enum ni_mode mode)
{
    return mode == NI_MODE_ANY ? ni->threads : mode == NI_MODE_LOCKED;
}

/* ---- messages: Writes to a queue of which nobody wants to hear again ------------------------- */

NI_ALWAYS_INLINE void ni_message_call(const struct ni *ni, struct ni_peer *peer, uint64_t word0,
                                      uint64_t word1, const uint8_t *payload)
{
    struct ni_message_info info = {
        .source = peer,
        .data = payload,
        .len = ni_packet_len(word1),
        .tag = ni_packet_tag(word0),
    };

    ni->arrive.last.consumer(ni->arrive.last.arg, &info);
}

/* An item for a queue that takes it without asking who reads, which is remembered if all its items
 * are of one size. */
NI_ALWAYS_INLINE bool ni_message_push(struct ni *ni, ni_handle handle, struct ni_queue *queue,
                                      const uint8_t *payload, uint32_t len)
{
    if (ni_queue_body_push(queue, payload, len) != NI_OK) {
        return false;
    }
    if (queue->item != 0) {
        ni->arrive.last_queue.queue = handle;
        ni->arrive.last_queue.body = queue;
    }
    return true;
}

/* An item for a queue that anybody may write to and that has room, or a reader that waits. */
NI_ALWAYS_INLINE bool ni_message_enqueue(struct ni *ni, ni_handle handle,
                                         const struct ni_table_entry *entry, const uint8_t *payload,
                                         uint32_t len)
{
    struct ni_multi *multi = (struct ni_multi *)(uintptr_t)ni_entry_object(entry, NI_OBJECT_BODY);
    uint64_t word = atomic_load_explicit(&entry->record.word, memory_order_acquire);

    if (ni_word_type(word) != NI_REGION_MULTI_QUEUE ||
        (ni_word_access(word) & NI_ACCESS_WRITE) == 0) {
        return false;
    }
    return ni_list_empty(&multi->requests)
               ? ni_message_push(ni, handle, &multi->queue, payload, len)
               : ni_multi_push(multi, payload, len) == NI_OK;
}

/* A message for a consumer, or for a queue that has room; false: it is something else. */
NI_ALWAYS_INLINE bool ni_message_take(struct ni *ni, struct ni_peer *peer, uint64_t word0,
                                      uint64_t word1, const uint8_t *payload)
{
    ni_handle queue = ni_packet_region(word1);
    const struct ni_table_entry *entry;
    ni_consumer_fn consumer;

    if (NI_UNLIKELY(ni_packet_kind(word0) != NI_PACKET_MESSAGE)) {
        return false;
    }
    if (NI_UNLIKELY(ni->arrive.last.queue != queue)) {
        entry = ni_table_get(&ni->table, queue);
        if (NI_UNLIKELY(entry == NULL)) {
            return false;
        }
        if (NI_UNLIKELY(ni_entry_type(entry) != NI_REGION_QUEUE)) {
            return ni_message_enqueue(ni, queue, entry, payload, ni_packet_len(word1));
        }
        consumer = (ni_consumer_fn)(uintptr_t)ni_entry_object(entry, NI_OBJECT_CONSUMER);
        if (NI_UNLIKELY(consumer == NULL)) {
            return ni_message_push(
                ni, queue, (struct ni_queue *)(uintptr_t)ni_entry_object(entry, NI_OBJECT_BODY),
                payload, ni_packet_len(word1));
        }
        ni->arrive.last.queue = queue;
        ni->arrive.last.consumer = consumer;
        ni->arrive.last.arg = (void *)(uintptr_t)ni_entry_object(entry, NI_OBJECT_ARGUMENT);
    }
    ni_message_call(ni, peer, word0, word1, payload);
    return true;
}

/* ---- Writes ---------------------------------------------------------------------------------- */

/* Bytes of a Write to memory: `len` of `total`, at `offset`. */
struct ni_write {
    struct ni_remote where;
    uint64_t token, offset, total;
    const uint8_t *payload;
    uint32_t len;
    bool unacked; /* only a refusal is answered */
};

/* Whether all of a Write is in this packet, and is nothing but bytes: only memory has some. */
NI_ALWAYS_INLINE bool ni_write_is_whole(const struct ni_packet *packet, uint64_t word0,
                                        uint64_t word1)
{
    if (NI_LIKELY(ni_packet_head(word0) >= NI_DIRECT_HEAD || ni_packet_in_bulk(word0))) {
        return ni_packet_len(word1) != 0 && ni_direct_field(packet, 3) == 0 &&
               ni_direct_field(packet, 4) == ni_packet_len(word1);
    }
    return ni_packet_head(word0) == NI_WRITE_WHOLE_HEAD && ni_packet_len(word1) != 0 &&
           (ni_packet_tag(word0) & NI_WRITE_NOTED) == 0;
}

/* What that one is. */
NI_ALWAYS_INLINE struct ni_write ni_write_of(const struct ni_packet *packet, uint64_t word0,
                                             uint64_t word1, const uint8_t *payload)
{
    return (struct ni_write){
        .where = ni_direct_remote(packet, word1),
        .token = ni_direct_field(packet, 2),
        .total = ni_packet_len(word1),
        .payload = payload,
        .len = ni_packet_len(word1),
        .unacked = (ni_packet_tag(word0) & NI_WRITE_UNACKED) != 0,
    };
}

/* Answer it. line: where, for LINE. */
NI_ALWAYS_INLINE void ni_write_answer(struct ni *ni, struct ni_peer *peer,
                                      const struct ni_write *write, ni_status status,
                                      const struct ni_line *line, enum ni_mode mode)
{
    if (write->unacked) {
        if (mode == NI_MODE_ANY && status != NI_OK) {
            ni_answer_unacked(peer, write->token, status);
        }
    } else if (mode == NI_MODE_LINE) {
        line->packet->body[0] = write->token;
        line->packet->body[1] = write->total;
        line->packet->body[2] = 0;
        ni_line_publish(peer, line, ni_packet_word0(0, NI_PACKET_ACK, NI_LINE, NI_OK), 0);
    } else {
        (void)ni_direct_answer(peer, write->token, status, write->total, ni_mode_locks(ni, mode));
    }
}

NI_ALWAYS_INLINE bool ni_write_memory(struct ni *ni, struct ni_peer *peer,
                                      const struct ni_write *write, enum ni_mode mode)
{
    struct ni_line line;
    ni_status status;

    if (mode == NI_MODE_LINE && !write->unacked &&
        (NI_UNLIKELY(write->token == 0) || NI_UNLIKELY(ni_line_begin(peer, &line) == NULL))) {
        return false;
    }
    status = ni_memory_write(ni, &write->where, write->total, write->offset, write->payload,
                             write->len, ni_mode_locks(ni, mode));
    if (NI_UNLIKELY(status != NI_OK)) {
        if (mode != NI_MODE_ANY) {
            return false;
        }
        ni_stat_add(&ni->stats.rx_refused, 1);
    }
    /* The first segment is refused for all; the last one reports a region that went away
     * meanwhile. */
    if (write->offset + write->len == write->total || (status != NI_OK && write->offset == 0)) {
        ni_write_answer(ni, peer, write, status, &line, mode);
    }
    return true;
}

/* Whether the bytes of a Write are counted by a counter of the target's: the operand, read once. */
NI_ALWAYS_INLINE bool ni_write_is_counted(const struct ni_packet *packet, uint64_t word1,
                                          uint64_t counter)
{
    return NI_LIKELY((counter & NI_WRITE_COUNTED) != 0) &&
           NI_LIKELY(ni_direct_field(packet, 4) == ni_packet_len(word1));
}

/* Nobody asked to be told of a refusal. call: who is to be told by LINE, which writes the bytes
 * though the counter is another instance's. */
NI_ALWAYS_INLINE bool ni_write_counted_memory(struct ni *ni, const struct ni_packet *packet,
                                              uint64_t word1, uint64_t counter,
                                              const uint8_t *payload, struct ni_call *call,
                                              enum ni_mode mode)
{
    const struct ni_remote where = ni_direct_remote(packet, word1);
    uint64_t key = ni_direct_field(packet, 2);
    uint32_t len = ni_packet_len(word1);
    ni_status status = ni_memory_write(ni, &where, len, 0, payload, len, ni_mode_locks(ni, mode));

    if (NI_UNLIKELY(status != NI_OK) && mode != NI_MODE_ANY) {
        return false;
    }
    if (mode == NI_MODE_LINE) {
        return ni_counter_add_now(ni, (ni_handle)counter, &key, len, call);
    }
    if (status == NI_OK) {
        status = ni_counter_add_keyed(ni, (ni_handle)counter, key, len);
    }
    if (NI_UNLIKELY(status != NI_OK)) {
        ni_stat_add(&ni->stats.rx_refused, 1);
    }
    return true;
}

/* Whether a Write adds to a counter, and nobody wants to hear of it again. */
NI_ALWAYS_INLINE bool ni_write_is_addition(const struct ni_packet *packet, uint64_t word1)
{
    return ni_packet_len(word1) == sizeof(int64_t) && ni_direct_field(packet, 2) == 0 &&
           ni_direct_field(packet, 3) == NI_WRITE_WORD &&
           ni_direct_field(packet, 4) == sizeof(int64_t);
}

NI_ALWAYS_INLINE bool ni_write_addition(struct ni *ni, const struct ni_packet *packet,
                                        uint64_t word1, struct ni_call *call, enum ni_mode mode)
{
    ni_handle counter = ni_packet_region(word1);
    uint64_t key = ni_direct_field(packet, 1);
    int64_t add = (int64_t)ni_direct_field(packet, 5);

    return mode == NI_MODE_LINE ? ni_counter_add_now(ni, counter, &key, add, call)
                                : ni_counter_add_keyed(ni, counter, key, add) == NI_OK;
}

/* ---- Reads ----------------------------------------------------------------------------------- */

/* Whether a Read is one of memory. */
NI_ALWAYS_INLINE bool ni_read_is_of_memory(const struct ni_packet *packet, uint64_t word0,
                                           uint64_t word1)
{
    return ni_packet_tag(word0) == NI_READ_MEMORY && ni_packet_len(word1) == 0 &&
           ni_direct_field(packet, 2) != 0;
}

/* Answer it with one packet, now. False: not now, or not at all. Not ANY. */
NI_ALWAYS_INLINE bool ni_read_memory(struct ni *ni, struct ni_peer *peer,
                                     const struct ni_remote *where, uint64_t token, uint32_t len,
                                     enum ni_mode mode)
{
    bool threads = mode == NI_MODE_LOCKED, line_only = mode == NI_MODE_LINE;
    unsigned head = line_only || len <= NI_LINE - NI_DIRECT_READ ? NI_DIRECT_READ : NI_LINE;
    uint32_t lines = line_only ? 1 : ni_packet_lines(head, len);
    struct ni_packet *packet;
    struct ni_line line;
    bool sent;

    if (line_only) {
        packet = ni_line_begin(peer, &line) != NULL ? line.packet : NULL;
    } else {
        ni_lock_take(&peer->lock, threads);
        packet = ni_direct_place(peer, lines);
    }
    sent = NI_LIKELY(packet != NULL) && (line_only || NI_LIKELY(lines <= peer->ep->max_lines)) &&
           NI_LIKELY(ni_memory_read(ni, where, (uint8_t *)packet + head, len, threads) == NI_OK);
    if (NI_LIKELY(sent)) {
        uint64_t word0 = ni_packet_word0(0, NI_PACKET_ACK, head, NI_OK);
        uint64_t word1 = ni_packet_word1(len, 0);

        packet->body[0] = token;
        packet->body[1] = len;
        packet->body[2] = 0;
        if (line_only) {
            ni_line_publish(peer, &line, word0, word1);
        } else {
            ni_direct_send(peer, packet, word0, word1, lines);
        }
    }
    if (!line_only) {
        ni_lock_give(&peer->lock, threads);
    }
    return sent;
}

#endif
