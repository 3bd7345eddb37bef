/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: dnp/router.c, dnp/route.c, dnp/reach.c, dnp/link_tx.c, dnp/link_rx.c. */
#include "dnp/reach.h"
#include "dnp_torus.h"
#include "rounds.h"

/*
 * Tori of cards under random traffic that fills every buffer, against a list of what was sent: each
 * packet arrives once, at its target, unchanged, behind those sent before it from the same card to
 * the same card; or, on bad cables, it is missing and its words are counted. When no more is sent,
 * everything comes to rest. In the last seeds a cable breaks: the cards at its ends find that out,
 * the others are told a while later. Meanwhile nothing arrives twice, and what does not arrive is
 * what was on the cable, or is counted by the card that dropped it; afterwards all arrive.
 *
 *   model_dnp_torus [SEED]   repeats one seed
 */

enum {
    SEEDS = 32,
    BREAKS = 24, /* the first seed in which a cable breaks */
    CYCLES = 4000,
    TIMEOUT = 3000, /* until a link is down */
    SETTLE = 200000,
    NODES_MAX = 64,
    TAGS_MAX = 4096,
};

struct model {
    struct torus torus;
    uint64_t seed;
    uint32_t next[NODES_MAX][NODES_MAX]; /* [from][to]: tag of the next packet */
    uint32_t came[NODES_MAX][NODES_MAX]; /* and of the first that may come */
    uint64_t sent, received;
    bool far; /* every packet goes as far as it can */
    bool bad; /* cables */
    bool breaks;
    uint32_t end; /* of the cable that breaks: a node, and its increasing link */
    unsigned link;
    uint8_t got[NODES_MAX][NODES_MAX][TAGS_MAX / 8]; /* once a cable may break: any order */
};

static void must(const struct model *model, bool condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "model_dnp_torus: %s (%ux%ux%u, cycle %llu). Repeat with: %s %llu\n", what,
                model->torus.shape.size[0], model->torus.shape.size[1], model->torus.shape.size[2],
                (unsigned long long)model->torus.now, "model_dnp_torus",
                (unsigned long long)model->seed);
        exit(1);
    }
}

static uint32_t target(struct model *model, uint32_t from)
{
    struct ni_torus_place at = ni_torus_at(&model->torus.shape, from);

    if (!model->far) {
        return (uint32_t)ni_rng_below(&model->torus.rng, model->torus.nodes);
    }
    for (unsigned i = 0; i < 3; i++) {
        at.at[i] = (at.at[i] + model->torus.shape.size[i] / 2) % model->torus.shape.size[i];
    }
    return ni_torus_node(&model->torus.shape, &at);
}

/* Keep the card's own FIFO as full as it gets. */
static void inject(struct model *model, uint32_t from)
{
    struct dnp_fifo *fifo = &model->torus.card[from].router.inject;
    uint16_t len = (uint16_t)ni_rng_below(&model->torus.rng, APELINK_PAYLOAD_MAX + 1);
    uint32_t to = target(model, from);
    struct apelink_header header = {.len = ni_rng_below(&model->torus.rng, 2) == 0 ? len : len % 48,
                                    .to = torus_place(&model->torus, to)};
    struct apelink_footer footer = {.from = torus_place(&model->torus, from)};

    if (dnp_fifo_room(fifo) < apelink_packet_words(header.len)) {
        return;
    }
    footer.tag = model->next[from][to]++;
    header.address = (uint64_t)from << 32 | footer.tag;
    put_packet(fifo, &header, &footer, &model->torus.rng);
    model->sent++;
}

static uint32_t node_of(const struct model *model, struct apelink_place place)
{
    struct ni_torus_place at = {{place.x, place.y, place.z}};

    return ni_torus_node(&model->torus.shape, &at);
}

/* The order of what comes from a card while ways change is any. */
static void mark(struct model *model, uint32_t from, uint32_t node, uint32_t tag)
{
    uint8_t *got = &model->got[from][node][tag / 8], bit = (uint8_t)(1U << tag % 8);

    must(model, tag < TAGS_MAX && tag < model->next[from][node], "a packet that nobody has sent");
    must(model, (*got & bit) == 0, "a packet twice");
    *got |= bit;
}

