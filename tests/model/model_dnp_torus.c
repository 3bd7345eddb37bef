/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: dnp/router.c, dnp/route.c, dnp/link_tx.c, dnp/link_rx.c. */
#include "dnp_torus.h"

/*
 * Tori of cards under random traffic that fills every buffer, against a list of what was sent: each
 * packet arrives once, at its target, unchanged, behind those sent before it from the same card to
 * the same card; or, on bad cables, it is missing and its words are counted. When no more is sent,
 * everything comes to rest.
 *
 *   model_dnp_torus [SEED]   repeats one seed
 */

enum { SEEDS = 24, CYCLES = 4000, SETTLE = 200000, NODES_MAX = 64 };

struct model {
    struct torus torus;
    uint64_t seed;
    uint32_t next[NODES_MAX][NODES_MAX]; /* [from][to]: tag of the next packet */
    uint32_t came[NODES_MAX][NODES_MAX]; /* and of the first that may come */
    uint64_t sent, received;
    bool far; /* every packet goes as far as it can */
    bool bad; /* cables */
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
    must(model, footer.tag >= model->came[from][node] && footer.tag < model->next[from][node],
         "order");
    must(model, model->bad || footer.tag == model->came[from][node], "a gap");
    model->came[from][node] = footer.tag + 1;
    for (uint32_t i = 1; i < words; i++) {
        struct apelink_word word = dnp_fifo_take(fifo);

        crc = dnp_crc(crc, &word, 1);
    }
    must(model, dnp_footer_sealed(dnp_fifo_take(fifo), crc), "content");
    model->received++;
}

static bool at_rest(const struct model *model)
{
    for (uint32_t node = 0; node < model->torus.nodes; node++) {
        const struct dnp_card *card = &model->torus.card[node];

        for (unsigned link = 0; link < DNP_LINKS; link++) {
            if (dnp_link_busy(&card->link[link]) ||
                dnp_link_outstanding(&card->link[link], 0) != 0 ||
                dnp_link_outstanding(&card->link[link], 1) != 0) {
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

    memset(model, 0, sizeof *model);
    torus_init(&model->torus, shapes[seed % 8], seed);
    model->seed = seed;
    model->torus.router_only = true;
    model->far = seed / 8 % 2 == 1;
    model->bad = seed / 16 % 2 == 1;
    model->torus.trouble = model->bad ? 200 : 0;
    for (uint32_t node = 0; node < model->torus.nodes; node++) {
        dnp_set(&model->torus.card[node].registers, DNP_REG_link_timeout, 0, 0);
    }
}

static void run(struct model *model)
{
    uint64_t lost;

    for (int i = 0; i < CYCLES; i++) {
        for (uint32_t node = 0; node < model->torus.nodes; node++) {
            inject(model, node);
            if (ni_rng_below(&model->torus.rng, 200) == 0) {
                receive(model, node);
            }
        }
        (void)torus_cycle(&model->torus);
    }
    model->torus.trouble = 0;
    for (int i = 0; i < SETTLE && !at_rest(model); i++) {
        for (uint32_t node = 0; node < model->torus.nodes; node++) {
            receive(model, node);
        }
        (void)torus_cycle(&model->torus);
    }
    must(model, at_rest(model), "a deadlock");
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

int main(int argc, char **argv)
{
    struct model *model = malloc(sizeof *model);
    uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 0) : 0, sent = 0, received = 0;

    for (uint64_t seed = first; seed < (argc > 1 ? first + 1 : SEEDS); seed++) {
        start(model, seed);
        run(model);
        torus_fini(&model->torus);
        sent += model->sent;
        received += model->received;
    }
    free(model);
    printf("%llu packets sent, %llu received\n", (unsigned long long)sent,
           (unsigned long long)received);
    return 0;
}
