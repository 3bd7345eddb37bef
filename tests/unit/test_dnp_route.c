/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: dnp/route.c, dnp/router.c, dnp/card.c, dnp/link_rx.c. */
#include "unit.h"

#include "dnp_torus.h"

/* Where nothing is broken the routes are those of apeni/torus.h. */
static void test_routes_of_a_whole_torus(void **state)
{
    struct torus torus;

    (void)state;
    torus_init(&torus, (struct ni_torus){{5, 4, 2}}, 1);
    for (uint32_t from = 0; from < torus.nodes; from++) {
        for (uint32_t to = 0; to < torus.nodes; to++) {
            enum ni_torus_direction arrived = NI_TORUS_DIRECTIONS, expected;
            uint8_t vc = 0;

            for (uint32_t at = from; at != to;) {
                struct dnp_route route =
                    dnp_route(&torus.card[at].registers, torus_place(&torus, to), arrived, vc, 0);

                expected = ni_torus_next(&torus.shape, at, to);
                assert_int_equal(route.exit, DNP_EXIT_LINK);
                /* Of two equally short ways the one on which it is. */
                assert_int_equal(route.link, expected);
                at = ni_torus_neighbour(&torus.shape, at, route.link);
                arrived = (enum ni_torus_direction)(route.link ^ 1);
                vc = route.vc;
            }
        }
    }
    torus_fini(&torus);
}

static void test_ways_on_which_nothing_may_come(void **state)
{
    struct torus torus;
    const struct dnp_register_file *registers;

    (void)state;
    torus_init(&torus, (struct ni_torus){{4, 4, 4}}, 1);
    registers = &torus.card[0].registers;
    /* A second time past the end of the ring; from Y to X; out of the torus. */
    assert_int_equal(
        dnp_route(registers, (struct apelink_place){1, 0, 0}, NI_TORUS_X_PLUS, 1, 0).exit,
        DNP_EXIT_REFUSED);
    assert_int_equal(
        dnp_route(registers, (struct apelink_place){1, 0, 0}, NI_TORUS_Y_PLUS, 0, 0).exit,
        DNP_EXIT_REFUSED);
    assert_int_equal(
        dnp_route(registers, (struct apelink_place){4, 0, 0}, NI_TORUS_X_MINUS, 0, 0).exit,
        DNP_EXIT_REFUSED);
    assert_int_equal(
        dnp_route(registers, (struct apelink_place){0, 0, 1023}, NI_TORUS_DIRECTIONS, 0, 0).exit,
        DNP_EXIT_REFUSED);
    assert_int_equal(
        dnp_route(registers, (struct apelink_place){1, 0, 0}, NI_TORUS_X_MINUS, 0, 0).exit,
        DNP_EXIT_LINK);
    assert_int_equal(
        dnp_route(registers, (struct apelink_place){0, 0, 1}, NI_TORUS_Y_PLUS, 0, 0).exit,
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

static void inject(struct dnp_card *card, struct apelink_place to, struct torus *torus)
{
    put_packet(&card->router.inject, &(struct apelink_header){.len = 5, .to = to},
               &(struct apelink_footer){.tag = 0}, &torus->rng);
    torus_run(torus, 100);
}

/* The first card of some that miss a neighbour after a while. */
static struct dnp_card *torus_of_links(struct torus *torus)
{
    torus_init(torus, (struct ni_torus){{4, 4, 1}}, 1);
    torus->router_only = true;
    dnp_set(&torus->card[0].registers, DNP_REG_link_timeout, 0, 5000);
    return &torus->card[0];
}

/* Packets that would leave through a link that is down take the other way round; where there is
 * none they are dropped and counted. Others pass. */
static void test_a_link_that_is_down(void **state)
{
    struct torus torus;
    struct dnp_card *card;

    (void)state;
    card = torus_of_links(&torus);
    torus.cable[1][NI_TORUS_X_MINUS].cut = true;
    torus_run(&torus, 20000);
    assert_int_equal(dnp_get(&card->registers, DNP_REG_link_up, NI_TORUS_X_PLUS), 0);
    assert_int_equal(dnp_get(&card->registers, DNP_REG_link_up, NI_TORUS_Y_PLUS), 1);
    inject(card, (struct apelink_place){1, 0, 0}, &torus);
    assert_int_equal(dnp_fifo_ready(&torus.card[1].router.deliver), 3);
    inject(card, (struct apelink_place){0, 1, 0}, &torus);
    assert_int_equal(dnp_fifo_ready(&torus.card[4].router.deliver), 3);
    assert_int_equal(dnp_get(&card->registers, DNP_REG_link_unsent, NI_TORUS_X_PLUS), 0);
    /* The other way ends after one step, as its host says. */
    dnp_set(&card->registers, DNP_REG_route_reach, 0, 0x80000400U);
    inject(card, (struct apelink_place){1, 0, 0}, &torus);
    assert_int_equal(dnp_get(&card->registers, DNP_REG_link_unsent, NI_TORUS_X_PLUS), 1);
    inject(card, (struct apelink_place){3, 0, 0}, &torus);
    assert_int_equal(dnp_fifo_ready(&torus.card[3].router.deliver), 3);
    torus_fini(&torus);
}

/* A neighbour that was missed may still have packets from before, which others have overtaken on
 * other ways; for a while none is taken from it. */
static void test_a_link_that_was_down_is_shut(void **state)
{
    struct torus torus;
    struct dnp_card *card;

    (void)state;
    card = torus_of_links(&torus);
    inject(&torus.card[1], (struct apelink_place){0, 0, 0}, &torus);
    assert_int_equal(dnp_fifo_ready(&card->router.deliver), 3);
    torus.cable[1][NI_TORUS_X_MINUS].cut = true;
    torus_run(&torus, 10000);
    torus.cable[1][NI_TORUS_X_MINUS].cut = false;
    inject(&torus.card[1], (struct apelink_place){0, 0, 0}, &torus);
    assert_int_equal(dnp_get(&card->registers, DNP_REG_link_bad_packets, NI_TORUS_X_PLUS), 1);
    inject(card, (struct apelink_place){1, 0, 0}, &torus); /* the other way round */
    assert_int_equal(dnp_fifo_ready(&torus.card[1].router.deliver), 3);
    assert_int_equal(dnp_get64(&card->registers, DNP_REG_link_sent_packets, NI_TORUS_X_MINUS), 1);
    assert_int_equal(dnp_get(&card->registers, DNP_REG_link_up, NI_TORUS_X_PLUS), 0);
    torus_run(&torus, 5000);
    assert_int_equal(dnp_get(&card->registers, DNP_REG_link_up, NI_TORUS_X_PLUS), 1);
    inject(&torus.card[1], (struct apelink_place){0, 0, 0}, &torus);
    assert_int_equal(dnp_fifo_ready(&card->router.deliver), 6);
    inject(card, (struct apelink_place){1, 0, 0}, &torus);
    assert_int_equal(dnp_get64(&card->registers, DNP_REG_link_sent_packets, NI_TORUS_X_PLUS), 1);
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
        cmocka_unit_test(test_routes_of_a_whole_torus),
        cmocka_unit_test(test_ways_on_which_nothing_may_come),
        cmocka_unit_test(test_a_place_outside_of_the_torus),
        cmocka_unit_test(test_a_link_that_is_down),
        cmocka_unit_test(test_a_link_that_was_down_is_shut),
        cmocka_unit_test(test_sizes_of_fifos),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
