/* SPDX-License-Identifier: BSD-3-Clause */
#include <pthread.h>
#include <sched.h>

#include "base/bits.h"
#include "base/random.h"
#include "lane_pair.h"

/*
 * Two threads on the two ends of one lane. Sender and receiver draw the same packets from the same
 * seed, so that the receiver knows what must come. Small rings are full and empty all the time;
 * payloads are made of words that look like headers with the sequence numbers to come.
 *
 *   lane_threads [PACKETS]   for each shape of lane
 */

enum { PACKETS = 40000, PAYLOAD_MAX = 8192 };

struct shape {
    uint32_t lines, bulk_size;
    uint32_t base, seq;
};

struct run {
    struct lane_pair pair;
    uint64_t packets;
    uint64_t seed;
    uint64_t ridden; /* of them, those that rode in another's line */
};

struct draw {
    uint64_t word0, word1;
    uint32_t len, skew;
    unsigned head;
    bool in_bulk, is_short;
    struct lane_short brief; /* if is_short */
};

static _Noreturn void fail(const char *what, uint64_t packet)
{
    fprintf(stderr, "lane_threads: %s, packet %llu\n", what, (unsigned long long)packet);
    exit(1);
}

/* One that may ride, as many do. */
static struct draw draw_short(struct ni_rng *rng)
{
    bool is_put = ni_rng_below(rng, 2) == 0;
    struct draw draw = {.is_short = true};

    draw.brief = (struct lane_short){
        .kind = is_put ? NI_PACKET_PUT : NI_PACKET_MESSAGE,
        .tag = (uint16_t)ni_rng_next(rng),
        .region = 1 + is_put,
        .len = (uint32_t)(is_put ? ni_rng_below(rng, 9) : 8 + ni_rng_below(rng, 17)),
        .rest = {ni_rng_next(rng), ni_rng_next(rng)},
        .heard = (uint32_t)ni_rng_below(rng, 2)};
    draw.word0 = lane_short_word0(&draw.brief);
    draw.word1 = ni_packet_word1(draw.brief.len, draw.brief.region);
    return draw;
}

/* The next packet of the sequence that both threads know. */
static struct draw draw_packet(const struct run *run, struct ni_rng *rng)
{
    uint32_t ring_max = ni_lane_max_lines(run->pair.lines) * NI_LINE;
    struct draw draw = {.head = NI_PACKET_HEADER, .skew = (uint32_t)ni_rng_below(rng, NI_LINE)};

    if (ni_rng_below(rng, 2) == 0) {
        return draw_short(rng);
    }
    if (run->pair.bulk_size != 0 && ni_rng_below(rng, 4) == 0) {
        draw.in_bulk = true;
        draw.len = (uint32_t)ni_rng_below(rng, run->pair.bulk_size - NI_LINE);
    } else if (ni_rng_below(rng, 2) == 0) {
        draw.len = (uint32_t)ni_rng_below(rng, NI_PACKET_INLINE + 1);
    } else {
        draw.head += (unsigned)ni_rng_below(rng, NI_LINE - NI_PACKET_HEADER + 1);
        draw.len = (uint32_t)ni_rng_below(rng, ni_min_u64(ring_max, PAYLOAD_MAX) - draw.head);
    }
    draw.word0 = ni_packet_word0(0, (unsigned)ni_rng_below(rng, NI_PACKET_KINDS), draw.head,
                                 (uint16_t)ni_rng_next(rng));
    draw.word1 = ni_packet_word1(draw.len, (uint32_t)ni_rng_next(rng));
    return draw;
}

/* Word number i of a payload: a header that could come next. */
static uint64_t word_of(uint32_t seq, uint32_t i)
{
    return ni_packet_word0(seq + 1 + i / 8, i % NI_PACKET_KINDS, 16 + i % 49, (uint16_t)i);
}

/* Words at the places where lines begin. */
static uint32_t first_word(const struct draw *draw)
{
    return draw->in_bulk ? draw->skew : NI_LINE - draw->head;
}

static void fill(const struct draw *draw, uint8_t *payload, uint32_t seq)
{
    uint32_t first = first_word(draw);

    memset(payload, (int)(seq & 0xff), draw->len);
    for (uint32_t i = 0; first + 8 * i + 8 <= draw->len; i++) {
        uint64_t word = word_of(seq, i);

        memcpy(payload + first + (size_t)8 * i, &word, sizeof(word));
    }
}

