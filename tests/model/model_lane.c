/* SPDX-License-Identifier: BSD-3-Clause */
#include <apeni/fault.h>

#include "base/bits.h"
#include "base/random.h"
#include "lane_pair.h"
#include "rounds.h"

/*
 * A lane against a plain queue of copies: random packets of all shapes, random turns of sender and
 * receiver, counters that start anywhere, bulk areas that grow or cannot, and that the sender gives
 * back, larger and smaller rings in which the lane goes on. Nothing may be lost, repeated,
 * reordered or changed, and no line that holds payload may be taken for a header: payloads are made
 * of words that look like headers, with the sequence numbers that the receiver is going to expect.
 *
 *   model_lane [SEED [STEPS]]   repeats one seed
 */

enum { QUEUE_MAX = 1024, PAYLOAD_MAX = 64 * 1024, LINES_MAX = 1024, SEEDS = 48, STEPS = 4000 };

enum filling { FILL_RANDOM, FILL_EXPECTED, FILL_NEAR, FILL_SAME };

struct expected {
    uint64_t word0, word1;
    uint32_t lines;
    uint32_t len;
    bool in_bulk;
    bool moves; /* says that the lane goes on in the next ring */
    bool drops; /* says that the bulk area is not there any more */
    bool is_short;
    uint64_t body[3]; /* of a short one */
    uint8_t *payload;
    const uint8_t *place; /* in the bulk area */
};

struct model {
    struct lane_pair pair;
    struct ni_rng rng;
    uint64_t seed;
    struct expected queue[QUEUE_MAX];
    uint32_t first, last;
    uint64_t sent, received, full;
    uint64_t starved; /* looks at packets that the receiver had no memory for */
    uint64_t moved;   /* times that the lane has gone on in a larger ring, */
    uint64_t left;    /* in a smaller one, */
    uint64_t dropped; /* or without bulk area */
    uint64_t ridden;  /* packets that rode in the line of another */
    bool generous;    /* memory for the bulk area is there whenever it is asked for */
    /* Habits, changed from time to time, so that states last which one mixture never reaches. */
    uint64_t sender; /* of 10 turns, the sender has so many */
    uint64_t bulky;  /* of 10 packets, so many go through the bulk area */
    uint64_t gulp;   /* most packets that the receiver takes in one turn */
    unsigned small;  /* bulk payloads take at most 2^-small of the area */
};

static void fail(const struct model *model, const char *what)
{
    fprintf(stderr,
            "model_lane: %s (seed %llu, %u lines, bulk %u, after %llu packets). "
            "Repeat with: model_lane %llu\n",
            what, (unsigned long long)model->seed, model->pair.lines, model->pair.bulk_size,
            (unsigned long long)model->received, (unsigned long long)model->seed);
    exit(1);
}

static uint64_t below(struct model *model, uint64_t n)
{
    return ni_rng_below(&model->rng, n);
}

/* A word that could be the header of a packet with this sequence number. */
static uint64_t plausible(struct model *model, uint32_t seq)
{
    return ni_packet_word0(seq, (unsigned)below(model, 2 * NI_PACKET_KINDS),
                           16 + (unsigned)below(model, 49), (uint16_t)below(model, 4));
}

/* Payload whose every line may begin with something that looks like the next header, and have a
 * rider's. skew: bytes before the first line begins. */
static void fill(struct model *model, uint8_t *payload, uint32_t len, uint32_t skew)
{
    enum filling filling = (enum filling)below(model, 4);
    uint32_t next = ni_lane_next_seq(model->pair.tx.seq);

    for (uint32_t i = 0; i < len; i++) {
        payload[i] = (uint8_t)ni_rng_next(&model->rng);
    }
    for (uint32_t at = skew % 8; filling != FILL_RANDOM && at + 8 <= len; at += 8) {
        uint32_t seq = next;

        if ((at - skew) % NI_LINE != 0 && (at - skew) % NI_LINE != NI_RIDER_AT) {
            continue;
        }

        if (filling == FILL_NEAR) {
            seq += (uint32_t)below(model, 2 * model->pair.lines + 8) - 4;
        } else if (filling == FILL_SAME) {
            seq = model->pair.rx.seq;
        }
        uint64_t word = plausible(model, seq);

        memcpy(payload + at, &word, sizeof(word));
    }
}

static struct expected *enqueue(struct model *model, uint32_t len)
{
    struct expected *expected = &model->queue[model->last++ % QUEUE_MAX];

