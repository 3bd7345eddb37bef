/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: dnp/route.c, dnp/router.c, dnp/card.c. */
#include "unit.h"

#include "dnp_torus.h"

/*
 * Deadlocks. A channel is a FIFO of one virtual channel behind one link. A packet in one waits for
 * the next of its route; where no circle of channels can wait for each other, one of them gets on.
 */

enum { NODES_MAX = 125, CHANNELS = NODES_MAX * DNP_LINKS * DNP_VCS };

static struct {
    bool waits[CHANNELS][CHANNELS];
    uint8_t seen[CHANNELS]; /* 1: on the way, 2: done */
} graph;

static unsigned channel(uint32_t node, unsigned link, unsigned vc)
{
    return (node * DNP_LINKS + link) * DNP_VCS + vc;
}

static bool circle_from(unsigned at, unsigned count)
{
    graph.seen[at] = 1;
    for (unsigned next = 0; next < count; next++) {
        if (graph.waits[at][next] &&
            (graph.seen[next] == 1 || (graph.seen[next] == 0 && circle_from(next, count)))) {
            return true;
        }
    }
    graph.seen[at] = 2;
    return false;
}

static bool has_circle(uint32_t nodes)
{
    unsigned count = channel(nodes, 0, 0);

    for (unsigned at = 0; at < count; at++) {
        if (graph.seen[at] == 0 && circle_from(at, count)) {
            return true;
        }
    }
    return false;
}

/* Follow a packet through the cards' decisions; its steps must be those of apeni/torus.h. */
static void walk(const struct torus *torus, uint32_t from, uint32_t to, bool channels)
{
    enum ni_torus_direction expected[32], arrived = NI_TORUS_DIRECTIONS;
    uint32_t hops = ni_torus_route(&torus->shape, from, to, expected, 32), at = from;
    unsigned last = CHANNELS;
    uint8_t vc = 0;

    for (uint32_t hop = 0; hop < hops; hop++) {
        struct dnp_route route =
            dnp_route(&torus->card[at].registers, torus_place(torus, to), arrived, vc);
        unsigned next;

        assert_int_equal(route.exit, DNP_EXIT_LINK);
        assert_int_equal(route.link, expected[hop]);
        at = ni_torus_neighbour(&torus->shape, at, route.link);
        arrived = (enum ni_torus_direction)(route.link ^ 1);
        vc = channels ? route.vc : 0;
        next = channel(at, arrived, vc);
        if (last != CHANNELS) {
            graph.waits[last][next] = true;
        }
        last = next;
        vc = route.vc;
    }
    assert_int_equal(at, to);
    assert_int_equal(
        dnp_route(&torus->card[at].registers, torus_place(torus, to), arrived, vc).exit,
        DNP_EXIT_HERE);
}

static bool deadlocks(struct ni_torus shape, bool channels)
{
    struct torus torus;
    bool circle;

    torus_init(&torus, shape, 1);
    assert_true(torus.nodes <= NODES_MAX);
    memset(&graph, 0, sizeof graph);
    for (uint32_t from = 0; from < torus.nodes; from++) {
        for (uint32_t to = 0; to < torus.nodes; to++) {
            walk(&torus, from, to, channels);
        }
    }
    circle = has_circle(torus.nodes);
    torus_fini(&torus);
    return circle;
}

