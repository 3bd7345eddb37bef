/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_UNIT_MULTIPATH_PARTS_H
#define TESTS_UNIT_MULTIPATH_PARTS_H

#include "engine_pair.h"

#include "engine/engine.h"
#include "engine/send/multipath.h"

/* Parts of spread transfers as a test wants them: a pair, of whose NIs b is handed them. */

enum { LEN = 4096, PART = 64, ROOM = 2048 };

static _Alignas(64) uint8_t there[LEN], here[8 * LEN];

struct setup {
    struct pair pair;
    struct ni_rkey region;
};

static inline void open_setup(struct setup *setup)
{
    pair_open(&setup->pair, &(struct pair_attr){.copy = NI_FABRIC_BY_PACKETS});
    assert_int_equal(ni_region_memory(setup->pair.b, there, LEN, NI_ACCESS_ALL, &setup->region),
                     NI_OK);
    memset(there, 0, LEN);
}

/* A part as the test wants it. */
struct lie {
    uint32_t seq;
    uint64_t flags, offset, total, key;
    uint32_t len; /* of its data */
    uint16_t counter, zero;
    uint64_t token;
    int short_by;               /* bytes that its payload lacks */
    const struct ni_rkey *told; /* by its note; NULL: a word */
};

static inline ni_status deliver(struct setup *setup, const struct lie *lie)
{
    _Alignas(64) uint8_t bytes[ROOM] = {0};
    struct ni_packet *packet = (struct ni_packet *)(void *)bytes;
    struct ni_packet_part part = {.seq = lie->seq, .counter = lie->counter, .zero = lie->zero};
    const struct ni_rkey *told = lie->told != NULL ? lie->told : &setup->region;
    struct ni_packet_note note = {
        .handle = told->handle, .key = told->key, .addr = (uintptr_t)there + LEN - 8, .value = 99};
    uint32_t skip = sizeof(part) + ((lie->flags & NI_PART_NOTED) != 0 ? sizeof(note) : 0);
    unsigned head = NI_PACKET_HEADER + sizeof(struct ni_packet_remote);

    memcpy(bytes + head, &part, sizeof(part));
    memcpy(bytes + head + sizeof(part), &note, sizeof(note));
    memset(bytes + head + skip, 0x40 + (int)(lie->seq % 32), lie->len);
    packet->body[0] = (uintptr_t)there;
    packet->body[1] = (lie->flags & NI_PART_ANSWER) != 0 ? lie->key : setup->region.key;
    packet->body[2] = lie->token;
    packet->body[3] = NI_WRITE_PART | lie->flags | lie->offset;
    packet->body[4] = lie->total;
    packet->word1 =
        ni_packet_word1(skip + lie->len - (uint32_t)lie->short_by, setup->region.handle);
    atomic_store_explicit(&packet->word0, ni_packet_word0(1, NI_PACKET_WRITE, head, 0),
                          memory_order_relaxed);
    return ni_deliver(setup->pair.b, setup->pair.ba, packet, ROOM);
}

static inline struct lie honest(uint32_t seq, uint64_t flags, uint64_t parts, uint64_t at)
{
    return (struct lie){
        .seq = seq, .flags = flags, .offset = at * PART, .total = parts * PART, .len = PART};
}

/* What b has asked for, in the words of the parts that answer it. */
static inline uint64_t start_read(struct setup *setup, uint32_t len, struct pair_done *done)
{
    struct ni_ack ack = pair_ack(done);
    struct ni_remote where = {.addr = 4096, .key = 1, .handle = 1};

    assert_int_equal(ni_read(setup->pair.b, setup->pair.ba, here, len, &where, &ack), NI_OK);
    return ni_op_token(ni_container_of(setup->pair.ba->ops.next, struct ni_op, list));
}

/* b is told that so many of its parts were taken. */
static inline void send_credit(struct setup *setup, uint64_t seq, ni_status expected)
{
    static _Alignas(64) struct ni_packet packet;

    packet.word1 = 0;
    packet.body[0] = seq;
    atomic_store_explicit(&packet.word0, ni_packet_word0(1, NI_PACKET_NOP, NI_LINE, NI_NOP_TAKEN),
                          memory_order_relaxed);
    assert_int_equal(ni_deliver(setup->pair.b, setup->pair.ba, &packet, sizeof(packet)), expected);
}

#endif