    *expected = (struct expected){.len = len};
    expected->payload = lane_pair_must(malloc(len + 1), "payload");
    return expected;
}

static uint32_t draw_len(struct model *model, uint32_t max)
{
    switch (below(model, 4)) {
    case 0:
        return (uint32_t)below(model, NI_PACKET_INLINE + 1);
    case 1:
        return (uint32_t)below(model, ni_min_u64(max, 300) + 1);
    case 2:
        return max - (uint32_t)below(model, ni_min_u64(max, 130) + 1);
    default:
        return (uint32_t)below(model, (uint64_t)max + 1);
    }
}

/* The receiver looks while a packet is being composed: it must not see it yet. */
static void look_too_early(struct model *model)
{
    uint64_t word0;

    if (model->pair.rx.tail == model->pair.tx.head &&
        ni_lane_peek(&model->pair.rx, &word0) != NULL) {
        fail(model, "a packet is seen before it was committed");
    }
}

/* Compose and publish what is in `expected`, but for its sequence number. */
static void send_in_ring(struct model *model, unsigned kind, unsigned head, uint32_t len)
{
    struct lane_pair *pair = &model->pair;
    uint32_t lines = ni_packet_lines(head, len);
    struct ni_packet *packet;
    struct expected *expected;

    if (!ni_lane_room(&pair->tx, lines)) {
        model->full++;
        return;
    }
    packet = ni_lane_at(&pair->tx);
    expected = enqueue(model, len);
    expected->lines = lines;
    expected->word0 = ni_packet_word0(0, kind, head, (uint16_t)ni_rng_next(&model->rng));
    expected->word1 = ni_packet_word1(len, (uint32_t)ni_rng_next(&model->rng));
    fill(model, expected->payload, len, NI_LINE - head);
    packet->word1 = expected->word1;
    memcpy((uint8_t *)packet + head, expected->payload, len);
    look_too_early(model);
    ni_lane_commit(&pair->tx, expected->word0, lines);
    model->sent++;
}

/* One that may ride. Few have nothing in common with each other. */
static void send_short(struct model *model)
{
    bool is_put = below(model, 2) == 0;
    struct lane_short packet = {.kind = is_put ? NI_PACKET_PUT : NI_PACKET_MESSAGE,
                                .tag = (uint16_t)below(model, 256),
                                .region = 1 + is_put,
                                .len = (uint32_t)(is_put ? below(model, 9) : 8 + below(model, 17)),
                                .common = below(model, 4) == 0,
                                .rest = {ni_rng_next(&model->rng), ni_rng_next(&model->rng)},
                                .heard = (uint32_t)model->received / 8};
    struct expected *expected;

    if (!ni_lane_room(&model->pair.tx, 1)) {
        model->full++;
        return;
    }
    expected = enqueue(model, packet.len);
    expected->lines = 1;
    expected->word0 = lane_short_word0(&packet);
    expected->word1 = ni_packet_word1(packet.len, packet.region);
    expected->is_short = true;
    lane_short_body(&packet, expected->body);
    memcpy(expected->payload, &expected->body[is_put ? 2 : 0], packet.len);
    model->ridden += lane_pair_send_short(&model->pair, &packet);
    model->sent++;
}

/* A place in the bulk area must not touch one that the receiver has not given back. */
static void check_place(const struct model *model, const uint8_t *place, uint32_t len)
{
    const struct lane_pair *pair = &model->pair;

    if (place < pair->bulk || place + len > pair->bulk + pair->bulk_size) {
        fail(model, "a place outside of the bulk area");
    }
    for (uint32_t i = model->first; i != model->last; i++) {
        const struct expected *other = &model->queue[i % QUEUE_MAX];

        if (other->in_bulk && place < other->place + other->len && other->place < place + len) {
            fail(model, "a place in the bulk area is handed out twice");
        }
    }
}

/* More of the bulk area, or not now. Nobody reads what its writer does not have. */
static bool grow_tx(struct ni_lane_tx *tx, uint32_t end)
{
    struct model *model = ni_container_of(tx, struct model, pair.tx);

    if (end <= tx->bulk_size || end > tx->bulk_most) {
        fail(model, "more is asked for than there may be, or what is there");
    }
    if (!model->generous && below(model, 4) == 0) {
        return false;
    }
    tx->bulk_size = end + (uint32_t)below(model, tx->bulk_most - end + 1) / NI_LINE * NI_LINE;
    return true;
}

