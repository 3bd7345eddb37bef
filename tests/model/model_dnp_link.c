/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: dnp/link_tx.c, dnp/link_rx.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dnp/link.h"
#include "dnp_fixture.h"
#include "rounds.h"

/*
 * Two ends of a link over cables that lose, corrupt, double and delay words, against plain lists of
 * the packets sent. What arrives must be equal to what was sent, in order on each channel, with
 * gaps; each word sent is one of a packet received or counted as lost; and when the cables are good
 * again everything flows, however the ends have lost count of each other.
 *
 *   model_dnp_link [SEED]   repeats one seed
 */

enum { SEEDS = 60, CYCLES = 30000, SETTLE = 60000, SIZE = 512, PACKETS = 4096, LATENCY_MAX = 64 };

struct sent {
    struct apelink_word word[DNP_PACKET_WORDS];
    uint32_t words;
};

struct end {
    struct dnp_register_file registers;
    struct dnp_link link;
    struct apelink_word words[DNP_VCS * SIZE];
    struct dnp_fifo out[DNP_VCS];
    struct apelink_word out_words[DNP_VCS][SIZE];
    struct sent *sent[DNP_VCS]; /* by order; the tag is the index */
    uint32_t count[DNP_VCS];
    uint32_t next[DNP_VCS]; /* of the other side's: the first that may come */
    uint64_t received_words;
    uint64_t sent_words;
    struct apelink_word cable[LATENCY_MAX];
    bool there[LATENCY_MAX];
};

struct model {
    struct end end[2];
    struct ni_rng rng;
    uint64_t seed, now, received, lost;
    uint32_t latency, trouble; /* one word in so many has trouble; 0: none */
};

static void must(const struct model *model, bool condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "model_dnp_link: %s (cycle %llu). Repeat with: model_dnp_link %llu\n", what,
                (unsigned long long)model->now, (unsigned long long)model->seed);
        exit(1);
    }
}

static void produce(struct model *model, struct end *end, uint8_t vc)
{
    struct apelink_header header = {
        .len = (uint16_t)ni_rng_below(&model->rng, APELINK_PAYLOAD_MAX + 1)};
    struct apelink_footer footer = {.tag = end->count[vc]};
    struct sent *sent = &end->sent[vc][end->count[vc]];

    if (ni_rng_below(&model->rng, 2) == 0) {
        header.len %= 64;
    }
    sent->words = apelink_packet_words(header.len);
    if (end->count[vc] == PACKETS || dnp_fifo_ready(&end->out[vc]) > 0) {
        return;
    }
    put_packet(&end->out[vc], &header, &footer, &model->rng);
    for (uint32_t i = 0; i < sent->words; i++) {
        sent->word[i] = dnp_fifo_peek(&end->out[vc], i);
    }
    end->count[vc]++;
}

static void begin(struct end *end, uint8_t vc)
{
    struct apelink_header header;
    uint32_t words = first_packet(&end->out[vc], &header);

    if (words != 0 && !dnp_link_busy(&end->link) && dnp_link_room(&end->link, vc, words)) {
        dnp_link_begin(&end->link, &end->out[vc], vc, words);
        end->sent_words += words;
    }
}

static void consume(struct model *model, struct end *end, const struct end *other, uint8_t vc)
{
    struct dnp_fifo *in = &end->link.rx.fifo[vc];
    struct apelink_header header;
    uint32_t words = first_packet(in, &header);
    const struct sent *sent;
    uint32_t tag;

    if (words == 0) {
        must(model, dnp_fifo_ready(in) == 0, "something that is no packet");
        return;
    }
    must(model, words <= dnp_fifo_ready(in), "a part of a packet");
    tag = apelink_footer_unpack(dnp_fifo_peek(in, words - 1)).tag;
    must(model, tag >= end->next[vc] && tag < other->count[vc], "order");
    model->lost += tag - end->next[vc];
    sent = &other->sent[vc][tag];
    must(model, sent->words == words, "length");
    for (uint32_t i = 0; i < words; i++) {
        must(model, apelink_word_equal(dnp_fifo_take(in), sent->word[i]), "content");
    }
    end->next[vc] = tag + 1;
    end->received_words += words;
    model->received++;
}

/* What a bad cable makes of a word; how often it arrives. */
static unsigned trouble(struct model *model, struct apelink_word *word)
{
    if (model->trouble == 0 || ni_rng_below(&model->rng, model->trouble) != 0) {
        return 1;
    }
    switch (ni_rng_below(&model->rng, 4)) {
    case 0:
        return 0;
    case 1:
        return 2;
    case 2:
        *word = (struct apelink_word){ni_rng_next(&model->rng), ni_rng_next(&model->rng)};
        return 1;
    default:
        word->lo ^= (uint64_t)1 << ni_rng_below(&model->rng, 64);
        return 1;
    }
}

