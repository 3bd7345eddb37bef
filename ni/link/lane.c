/* SPDX-License-Identifier: BSD-3-Clause */
#include "link/lane_inl.h"

#include "base/bits.h"
#include "base/clock.h"

enum {
    NI_LANE_WARM_STEP = 8, /* lines claimed per idle poll */
};

void ni_lane_tx_init(struct ni_lane_tx *tx, struct ni_lane_page *page, uint8_t *ring,
                     uint32_t lines, uint8_t *bulk, uint32_t bulk_size, uint8_t *payload_map)
{
    *tx = (struct ni_lane_tx){
        .lines = ring,
        .limit = lines,
        .mask = lines - 1,
        .seq = 1,
        .counted = 1,
        .payload_map = payload_map,
        .page = page,
        .bulk = bulk,
        .bulk_size = bulk_size,
        .bulk_most = bulk_size,
    };
}

void ni_lane_rx_init(struct ni_lane_rx *rx, struct ni_lane_page *page, uint8_t *ring,
                     uint32_t lines, const uint8_t *bulk, uint32_t bulk_size)
{
    *rx = (struct ni_lane_rx){
        .lines = ring,
        .seq = 1,
        .mask = lines - 1,
        .page = page,
        .bulk = bulk,
        .bulk_size = bulk_size,
        .bulk_most = bulk_size,
        .behind = 1, /* nothing is before the first */
        .most = 1,
    };
    ni_list_init(&rx->parked);
}

/* Take back the bulk payloads of packets that the receiver has left behind. */
static void take_bulk_back(struct ni_lane_tx *tx, uint32_t consumed)
{
    while (tx->record_tail != tx->record_head) {
        const struct ni_lane_record *record = &tx->records[tx->record_tail % NI_LANE_BULK_RECORDS];

        if ((int32_t)(consumed - record->line) < 0) {
            return;
        }
        tx->bulk_tail = record->end;
        tx->record_tail++;
    }
    if (tx->bulk_head != 0) {
        tx->bulk_head = 0;
        tx->bulk_tail = 0;
        tx->warm_bulk = 0;
    }
}

bool ni_lane_refresh(struct ni_lane_tx *tx)
{
    /* Pairs with L2. */
    uint32_t consumed = atomic_load_explicit(&tx->page->consumed, memory_order_acquire);
    uint32_t lines = tx->mask + 1;

    if (tx->head - consumed > lines) {
        return false;
    }
    /* The line before that of a rider is its receiver's still. */
    lines -= consumed != tx->head && (tx->payload_map[consumed & tx->mask] & NI_LANE_RIDDEN) != 0;
    if ((int32_t)(consumed + lines - tx->limit) > 0) {
        tx->limit = consumed + lines;
    }
    take_bulk_back(tx, consumed);
    return true;
}

bool ni_lane_make_room(struct ni_lane_tx *tx, uint32_t lines)
{
    bool busy = tx->busy != NULL && (int32_t)(tx->head - tx->busy_at) >= 0;
    uint64_t begin = busy ? ni_now_ns() : 0;

    if (!ni_lane_refresh(tx)) {
        return false;
    }
    if (busy && tx->limit != tx->head) {
        tx->busy(tx, ni_now_ns() - begin);
    }
    return tx->limit - tx->head > lines;
}

void ni_lane_note_many(struct ni_lane_tx *tx, uint32_t lines)
{
    for (uint32_t i = 1; i < lines; i++) {
        tx->payload_map[(tx->head + i) & tx->mask] = NI_LANE_PAYLOAD;
    }
}

bool ni_lane_spared(struct ni_lane_tx *tx, uint32_t lines)
{
    if (ni_fault(NI_FAULT_FULL)) {
        return false;
    }
    if (tx->wire && ni_fault(NI_FAULT_CORRUPT)) {
        tx->damaged = true;
        /* Have ni_lane_mark called for it. */
        tx->payload_map[(tx->head + lines) & tx->mask] = NI_LANE_PAYLOAD;
    }
    return true;
}