static bool grow_rx(struct ni_lane_rx *rx, uint32_t end)
{
    struct model *model = ni_container_of(rx, struct model, pair.rx);

    if (end > model->pair.tx.bulk_size) {
        fail(model, "a payload lies where its sender has nothing");
    }
    if (!model->generous && below(model, 4) == 0) {
        model->starved++;
        return false;
    }
    rx->bulk_size = end;
    return true;
}

static void send_in_bulk(struct model *model)
{
    struct lane_pair *pair = &model->pair;
    uint32_t len = draw_len(model, pair->bulk_size >> model->small);
    uint32_t skew = (uint32_t)below(model, 130);
    struct ni_packet *packet = ni_lane_at(&pair->tx);
    struct expected *expected;
    uint8_t *place;

    if (!ni_lane_room(&pair->tx, 1) ||
        (place = ni_lane_bulk_reserve(&pair->tx, len, skew)) == NULL) {
        model->full++;
        return;
    }
    if (((uintptr_t)place + skew) % NI_LINE != 0 && len + NI_LINE <= pair->bulk_size) {
        fail(model, "byte number skew of a bulk payload does not start a line");
    }
    check_place(model, place, len);
    if (below(model, 8) == 0) {
        return; /* given up before it was committed: nothing has happened */
    }
    expected = enqueue(model, len);
    expected->lines = 1;
    expected->in_bulk = true;
    expected->place = place;
    expected->word0 = ni_packet_word0(0, (unsigned)below(model, NI_PACKET_KINDS), NI_PACKET_HEADER,
                                      (uint16_t)ni_rng_next(&model->rng));
    expected->word1 = ni_packet_word1(len, (uint32_t)ni_rng_next(&model->rng));
    fill(model, expected->payload, len, skew);
    memcpy(place, expected->payload, len);
    packet->word1 = expected->word1;
    if (below(model, 4) == 0) {
        (void)ni_lane_refresh(&pair->tx); /* as ni_lane_room may do between the two */
    }
    look_too_early(model);
    ni_lane_commit_bulk(&pair->tx, expected->word0, 1, place, len);
    expected->word0 |= (uint64_t)NI_PACKET_IN_BULK << 32;
    model->sent++;
}

static struct expected *enqueue_nop(struct model *model, uint16_t tag)
{
    struct expected *expected = enqueue(model, 0);

    expected->lines = 1;
    expected->word0 = ni_packet_word0(0, NI_PACKET_NOP, NI_LINE, tag);
    model->sent++;
    return expected;
}

static void move_to(struct model *model, uint16_t tag, uint32_t lines)
{
    struct lane_pair *pair = &model->pair;

    enqueue_nop(model, tag)->moves = true;
    lane_pair_widen(pair, lines, lines >= 64 && below(model, 2) == 0);
    ni_lane_tx_move(&pair->tx, tag, pair->ring, pair->lines, pair->payload_map);
}

/* The sender goes on in a ring of twice as many lines or more, however full this one is. */
static void move(struct model *model)
{
    struct lane_pair *pair = &model->pair;
    uint64_t wider = ni_min_u64(LINES_MAX, (uint64_t)pair->lines << (1 + below(model, 3)));

    if (wider == pair->lines || pair->old_ring != NULL) {
        return;
    }
    if (pair->tx.limit == pair->tx.head) {
        fail(model, "no line is free for what moves the lane");
    }
    move_to(model, NI_NOP_RING, (uint32_t)wider);
    model->moved++;
}

/* In one of half as many lines or fewer, when this one is empty. */
static void leave(struct model *model)
{
    struct lane_pair *pair = &model->pair;
    uint64_t narrower = ni_max_u64(8, pair->lines >> (1 + below(model, 3)));

    if (!ni_lane_refresh(&pair->tx) || pair->tx.limit - pair->tx.head != pair->lines ||
        narrower == pair->lines || pair->old_ring != NULL) {
        return;
    }
    move_to(model, NI_NOP_FIRST, (uint32_t)narrower);
    model->left++;
}