static bool same(const struct draw *draw, const struct ni_packet *packet, const uint8_t *payload,
                 uint32_t seq)
{
    uint8_t wanted[4 * PAYLOAD_MAX];

    if (draw->is_short) {
        uint64_t body[3];

        lane_short_body(&draw->brief, body);
        return memcmp(packet->body, body, ni_packet_head(draw->word0) - NI_PACKET_HEADER) == 0 &&
               memcmp(payload, &body[draw->brief.kind == NI_PACKET_PUT ? 2 : 0], draw->brief.len) ==
                   0;
    }
    fill(draw, wanted, seq);
    return memcmp(wanted, payload, draw->len) == 0;
}

static void *send_all(void *arg)
{
    struct run *run = arg;
    struct ni_lane_tx *tx = &run->pair.tx;
    struct ni_rng rng;

    ni_rng_seed(&rng, run->seed);
    for (uint64_t i = 0; i < run->packets; i++) {
        struct draw draw = draw_packet(run, &rng);
        uint32_t lines = draw.in_bulk || draw.is_short ? 1 : ni_packet_lines(draw.head, draw.len);
        uint8_t *place = NULL;

        while (!ni_lane_room(tx, lines) ||
               (draw.in_bulk && (place = ni_lane_bulk_reserve(tx, draw.len, draw.skew)) == NULL)) {
            ni_lane_warm(tx);
            sched_yield();
        }
        if (draw.is_short) {
            run->ridden += lane_pair_send_short(&run->pair, &draw.brief);
            continue;
        }
        fill(&draw, draw.in_bulk ? place : (uint8_t *)ni_lane_at(tx) + draw.head, tx->seq);
        ni_lane_at(tx)->word1 = draw.word1;
        if (draw.in_bulk) {
            ni_lane_commit_bulk(tx, draw.word0, 1, place, draw.len);
        } else {
            ni_lane_commit(tx, draw.word0, lines);
        }
    }
    return NULL;
}

static void receive_all(struct run *run)
{
    struct ni_lane_rx *rx = &run->pair.rx;
    struct ni_rng rng;

    ni_rng_seed(&rng, run->seed);
    for (uint64_t i = 0; i < run->packets; i++) {
        struct draw draw = draw_packet(run, &rng);
        const struct ni_packet *packet;
        const uint8_t *payload;
        uint64_t word0;
        uint32_t lines;

        while ((packet = ni_lane_peek(rx, &word0)) == NULL) {
            ni_lane_publish(rx);
            sched_yield();
        }
        if ((uint16_t)ni_packet_tag(word0) != ni_packet_tag(draw.word0) ||
            ni_packet_in_bulk(word0) != draw.in_bulk || packet->word1 != draw.word1) {
            fail("another packet than was sent", i);
        }
        lines = ni_lane_check(rx, packet, word0, packet->word1, &payload);
        if (lines == 0 || !same(&draw, packet, payload, rx->seq)) {
            fail("another payload than was sent", i);
        }
        ni_lane_advance(rx, lines);
        if (i % 3 == 0) {
            ni_lane_publish(rx);
        }
    }
    ni_lane_publish(rx);
}

static void run_shape(const struct shape *shape, uint64_t packets)
{
    struct run run = {.packets = packets, .seed = shape->lines + shape->bulk_size};
    pthread_t sender;
    int error;

    lane_pair_init(&run.pair, shape->lines, shape->bulk_size, shape->lines >= 64);
    lane_pair_start_at(&run.pair, shape->base, shape->seq);
    error = pthread_create(&sender, NULL, send_all, &run);
    if (error != 0) {
        fail(strerror(error), 0);
    }
    receive_all(&run);
    pthread_join(sender, NULL);
    if (run.ridden == 0) {
        fail("no packet rode in another's line", run.packets);
    }
    lane_pair_fini(&run.pair);
}

int main(int argc, char **argv)
{
    static const struct shape shapes[] = {
        {8, 0, 0, 1},
        {8, 256, UINT32_MAX - 1000, UINT32_MAX - 1000},
        {16, 1024, 0, UINT32_MAX - 10000},
        {64, 4096, UINT32_MAX - 30000, 1},
        {256, 16384, 0, 1},
    };
    uint64_t packets = argc > 1 ? strtoull(argv[1], NULL, 0) : PACKETS;

    for (size_t i = 0; i < NI_ARRAY_LENGTH(shapes); i++) {
        run_shape(&shapes[i], packets);
    }
    return 0;
}