static void receive(struct model *model, uint32_t node)
{
    struct dnp_fifo *fifo = &model->torus.card[node].router.deliver;
    struct apelink_header header;
    uint32_t words = first_packet(fifo, &header), crc = 0;
    struct apelink_footer footer;
    uint32_t from;

    if (words == 0) {
        must(model, dnp_fifo_ready(fifo) == 0, "something that is no packet");
        return;
    }
    footer = apelink_footer_unpack(dnp_fifo_peek(fifo, words - 1));
    from = node_of(model, footer.from);
    must(model, node_of(model, header.to) == node, "a packet at another card");
    must(model, header.address == ((uint64_t)from << 32 | footer.tag), "header and footer");
    if (model->breaks) {
        mark(model, from, node, footer.tag);
    } else {
        must(model, footer.tag >= model->came[from][node] && footer.tag < model->next[from][node],
             "order");
        must(model, model->bad || footer.tag == model->came[from][node], "a gap");
        model->came[from][node] = footer.tag + 1;
    }
    for (uint32_t i = 1; i < words; i++) {
        struct apelink_word word = dnp_fifo_take(fifo);

        crc = dnp_crc(crc, &word, 1);
    }
    must(model, dnp_footer_sealed(dnp_fifo_take(fifo), crc), "content");
    model->received++;
}

/* Whether this is an end of the cable that is cut. */
static bool is_cut(const struct model *model, uint32_t node, unsigned link)
{
    return model->torus.cable[node][link].cut;
}

static bool at_rest(const struct model *model)
{
    for (uint32_t node = 0; node < model->torus.nodes; node++) {
        const struct dnp_card *card = &model->torus.card[node];

        for (unsigned link = 0; link < DNP_LINKS; link++) {
            if (dnp_link_busy(&card->link[link]) ||
                (!is_cut(model, node, link) && dnp_link_outstanding(&card->link[link], 0) != 0) ||
                (!is_cut(model, node, link) && dnp_link_outstanding(&card->link[link], 1) != 0)) {
                return false;
            }
        }
        if (dnp_fifo_held(&card->router.inject) + dnp_fifo_held(&card->router.deliver) != 0) {
            return false;
        }
    }
    return true;
}

static void start(struct model *model, uint64_t seed)
{
    static const struct ni_torus shapes[] = {{{4, 3, 2}}, {{8, 1, 1}}, {{2, 2, 2}}, {{5, 4, 1}},
                                             {{3, 3, 3}}, {{1, 6, 2}}, {{1, 1, 1}}, {{4, 4, 4}}};
    static const struct ni_torus few[] = {{{4, 2, 1}}, {{8, 1, 1}}, {{2, 2, 2}}, {{3, 3, 1}}};
    bool breaks = seed >= BREAKS;

    memset(model, 0, sizeof *model);
    torus_init(&model->torus, breaks ? few[seed % 4] : shapes[seed % 8], seed);
    model->seed = seed;
    model->torus.router_only = true;
    model->breaks = breaks;
    model->far = seed / 8 % 2 == 1;
    model->bad = !breaks && seed / 16 % 2 == 1;
    model->torus.trouble = model->bad ? 200 : 0;
    for (uint32_t node = 0; node < model->torus.nodes; node++) {
        dnp_set(&model->torus.card[node].registers, DNP_REG_link_timeout, 0, breaks ? TIMEOUT : 0);
    }
}

static void traffic(struct model *model, int cycles)
{
    for (int i = 0; i < cycles; i++) {
        for (uint32_t node = 0; node < model->torus.nodes; node++) {
            inject(model, node);
            if (ni_rng_below(&model->torus.rng, 200) == 0) {
                receive(model, node);
            }
        }
        (void)torus_cycle(&model->torus);
    }
}

static void settle(struct model *model)
{
    for (int i = 0; i < SETTLE && !at_rest(model); i++) {
        for (uint32_t node = 0; node < model->torus.nodes; node++) {
            receive(model, node);
        }
        (void)torus_cycle(&model->torus);
    }
    must(model, at_rest(model), "a deadlock");
}

static void run(struct model *model)
{
    uint64_t lost;

    traffic(model, CYCLES);
    model->torus.trouble = 0;
    settle(model);
    lost = torus_sum(&model->torus, DNP_REG_link_lost_words, false);
    must(model, model->bad || (model->received == model->sent && lost == 0),
         "a loss on good cables");
    must(model, model->received == model->sent || lost > 0, "a loss in silence");
    must(model,
         torus_sum(&model->torus, DNP_REG_link_sent_words, true) <=
             torus_sum(&model->torus, DNP_REG_link_words, true) + lost,
         "words lost in silence");
    must(model, torus_sum(&model->torus, DNP_REG_link_unsent, false) == 0, "a link down");
}