void ni_lane_mark(struct ni_lane_tx *tx, uint32_t lines)
{
    uint32_t next = (tx->head + lines) & tx->mask;
    struct ni_packet *marker = (struct ni_packet *)(void *)(tx->lines + (size_t)next * NI_LINE);

    if (NI_UNLIKELY(tx->damaged)) {
        tx->damaged = false;
        ni_packet_damage(ni_lane_at(tx));
    }
    tx->payload_map[next] = 0;
    /* Ordered before the packet's own word 0 by L1. 0 is never a sequence number. */
    atomic_store_explicit(&marker->word0, 0, memory_order_relaxed);
}

void ni_lane_tx_move(struct ni_lane_tx *tx, uint16_t tag, uint8_t *ring, uint32_t lines,
                     uint8_t *payload_map)
{
    struct ni_packet *last = ni_lane_at(tx);
    uint32_t seq = tx->seq;

    last->word1 = 0;
    tx->lines = ring;
    tx->limit += lines - (tx->mask + 1); /* the credits are those of before */
    tx->mask = lines - 1;
    tx->payload_map = payload_map;
    tx->head++;
    tx->seq = ni_lane_next_seq(seq);
    tx->empty++;
    tx->last_lines = 1;
    tx->warm_to = tx->head;
    /* L1 */
    atomic_store_explicit(&last->word0, ni_packet_word0(seq, NI_PACKET_NOP, NI_LINE, tag),
                          memory_order_release);
}

void ni_lane_rx_move(struct ni_lane_rx *rx, uint8_t *ring, uint32_t lines)
{
    rx->lines = ring;
    rx->mask = lines - 1;
    rx->behind = 1; /* the line before the tail is in the other ring */
}

void ni_lane_bulk_drop(struct ni_lane_tx *tx)
{
    tx->bulk_size = 0;
    tx->bulk_full = false;
    tx->warm_bulk = 0;
    tx->last_bulk = 0;
    tx->empty++;
    ni_lane_at(tx)->word1 = 0;
    ni_lane_commit(tx, ni_packet_word0(0, NI_PACKET_NOP, NI_LINE, NI_NOP_BULK), 1);
}

/* Offset where len bytes fit, or UINT32_MAX. The area is empty, or in use from tail to head, or
 * (head <= tail) all but head to tail. */
static uint32_t bulk_place(const struct ni_lane_tx *tx, uint64_t len)
{
    if (tx->record_head == tx->record_tail) {
        return len <= tx->bulk_size ? 0 : UINT32_MAX;
    }
    if (tx->bulk_head > tx->bulk_tail) {
        if (len <= tx->bulk_size - tx->bulk_head) {
            return tx->bulk_head;
        }
        return len <= tx->bulk_tail ? 0 : UINT32_MAX;
    }
    return len <= tx->bulk_tail - tx->bulk_head ? tx->bulk_head : UINT32_MAX;
}

/* Whether a payload there comes behind the end of what there is of the area. */
static bool begins_anew(const struct ni_lane_tx *tx, uint32_t offset)
{
    return tx->record_head != tx->record_tail && tx->bulk_head > tx->bulk_tail &&
           offset < tx->bulk_head;
}

/* Nothing is free, or was lately: have more of the area, if room bytes are there then. */
static bool grow_bulk(struct ni_lane_tx *tx, uint64_t room)
{
    bool empty = tx->record_head == tx->record_tail;
    uint64_t end = ni_align_up(room, NI_LINE) + (empty ? 0 : tx->bulk_head);

    if (tx->bulk_size == tx->bulk_most || end > tx->bulk_most ||
        (!empty && tx->bulk_head <= tx->bulk_tail)) {
        return false;
    }
    return tx->grow(tx, (uint32_t)end);
}