static void test_no_circle_of_channels(void **state)
{
    static const struct ni_torus shapes[] = {
        {{1, 1, 1}}, {{2, 1, 1}}, {{3, 1, 1}}, {{8, 1, 1}}, {{1, 7, 1}}, {{1, 1, 5}}, {{4, 4, 1}},
        {{2, 2, 2}}, {{3, 3, 3}}, {{4, 3, 2}}, {{5, 4, 3}}, {{5, 5, 5}}, {{2, 8, 4}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        assert_false(deadlocks(shapes[i], true));
    }
    /* The two channels are what it takes: with one there is a circle. */
    assert_true(deadlocks((struct ni_torus){{5, 1, 1}}, false));
    assert_true(deadlocks((struct ni_torus){{4, 4, 1}}, false));
}

static void test_ways_on_which_nothing_may_come(void **state)
{
    struct torus torus;
    const struct dnp_register_file *registers;

    (void)state;
    torus_init(&torus, (struct ni_torus){{4, 4, 4}}, 1);
    registers = &torus.card[0].registers;
    /* From the neighbour at 1 0 0 back to it; from Y to X; out of the torus. */
    assert_int_equal(dnp_route(registers, (struct apelink_place){1, 0, 0}, NI_TORUS_X_PLUS, 0).exit,
                     DNP_EXIT_REFUSED);
    assert_int_equal(dnp_route(registers, (struct apelink_place){1, 0, 0}, NI_TORUS_Y_PLUS, 0).exit,
                     DNP_EXIT_REFUSED);
    assert_int_equal(
        dnp_route(registers, (struct apelink_place){4, 0, 0}, NI_TORUS_X_MINUS, 0).exit,
        DNP_EXIT_REFUSED);
    assert_int_equal(
        dnp_route(registers, (struct apelink_place){0, 0, 1023}, NI_TORUS_DIRECTIONS, 0).exit,
        DNP_EXIT_REFUSED);
    assert_int_equal(
        dnp_route(registers, (struct apelink_place){1, 0, 0}, NI_TORUS_X_MINUS, 0).exit,
        DNP_EXIT_LINK);
    assert_int_equal(dnp_route(registers, (struct apelink_place){0, 0, 1}, NI_TORUS_Y_PLUS, 0).exit,
                     DNP_EXIT_LINK);
    torus_fini(&torus);
}

/* A card whose place is outside of the torus sends nothing anywhere. */
static void test_a_place_outside_of_the_torus(void **state)
{
    struct torus torus;

    (void)state;
    torus_init(&torus, (struct ni_torus){{2, 2, 1}}, 1);
    dnp_set(&torus.card[0].registers, DNP_REG_board_place, 0, 5);
    put_packet(&torus.card[0].router.inject, &(struct apelink_header){.len = 5},
               &(struct apelink_footer){.tag = 0}, &torus.rng);
    (void)torus_cycle(&torus);
    assert_int_equal(dnp_get(&torus.card[0].registers, DNP_REG_route_refused, 0), 1);
    assert_int_equal(dnp_fifo_ready(&torus.card[0].router.inject), 0);
    torus_fini(&torus);
}

/* Packets that would leave through a link that is down are dropped and counted; others pass. */
static void test_a_link_that_is_down(void **state)
{
    struct torus torus;
    struct dnp_card *card;

    (void)state;
    torus_init(&torus, (struct ni_torus){{4, 4, 1}}, 1);
    torus.router_only = true;
    card = &torus.card[0];
    dnp_set(&card->registers, DNP_REG_link_timeout, 0, 5000);
    torus.cable[1][NI_TORUS_X_MINUS].cut = true;
    for (int i = 0; i < 20000; i++) {
        (void)torus_cycle(&torus);
    }
    assert_int_equal(dnp_get(&card->registers, DNP_REG_link_up, NI_TORUS_X_PLUS), 0);
    assert_int_equal(dnp_get(&card->registers, DNP_REG_link_up, NI_TORUS_Y_PLUS), 1);
    put_packet(&card->router.inject, &(struct apelink_header){.len = 5, .to = {1, 0, 0}},
               &(struct apelink_footer){.tag = 0}, &torus.rng);
    put_packet(&card->router.inject, &(struct apelink_header){.len = 5, .to = {0, 1, 0}},
               &(struct apelink_footer){.tag = 0}, &torus.rng);
    for (int i = 0; i < 100; i++) {
        (void)torus_cycle(&torus);
    }
    assert_int_equal(dnp_get(&card->registers, DNP_REG_link_unsent, NI_TORUS_X_PLUS), 1);
    assert_int_equal(dnp_fifo_ready(&torus.card[4].router.deliver), 3);
    torus_fini(&torus);
}

static void test_sizes_of_fifos(void **state)
{
    struct dnp_card *card = ni_aligned_zero(NI_CACHE_LINE, sizeof *card);
    const struct dnp_host host = {0};

    (void)state;
    assert_int_equal(dnp_card_init(card, 256, &host, 0), NI_ERR_INVALID);
    dnp_card_fini(card);
    assert_int_equal(dnp_card_init(card, 768, &host, 0), NI_ERR_INVALID);
    assert_int_equal(dnp_card_init(card, 2 * DNP_FIFO_MAX, &host, 0), NI_ERR_INVALID);
    assert_int_equal(dnp_card_init(card, DNP_FIFO_MAX, &host, 0), NI_OK);
    dnp_card_fini(card);
    free(card);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_circle_of_channels),
        cmocka_unit_test(test_ways_on_which_nothing_may_come),
        cmocka_unit_test(test_a_place_outside_of_the_torus),
        cmocka_unit_test(test_a_link_that_is_down),
        cmocka_unit_test(test_sizes_of_fifos),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