/* Without its bulk area, of which nothing is in use. */
static void drop(struct model *model)
{
    struct lane_pair *pair = &model->pair;

    if (pair->tx.grow == NULL || pair->tx.bulk_size == 0 || !ni_lane_refresh(&pair->tx) ||
        pair->tx.record_head != pair->tx.record_tail || !ni_lane_room(&pair->tx, 1)) {
        return;
    }
    for (uint32_t i = model->first; i != model->last; i++) {
        if (model->queue[i % QUEUE_MAX].in_bulk) {
            fail(model, "the bulk area seems to be free while something in it is to be read");
        }
    }
    memset(pair->bulk, 0, pair->bulk_size);
    enqueue_nop(model, NI_NOP_BULK)->drops = true;
    ni_lane_bulk_drop(&pair->tx);
    model->dropped++;
}

static void change_memory(struct model *model)
{
    switch (below(model, 3)) {
    case 0:
        move(model);
        break;
    case 1:
        leave(model);
        break;
    default:
        drop(model);
    }
}

static void send_step(struct model *model)
{
    uint32_t lines = model->pair.lines;
    unsigned kind = (unsigned)below(model, NI_PACKET_KINDS);
    unsigned head = NI_PACKET_HEADER + (unsigned)below(model, NI_LINE - NI_PACKET_HEADER + 1);

    if (model->last - model->first == QUEUE_MAX) {
        return;
    }
    if (below(model, 16) == 0) {
        change_memory(model);
        if (model->last - model->first == QUEUE_MAX) {
            return;
        }
        lines = model->pair.lines;
    }
    if (model->pair.bulk_size != 0 && below(model, 10) < model->bulky) {
        send_in_bulk(model);
        return;
    }
    switch (below(model, 7)) {
    case 0:
        ni_lane_warm(&model->pair.tx);
        break;
    case 6: /* a row of them */
        for (uint64_t n = below(model, 12); n > 0 && model->last - model->first != QUEUE_MAX; n--) {
            send_short(model);
        }
        break;
    case 1: /* inline: a run of equal packets */
        for (uint64_t n = below(model, 2 * (uint64_t)lines); n > 0; n--) {
            send_in_ring(model, kind, NI_PACKET_HEADER, (uint32_t)below(model, 49));
            if (model->last - model->first == QUEUE_MAX) {
                return;
            }
        }
        break;
    default:
        send_in_ring(model, kind, head, draw_len(model, ni_lane_max_lines(lines) * NI_LINE - head));
    }
}

/* Take one packet and compare. false: there was none. */
static bool receive_one(struct model *model)
{
    struct ni_lane_rx *rx = &model->pair.rx;
    struct expected *expected = &model->queue[model->first % QUEUE_MAX];
    const uint8_t *payload;
    uint64_t word0;
    const struct ni_packet *packet = ni_lane_peek(rx, &word0);
    uint32_t lines;

    if (packet == NULL) {
        if (model->first != model->last) {
            fail(model, "a committed packet is not seen");
        }
        return false;
    }
    if (model->first == model->last) {
        fail(model, "a packet is seen that nobody sent");
    }
    if (word0 != (expected->word0 | rx->seq) || packet->word1 != expected->word1) {
        fail(model, "a header has changed");
    }
    lines = ni_lane_check(rx, packet, word0, packet->word1, &payload);
    if (lines == 0 && ni_lane_refusal(rx) == NI_AGAIN) {
        return receive_one(model);
    }
    if (lines != expected->lines) {
        fail(model, "a packet has another length");
    }
    if (memcmp(payload, expected->payload, expected->len) != 0 ||
        (expected->is_short && (packet->body[0] != expected->body[0] ||
                                (expected->len > 8 && packet->body[1] != expected->body[1])))) {
        fail(model, "a payload has changed");
    }
    ni_lane_advance(rx, lines);
    if (below(model, 8) == 0) { /* cannot be taken now: it comes again */
        ni_lane_step_back(rx, lines);
        return receive_one(model);
    }
    if (expected->moves) {
        ni_lane_rx_move(rx, model->pair.ring, model->pair.lines);
        lane_pair_drop_old(&model->pair);
    }
    if (expected->drops) {
        rx->bulk_size = 0;
    }
    free(expected->payload);
    model->first++;
    model->received++;
    return true;
}

static void receive_step(struct model *model)
{
    uint64_t most = below(model, model->gulp + 1);
    uint32_t before = atomic_load_explicit(&model->pair.page->consumed, memory_order_relaxed);

    model->pair.rx.depth = below(model, 8) == 0; /* as from inside of a consumer */
    for (uint64_t i = 0; i < most && receive_one(model); i++) {
        if (below(model, 4) == 0) {
            ni_lane_publish(&model->pair.rx);
        }
    }
    if (below(model, 3) != 0) {
        ni_lane_publish(&model->pair.rx);
    }
    if (model->pair.rx.depth != 0 &&
        before != atomic_load_explicit(&model->pair.page->consumed, memory_order_relaxed)) {
        fail(model, "credits are given for a packet that is being read");
    }
    model->pair.rx.depth = 0;
}