static void cut_cable(struct model *model)
{
    struct torus *torus = &model->torus;

    do {
        model->end = (uint32_t)ni_rng_below(&torus->rng, torus->nodes);
        model->link = 2 * (unsigned)ni_rng_below(&torus->rng, 3);
    } while (torus->shape.size[model->link / 2] == 1);
    torus->cable[model->end][model->link].cut = true;
    torus
        ->cable[ni_torus_neighbour(&torus->shape, model->end, (enum ni_torus_direction)model->link)]
               [model->link ^ 1]
        .cut = true;
}

/* As a card's fault manager says it. */
static uint32_t fault_of(const void *arg, uint32_t node)
{
    const struct model *model = arg;
    uint32_t fault = 0;

    for (unsigned link = 0; link < DNP_LINKS; link++) {
        bool up = dnp_get(&model->torus.card[node].registers, DNP_REG_link_up, link) != 0;

        fault |= up ? 0 : (uint32_t)DNP_BROKEN << dnp_fault_link_low(link);
    }
    return fault;
}

static void tell_all(struct model *model)
{
    for (uint32_t node = 0; node < model->torus.nodes; node++) {
        for (unsigned i = 0; i < 3; i++) {
            dnp_set(&model->torus.card[node].registers, DNP_REG_route_reach, i,
                    dnp_reach(&model->torus.shape, node, i, fault_of, model));
        }
    }
}

/* Packets that were sent into the cut cable, of both ends. */
static uint64_t lost_on_cable(const struct model *model)
{
    uint64_t lost = 0;

    for (uint32_t node = 0; node < model->torus.nodes; node++) {
        for (unsigned link = 0; link < DNP_LINKS; link++) {
            uint32_t next =
                ni_torus_neighbour(&model->torus.shape, node, (enum ni_torus_direction)link);
            uint64_t sent =
                dnp_get64(&model->torus.card[node].registers, DNP_REG_link_sent_packets, link);
            uint64_t came =
                dnp_get64(&model->torus.card[next].registers, DNP_REG_link_packets, link ^ 1);

            must(model, sent == came || is_cut(model, node, link), "a loss on a whole cable");
            lost += sent - came;
        }
    }
    return lost;
}

/* Returns how many packets were on the cable. */
static uint64_t run_break(struct model *model)
{
    uint64_t lost, unsent;

    traffic(model, CYCLES / 2);
    cut_cable(model);
    traffic(model, 2 * TIMEOUT);
    tell_all(model);
    settle(model);
    lost = lost_on_cable(model);
    unsent = torus_sum(&model->torus, DNP_REG_link_unsent, false);
    must(model,
         model->sent == model->received + lost + unsent +
                            torus_sum(&model->torus, DNP_REG_link_bad_packets, false),
         "a loss in silence");
    model->sent = model->received = 0;
    traffic(model, CYCLES);
    settle(model);
    must(model, model->sent == model->received, "a packet that did not arrive the other way");
    must(model, lost_on_cable(model) == lost, "a packet into a cable that is known to be broken");
    must(model, torus_sum(&model->torus, DNP_REG_link_unsent, false) == unsent, "a link down");
    return lost;
}

int main(int argc, char **argv)
{
    struct model *model = malloc(sizeof *model);
    uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 0) : 0, sent = 0, received = 0;
    uint64_t broken = 0; /* packets on cables that broke */

    for (uint64_t seed = first; seed < (argc > 1 ? first + 1 : SEEDS); seed += test_rounds(1, 3)) {
        start(model, seed);
        if (model->breaks) {
            broken += run_break(model);
        } else {
            run(model);
        }
        torus_fini(&model->torus);
        sent += model->sent;
        received += model->received;
    }
    must(model, argc > 1 || broken > 0, "nothing was on the cables that broke");
    free(model);
    printf("%llu packets sent, %llu received, %llu were on cables that broke\n",
           (unsigned long long)sent, (unsigned long long)received, (unsigned long long)broken);
    return 0;
}
