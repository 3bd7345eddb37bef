/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_UNIT_DNP_TORUS_H
#define TESTS_UNIT_DNP_TORUS_H

#include <stdio.h>
#include <stdlib.h>

#include <apeni/torus.h>

#include "base/alloc.h"
#include "dnp/card.h"
#include "dnp_fixture.h"
#include "dnp_host.h"

/*
 * A torus of cards in one process. Words take some cycles over a cable; a bad cable loses or
 * changes one word in so many.
 */

enum { TORUS_LATENCY = 8 };

struct torus_cable {
    struct apelink_word word[TORUS_LATENCY];
    bool there[TORUS_LATENCY];
    bool cut;
};

struct torus {
    struct ni_torus shape;
    uint32_t nodes;
    struct dnp_card *card;
    struct torus_cable (*cable)[DNP_LINKS]; /* [node][link]: what leaves there */
    struct ni_rng rng;
    uint64_t now;
    uint32_t trouble;       /* 0: good cables */
    bool router_only;       /* packets are taken from the router by the test */
    struct test_host *host; /* of each card */
};

static inline void torus_init(struct torus *torus, struct ni_torus shape, uint64_t seed)
{
    *torus = (struct torus){.shape = shape, .nodes = ni_torus_nodes(&shape)};
    torus->card = ni_aligned_zero(NI_CACHE_LINE, torus->nodes * sizeof *torus->card);
    torus->host = calloc(torus->nodes, sizeof *torus->host);
    torus->cable = calloc(torus->nodes, sizeof *torus->cable);
    ni_rng_seed(&torus->rng, seed);
    for (uint32_t node = 0; node < torus->nodes; node++) {
        struct ni_torus_place at = ni_torus_at(&shape, node);
        struct dnp_card *card = &torus->card[node];

        test_host_init(&torus->host[node], card, &torus->rng);
        if (dnp_card_init(card, DNP_FIFO_MIN, &torus->host[node].host, 0) != NI_OK) {
            abort();
        }
        dnp_set(&card->registers, DNP_REG_board_torus, 0,
                shape.size[0] | shape.size[1] << 10 | shape.size[2] << 20);
        dnp_set(&card->registers, DNP_REG_board_place, 0,
                at.at[0] | at.at[1] << 10 | at.at[2] << 20);
    }
}

static inline void torus_fini(struct torus *torus)
{
    for (uint32_t node = 0; node < torus->nodes; node++) {
        dnp_card_fini(&torus->card[node]);
        test_host_fini(&torus->host[node]);
    }
    free(torus->host);
    free(torus->card);
    free(torus->cable);
}

static inline struct apelink_place torus_place(const struct torus *torus, uint32_t node)
{
    struct ni_torus_place at = ni_torus_at(&torus->shape, node);

    return (struct apelink_place){(uint16_t)at.at[0], (uint16_t)at.at[1], (uint16_t)at.at[2]};
}

/* What left a node's neighbour through the other end of the cable some cycles ago. */
static inline void torus_arrive(struct torus *torus, uint32_t node, unsigned link, unsigned slot)
{
    uint32_t other = ni_torus_neighbour(&torus->shape, node, (enum ni_torus_direction)link);
    struct torus_cable *cable = &torus->cable[other][link ^ 1];
    struct apelink_word word = cable->word[slot];

    if (!cable->there[slot] || cable->cut) {
        return;
    }
    if (torus->trouble != 0 && ni_rng_below(&torus->rng, torus->trouble) == 0) {
        if (ni_rng_below(&torus->rng, 2) == 0) {
            return;
        }
        word.hi ^= (uint64_t)1 << ni_rng_below(&torus->rng, 64);
    }
    dnp_link_receive(&torus->card[node].link[link], torus->now, word);
}

/* One cycle of everything. Returns whether any card has something to do. */
static inline bool torus_cycle(struct torus *torus)
{
    unsigned slot = (unsigned)(torus->now % TORUS_LATENCY);
    bool active = false;

    for (uint32_t node = 0; node < torus->nodes; node++) {
        for (unsigned link = 0; link < DNP_LINKS; link++) {
            torus_arrive(torus, node, link, slot);
        }
    }
    for (uint32_t node = 0; node < torus->nodes; node++) {
        struct dnp_card *card = &torus->card[node];

        test_host_cycle(&torus->host[node], torus->now);
        active = (torus->router_only ? dnp_router_step(&card->router, torus->now)
                                     : dnp_card_step(card, torus->now)) ||
                 active;
        for (unsigned link = 0; link < DNP_LINKS; link++) {
            struct torus_cable *cable = &torus->cable[node][link];

            cable->there[slot] = dnp_link_send(&card->link[link], torus->now, &cable->word[slot]);
        }
    }
    torus->now++;
    return active;
}

/* The sum of a register of links over all cards. */
static inline uint64_t torus_sum(const struct torus *torus, enum dnp_offset reg, bool wide)
{
    uint64_t sum = 0;

    for (uint32_t node = 0; node < torus->nodes; node++) {
        for (unsigned link = 0; link < DNP_LINKS; link++) {
            sum += wide ? dnp_get64(&torus->card[node].registers, reg, link)
                        : dnp_get(&torus->card[node].registers, reg, link);
        }
    }
    return sum;
}

static inline void torus_run(struct torus *torus, uint32_t cycles)
{
    while (cycles-- > 0) {
        (void)torus_cycle(torus);
    }
}

#endif