/* A drained lane must take the longest packet, and the largest bulk payload. */
static void check_drained(struct model *model)
{
    struct lane_pair *pair = &model->pair;

    model->generous = true;
    while (receive_one(model)) {
    }
    ni_lane_publish(&pair->rx);
    if (!ni_lane_room(&pair->tx, pair->lines - 1)) {
        fail(model, "credits are lost");
    }
    if (!ni_lane_refresh(&pair->tx) || pair->tx.limit - pair->tx.head != pair->lines) {
        fail(model, "credits are lost");
    }
    if (pair->bulk_size != 0 && ni_lane_bulk_reserve(&pair->tx, pair->bulk_size, 0) != pair->bulk) {
        fail(model, "bulk room is lost");
    }
    if (model->first != model->last || model->sent != model->received) {
        fail(model, "packets are lost");
    }
}

static void setup(struct model *model, uint64_t seed)
{
    static const uint32_t line_counts[] = {8, 16, 64, 128, 512};
    static const uint32_t bulk_sizes[] = {0, 64, 4096, 16384, PAYLOAD_MAX};
    uint32_t lines, bulk_size, base, seq;

    *model = (struct model){.seed = seed};
    ni_rng_seed(&model->rng, seed);
    lines = line_counts[below(model, 5)];
    bulk_size = bulk_sizes[below(model, 5)];
    lane_pair_init(&model->pair, lines, bulk_size, lines >= 64 && below(model, 2) == 0);
    if (below(model, 2) == 0) {
        model->pair.tx.bulk_size = 0;
        model->pair.tx.grow = grow_tx;
        model->pair.rx.bulk_size = 0;
        model->pair.rx.grow = grow_rx;
    }
    /* Half of the seeds begin shortly before the counters wrap. */
    base = below(model, 2) == 0 ? 0 : UINT32_MAX - (uint32_t)below(model, 4096);
    seq = below(model, 2) == 0 ? 1 : UINT32_MAX - (uint32_t)below(model, 1024);
    lane_pair_start_at(&model->pair, base, seq);
}

static void change_habits(struct model *model)
{
    model->sender = 1 + below(model, 9);
    model->bulky = below(model, 10);
    model->gulp = 1 + below(model, 2) * below(model, 2 * (uint64_t)model->pair.lines);
    model->small = (unsigned)below(model, 6);
}

struct totals {
    uint64_t starved, moved, left, dropped, ridden;
};

static void run(uint64_t seed, uint64_t steps, struct totals *totals)
{
    static struct model model;

    setup(&model, seed);
    if (seed % 3 == 0) {
        ni_fault_arm_random(NI_FAULT_FULL, 100000, seed);
    }
    for (uint64_t step = 0; step < steps; step++) {
        if (step % 499 == 0) {
            change_habits(&model);
        }
        if (below(&model, 10) < model.sender) {
            send_step(&model);
        } else {
            receive_step(&model);
        }
    }
    ni_fault_reset();
    check_drained(&model);
    if (model.sent == 0 || model.full == 0) {
        fail(&model, "nothing was sent, or the lane was never full: the test tests nothing");
    }
    lane_pair_fini(&model.pair);
    totals->starved += model.starved;
    totals->moved += model.moved;
    totals->left += model.left;
    totals->dropped += model.dropped;
    totals->ridden += model.ridden;
}

int main(int argc, char **argv)
{
    uint64_t steps = argc > 2 ? strtoull(argv[2], NULL, 0) : STEPS;
    struct totals totals = {0};

    if (argc > 1) {
        run(strtoull(argv[1], NULL, 0), steps, &totals);
        return 0;
    }
    for (uint64_t seed = 1; seed <= SEEDS; seed += test_rounds(1, 5)) {
        run(seed, steps, &totals);
    }
    if (totals.starved == 0 || totals.moved == 0 || totals.left == 0 || totals.dropped == 0) {
        fprintf(stderr, "model_lane: some change of a lane's memory was never made\n");
        return 1;
    }
    if (totals.ridden == 0) {
        fprintf(stderr, "model_lane: no packet rode in another's line\n");
        return 1;
    }
    return 0;
}