uint8_t *ni_lane_bulk_reserve(struct ni_lane_tx *tx, uint32_t len, uint32_t skew)
{
    uint32_t pad = (NI_LINE - skew % NI_LINE) % NI_LINE;
    /* At least a line: the receiver refuses an offset at the end of the area. */
    uint64_t room = ni_align_up((uint64_t)pad + len + (len == 0), NI_LINE);
    uint32_t offset;

    if (tx->bulk == NULL || (tx->record_head != tx->record_tail && !ni_lane_refresh(tx)) ||
        tx->record_head - tx->record_tail >= NI_LANE_BULK_RECORDS) {
        return NULL;
    }
    if (NI_UNLIKELY(room > tx->bulk_most)) {
        pad = 0;
        room = len;
    }
    offset = bulk_place(tx, room);
    if (NI_UNLIKELY(offset == UINT32_MAX || (tx->bulk_full && begins_anew(tx, offset))) &&
        grow_bulk(tx, room)) {
        offset = bulk_place(tx, room);
        tx->bulk_full = false;
    }
    tx->bulk_full = tx->bulk_full || offset == UINT32_MAX;
    return offset == UINT32_MAX ? NULL : tx->bulk + offset + pad;
}

void ni_lane_commit_bulk(struct ni_lane_tx *tx, uint64_t word0, uint32_t lines,
                         const uint8_t *payload, uint32_t len)
{
    struct ni_packet *packet = ni_lane_at(tx);
    struct ni_packet_bulk bulk = {.offset = (uint32_t)(payload - tx->bulk)};
    uint32_t start = (uint32_t)ni_align_down(bulk.offset, NI_LINE);
    uint32_t end = (uint32_t)ni_align_up((uint64_t)bulk.offset + len, NI_LINE);

    memcpy((uint8_t *)packet + NI_PACKET_BULK_AT, &bulk, sizeof(bulk));
    tx->records[tx->record_head % NI_LANE_BULK_RECORDS] =
        (struct ni_lane_record){.line = tx->head + lines, .end = end};
    tx->record_head++;
    tx->bulk_head = end;
    tx->last_bulk = end - start;
    ni_lane_commit(tx, word0 | (uint64_t)NI_PACKET_IN_BULK << 32, lines);
}

bool ni_lane_bulk_there(struct ni_lane_rx *rx, uint32_t offset, uint32_t len)
{
    uint64_t end = (uint64_t)offset + (len == 0 ? 1 : len);

    rx->starved = false;
    if (end > rx->bulk_size && end <= rx->bulk_most) {
        rx->starved = !rx->grow(rx, (uint32_t)end);
    }
    return end <= rx->bulk_size;
}

/* The packet before the tail, if the packet that is expected may ride in its line. */
static const struct ni_packet *rideable(const struct ni_lane_rx *rx, uint64_t *word0,
                                        uint64_t *word1)
{
    const struct ni_packet *packet =
        (const struct ni_packet *)(const void *)ni_lane_line(rx, rx->tail - 1);

    *word0 = atomic_load_explicit(&packet->word0, memory_order_relaxed);
    *word1 = packet->word1;
    return ni_lane_next_seq(ni_packet_seq(*word0)) == rx->seq &&
                   ni_packet_is_rideable(*word0, *word1)
               ? packet
               : NULL;
}

bool ni_lane_is_ridden(const struct ni_lane_rx *rx)
{
    uint64_t word0, word1;

    /* Pairs with L3. */
    word0 = atomic_load_explicit(&ni_lane_rider(rx)->word0, memory_order_acquire);
    return ni_packet_seq(word0) == rx->seq && rideable(rx, &word0, &word1) != NULL;
}

struct ni_packet *ni_lane_take_rider(struct ni_lane_rx *rx, uint64_t *word0)
{
    const struct ni_packet_rider *rider = ni_lane_rider(rx);
    uint64_t before0, before1, rider0 = *word0;
    const struct ni_packet *before = rideable(rx, &before0, &before1);
    bool is_put = ni_packet_kind(before0) == NI_PACKET_PUT;
    unsigned len = ni_packet_head(rider0);
    unsigned head = is_put ? NI_PACKET_HEADER + (unsigned)sizeof(struct ni_packet_put)
                           : (unsigned)NI_PACKET_HEADER;
    /* Who is in a callback may read the one before. */
    struct ni_packet *packet =
        rx->depth == 0 ? &rx->rider : (struct ni_packet *)(void *)ni_lane_line(rx, rx->tail);

