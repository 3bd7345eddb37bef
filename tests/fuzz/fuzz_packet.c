/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/bits.h"
#include "lane_pair.h"

/*
 * A lane whose other side writes whatever it likes. The input fills the ring, the bulk area and
 * the shared page; the receiver must find every payload inside of its memory, the sender must get
 * no place outside of it, whatever credits it reads. AddressSanitizer sees a step over an end,
 * because the ring is a block of exactly the size that lane.h asks for.
 */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CONFIG = 12, STEPS = 64 };

struct input {
    const uint8_t *data;
    size_t size, at;
};

static uint8_t next_byte(struct input *input)
{
    return input->at < input->size ? input->data[input->at++] : 0;
}

static uint32_t next_word(struct input *input)
{
    uint32_t word = 0;

    for (int i = 0; i < 4; i++) {
        word = word << 8 | next_byte(input);
    }
    return word;
}

/* The input, repeated, over all of a block. */
static void spread(const struct input *input, void *block, size_t size)
{
    size_t have = input->size - input->at;

    for (size_t done = 0; have != 0 && done < size; done += have) {
        memcpy((uint8_t *)block + done, input->data + input->at, ni_min_u64(have, size - done));
    }
}

static void must(bool condition)
{
    if (!condition) {
        abort();
    }
}

/* Read each byte that ni_lane_check promises. */
static uint8_t touch(const uint8_t *payload, uint32_t len)
{
    uint8_t sum = 0;

    for (uint32_t i = 0; i < len; i++) {
        sum ^= payload[i];
    }
    return sum;
}

/* Have the packet that is expected ride in the line before, whatever else is said there. */
static void have_it_ride(const struct ni_lane_rx *rx)
{
    struct ni_packet *before = (struct ni_packet *)(void *)ni_lane_line(rx, rx->tail - 1);
    struct ni_packet_rider *rider = ni_lane_rider(rx);

    atomic_store_explicit(&before->word0, (before->word0 & ~(uint64_t)UINT32_MAX) | (rx->seq - 1),
                          memory_order_relaxed);
    atomic_store_explicit(&rider->word0, (rider->word0 & ~(uint64_t)UINT32_MAX) | rx->seq,
                          memory_order_relaxed);
}

/* The peer knows which sequence number is expected: every second time it is right. */
static void receive(struct lane_pair *pair, struct input *input)
{
    struct ni_lane_rx *rx = &pair->rx;
    _Atomic uint8_t sink;

    for (int i = 0; i < STEPS; i++) {
        struct ni_packet *packet =
            (struct ni_packet *)(void *)(rx->lines + (size_t)(rx->tail & rx->mask) * NI_LINE);
        uint64_t word0 = atomic_load_explicit(&packet->word0, memory_order_relaxed);
        const uint8_t *payload;
        uint8_t what = next_byte(input);
        uint32_t lines = 0;

        if (what % 2 == 0) {
            word0 = (word0 & ~(uint64_t)UINT32_MAX) | rx->seq;
            atomic_store_explicit(&packet->word0, word0, memory_order_relaxed);
        } else if (what % 4 == 1) {
            have_it_ride(rx);
        }
        rx->depth = what / 4 % 2;
        packet = ni_lane_peek(rx, &word0);
        if (packet != NULL) {
            lines = ni_lane_check(rx, packet, word0, packet->word1, &payload);
        }
        rx->depth = 0;
        if (lines == 0) {
            rx->tail++; /* the engine gives such a peer up: look at other lines all the same */
            continue;
        }
        must(lines <= ni_lane_max_lines(pair->lines) + 1);
        atomic_store(&sink, touch(payload, ni_packet_len(packet->word1)));
        ni_lane_advance(rx, lines);
        ni_lane_publish(rx);
    }
}

static void send_ring(struct lane_pair *pair, struct input *input)
{
    unsigned head = NI_PACKET_HEADER + next_byte(input) % (NI_LINE - NI_PACKET_HEADER + 1);
    uint32_t len = next_word(input) % (ni_lane_max_lines(pair->lines) * NI_LINE);
    uint32_t lines = ni_packet_lines(head, len);

    if (!ni_lane_room(&pair->tx, lines)) {
        return;
    }
    memset((uint8_t *)ni_lane_at(&pair->tx) + head, 0x5a, len);
    ni_lane_at(&pair->tx)->word1 = ni_packet_word1(len, 0);
    ni_lane_commit(&pair->tx, ni_packet_word0(0, NI_PACKET_MESSAGE, head, 0), lines);
}

static void send_bulk(struct lane_pair *pair, struct input *input)
{
    uint32_t len = next_word(input) >> next_byte(input) % 32;
    uint8_t *place;

    if (!ni_lane_room(&pair->tx, 1)) {
        return;
    }
    place = ni_lane_bulk_reserve(&pair->tx, len, next_byte(input));
    if (place == NULL) {
        return;
    }
    must(place >= pair->bulk && len <= pair->bulk_size &&
         place + len <= pair->bulk + pair->bulk_size);
    memset(place, 0xa5, len);
    ni_lane_at(&pair->tx)->word1 = ni_packet_word1(len, 0);
    ni_lane_commit_bulk(&pair->tx, ni_packet_word0(0, NI_PACKET_MESSAGE, NI_PACKET_HEADER, 0), 1,
                        place, len);
}

static void send(struct lane_pair *pair, struct input *input)
{
    struct ni_lane_tx *tx = &pair->tx;

    for (int i = 0; i < STEPS; i++) {
        uint8_t what = next_byte(input);

        if (what % 4 == 0) {
            uint32_t near = tx->head - (uint32_t)next_byte(input) % (2 * pair->lines);

            atomic_store_explicit(&pair->page->consumed, what % 8 == 0 ? near : next_word(input),
                                  memory_order_relaxed);
        } else if (what % 4 == 1) {
            send_bulk(pair, input);
        } else {
            send_ring(pair, input);
        }
        ni_lane_warm(tx);
        must(tx->limit - tx->head <= pair->lines);
        must(tx->record_head - tx->record_tail <= NI_LANE_BULK_RECORDS);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint32_t bulk_sizes[] = {0, 64, 256, 4096, 16384};
    struct input input = {.data = data, .size = size};
    uint32_t lines = 8U << next_byte(&input) % 5;
    uint32_t bulk_size = bulk_sizes[next_byte(&input) % NI_ARRAY_LENGTH(bulk_sizes)];
    uint32_t line = next_word(&input);
    uint32_t seq = next_word(&input);
    struct lane_pair pair;

    lane_pair_init(&pair, lines, bulk_size, false);
    lane_pair_start_at(&pair, line, seq | (seq == 0));
    spread(&input, pair.ring, (size_t)ni_lane_ring_lines(lines) * NI_LINE);
    spread(&input, pair.bulk, bulk_size);
    receive(&pair, &input);
    send(&pair, &input);
    lane_pair_fini(&pair);
    return 0;
}