static void cycle(struct model *model)
{
    uint32_t slot = (uint32_t)(model->now % model->latency);

    for (unsigned i = 0; i < 2; i++) {
        struct end *end = &model->end[i], *other = &model->end[!i];
        struct apelink_word word = other->cable[slot];

        if (other->there[slot]) {
            for (unsigned times = trouble(model, &word); times > 0; times--) {
                dnp_link_receive(&end->link, model->now, word);
            }
        }
        for (unsigned vc = 0; vc < DNP_VCS; vc++) {
            must(model, dnp_fifo_held(&end->link.rx.fifo[vc]) <= SIZE, "an overfull FIFO");
        }
    }
    for (unsigned i = 0; i < 2; i++) {
        struct end *end = &model->end[i];
        bool due = dnp_link_due(&end->link, model->now) <= model->now;

        end->there[slot] = dnp_link_send(&end->link, model->now, &end->cable[slot]);
        must(model, end->there[slot] == due, "a word that was not due, or none that was");
    }
    model->now++;
}

static void step(struct model *model, bool producing)
{
    for (unsigned i = 0; i < 2; i++) {
        uint8_t vc = (uint8_t)ni_rng_below(&model->rng, DNP_VCS);

        if (producing && ni_rng_below(&model->rng, 8) == 0) {
            produce(model, &model->end[i], vc);
        }
        begin(&model->end[i], vc);
        if (!producing || ni_rng_below(&model->rng, 100) == 0) {
            consume(model, &model->end[i], &model->end[!i], vc);
        }
    }
    cycle(model);
}

static void start(struct model *model, uint64_t seed)
{
    struct sent *sent[2][DNP_VCS];

    for (unsigned i = 0; i < 2; i++) {
        memcpy(sent[i], model->end[i].sent, sizeof sent[i]);
    }
    memset(model, 0, sizeof *model);
    model->seed = seed;
    ni_rng_seed(&model->rng, seed);
    model->latency = 1 + (uint32_t)ni_rng_below(&model->rng, LATENCY_MAX);
    model->trouble = seed % 4 == 0 ? 0 : 10U << ni_rng_below(&model->rng, 8);
    for (unsigned i = 0; i < 2; i++) {
        struct end *end = &model->end[i];

        memcpy(end->sent, sent[i], sizeof sent[i]);
        dnp_registers_reset(&end->registers);
        dnp_set(&end->registers, DNP_REG_link_timeout, 0, 0);
        dnp_link_init(&end->link, &end->registers, i, end->words, SIZE, 0);
        for (unsigned vc = 0; vc < DNP_VCS; vc++) {
            dnp_fifo_init(&end->out[vc], end->out_words[vc], SIZE);
        }
    }
}

static void run(struct model *model)
{
    bool good = model->trouble == 0;

    for (int i = 0; i < CYCLES; i++) {
        step(model, true);
    }
    model->trouble = 0;
    for (int i = 0; i < SETTLE; i++) {
        step(model, false);
    }
    for (unsigned i = 0; i < 2; i++) {
        const struct end *end = &model->end[i], *other = &model->end[!i];
        uint32_t lost = dnp_get(&end->registers, DNP_REG_link_lost_words, i);

        for (unsigned vc = 0; vc < DNP_VCS; vc++) {
            must(model, dnp_fifo_ready(&end->out[vc]) == 0, "a packet that never left");
            must(model, dnp_link_outstanding(&end->link, (uint8_t)vc) == 0, "room that is lost");
            model->lost += other->count[vc] - end->next[vc];
        }
        must(model, other->sent_words == end->received_words + lost || !good,
             "words that are neither received nor lost");
        must(model, other->sent_words <= end->received_words + lost, "words lost in silence");
        must(model, !good || lost == 0, "losses on a good cable");
    }
    must(model, model->received > 0, "nothing received");
    must(model, !good || model->lost == 0, "packets lost on a good cable");
}

int main(int argc, char **argv)
{
    struct model *model = calloc(1, sizeof *model);
    uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 0) : 0, received = 0, lost = 0;

    for (unsigned i = 0; model != NULL && i < 4; i++) {
        model->end[i / 2].sent[i % 2] = malloc(PACKETS * sizeof(struct sent));
    }
    for (uint64_t seed = first; seed < (argc > 1 ? first + 1 : SEEDS); seed += test_rounds(1, 5)) {
        start(model, seed);
        run(model);
        received += model->received;
        lost += model->lost;
    }
    for (unsigned i = 0; i < 4; i++) {
        free(model->end[i / 2].sent[i % 2]);
    }
    free(model);
    printf("%llu packets received, %llu lost and counted\n", (unsigned long long)received,
           (unsigned long long)lost);
    return 0;
}