    if (before == NULL) {
        return NULL;
    }
    rx->rode = NI_LANE_RODE;
    if ((rider0 >> 32 & 0xff) != (before0 >> 32 & 0xff) ||
        len > (is_put ? NI_RIDER_PUT : NI_RIDER_MESSAGE)) {
        head = 0; /* which is refused */
    }
    packet->body[0] = is_put ? rider->rest[0] : before->body[0];
    packet->body[1] = is_put ? before->body[1] : rider->rest[0];
    packet->body[2] = rider->rest[1];
    packet->body[NI_RIDER_BODY] = 0; /* nothing rides in its line */
    packet->word1 = ni_packet_word1(len, ni_packet_region(before1));
    *word0 = ni_packet_word0(rx->seq, ni_packet_kind(rider0), head, ni_packet_tag(rider0));
    atomic_store_explicit(&packet->word0, *word0, memory_order_relaxed);
    return packet;
}

/* By a store: prefetchw is but a hint, and AMD's Zen 4 leaves the line where it is. What is stored,
 * a marker, says no more than what was there. */
static void claim_line(struct ni_lane_tx *tx, uint32_t number)
{
    uint32_t at = number & tx->mask;
    struct ni_packet *line = (struct ni_packet *)(void *)(tx->lines + (size_t)at * NI_LINE);

    tx->payload_map[at] = 0;
    atomic_store_explicit(&line->word0, 0, memory_order_relaxed);
}

/* The line at the head stays where it is: the receiver polls it. */
static void claim_lines(struct ni_lane_tx *tx, uint32_t lines)
{
    if ((int32_t)(tx->warm_to - tx->head) <= 0) {
        tx->warm_to = tx->head + 1;
    }
    for (; lines != 0 && (int32_t)(tx->limit - tx->warm_to) > 0; lines--) {
        claim_line(tx, tx->warm_to++);
    }
}

/* And ask for those that are to be claimed the time after next: a processor that moves lines when
 * asked to does not have its stores wait for them. */
void ni_lane_claim_more(struct ni_lane_tx *tx)
{
    claim_lines(tx, NI_LANE_CLAIM);
    for (uint32_t i = NI_LANE_CLAIM; i < 2 * NI_LANE_CLAIM; i++) {
        if ((int32_t)(tx->limit - tx->warm_to - i) > 0) {
            ni_prefetch_write(tx->lines + (size_t)((tx->warm_to + i) & tx->mask) * NI_LINE);
        }
    }
}

/* With the line behind the packet, for the marker, which the packet would wait for. */
static void warm_ring(struct ni_lane_tx *tx)
{
    int32_t due = (int32_t)(tx->head + tx->last_lines + 1 - tx->warm_to);

    if (due > 0) {
        claim_lines(tx, (uint32_t)ni_min_u64((uint64_t)due, NI_LANE_WARM_STEP));
    }
}

void ni_lane_warm(struct ni_lane_tx *tx)
{
    tx->run = 0;
    if (tx->last_lines > 1 && (int32_t)(tx->limit - tx->head) > (int32_t)tx->last_lines) {
        warm_ring(tx);
    }
    if (tx->last_bulk == 0) {
        return;
    }
    if (tx->record_head != tx->record_tail) {
        (void)ni_lane_refresh(tx);
        return;
    }
    for (unsigned i = 0; i < NI_LANE_WARM_STEP && tx->warm_bulk < tx->last_bulk; i++) {
        memset(tx->bulk + tx->warm_bulk, 0, sizeof(uint64_t));
        tx->warm_bulk += NI_LINE;
    }
}
