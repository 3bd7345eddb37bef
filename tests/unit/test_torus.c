/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/topology/torus.c ni/topology/shape.c. */
/* The torus against what is counted by hand and by a search that knows nothing but neighbours. */
#include "unit.h"

#include <stdbool.h>
#include <stdlib.h>

#include <apeni/torus.h>

#include "base/bits.h"

enum { NODES_MAX = 256 };

static const struct ni_torus shapes[] = {
    {{1, 1, 1}}, {{2, 1, 1}}, {{1, 1, 5}}, {{7, 1, 1}}, {{2, 2, 1}}, {{2, 2, 2}},
    {{4, 2, 2}}, {{3, 3, 3}}, {{5, 4, 3}}, {{8, 4, 1}}, {{1, 6, 5}}, {{6, 5, 4}},
};

/* Hops to every node from one, by breadth first search over neighbours. */
static void search(const struct ni_torus *torus, uint32_t from, uint32_t *hops)
{
    uint32_t queue[NODES_MAX], head = 0, tail = 0;

    for (uint32_t node = 0; node < ni_torus_nodes(torus); node++) {
        hops[node] = UINT32_MAX;
    }
    hops[from] = 0;
    queue[tail++] = from;
    while (head < tail) {
        uint32_t node = queue[head++];

        for (int d = 0; d < NI_TORUS_DIRECTIONS; d++) {
            uint32_t next = ni_torus_neighbour(torus, node, (enum ni_torus_direction)d);

            if (hops[next] == UINT32_MAX) {
                hops[next] = hops[node] + 1;
                queue[tail++] = next;
            }
        }
    }
    assert_int_equal(tail, ni_torus_nodes(torus));
}

static void test_numbers_and_places(void **state)
{
    (void)state;
    for (size_t i = 0; i < NI_ARRAY_LENGTH(shapes); i++) {
        const struct ni_torus *torus = &shapes[i];
        uint32_t node = 0;
        struct ni_torus_place at;

        for (at.at[2] = 0; at.at[2] < torus->size[2]; at.at[2]++) {
            for (at.at[1] = 0; at.at[1] < torus->size[1]; at.at[1]++) {
                for (at.at[0] = 0; at.at[0] < torus->size[0]; at.at[0]++, node++) {
                    struct ni_torus_place back = ni_torus_at(torus, node);

                    assert_int_equal(ni_torus_node(torus, &at), node);
                    assert_memory_equal(&back, &at, sizeof(at));
                }
            }
        }
        assert_int_equal(node, ni_torus_nodes(torus));
    }
}

/* One coordinate changes by one, round the end; the way back is the opposite link. */
static void test_neighbours(void **state)
{
    (void)state;
    for (size_t i = 0; i < NI_ARRAY_LENGTH(shapes); i++) {
        const struct ni_torus *torus = &shapes[i];

        for (uint32_t node = 0; node < ni_torus_nodes(torus); node++) {
            for (int d = 0; d < NI_TORUS_DIRECTIONS; d++) {
                uint32_t next = ni_torus_neighbour(torus, node, (enum ni_torus_direction)d);
                struct ni_torus_place at = ni_torus_at(torus, node), to = ni_torus_at(torus, next);
                uint32_t size = torus->size[d / 2];
                int place = (int)at.at[d / 2] + (d % 2 == 0 ? 1 : -1);

                at.at[d / 2] = place < 0 ? size - 1 : (uint32_t)place == size ? 0 : (uint32_t)place;
                assert_memory_equal(&at, &to, sizeof(at));
                assert_int_equal(ni_torus_neighbour(torus, next, (enum ni_torus_direction)(d ^ 1)),
                                 node);
            }
        }
    }
}

/* Dimensions in order, in each one way only. */
static void check_order(const enum ni_torus_direction *route, uint32_t hops)
{
    for (uint32_t i = 1; i < hops; i++) {
        assert_true(route[i] / 2 > route[i - 1] / 2 || route[i] == route[i - 1]);
    }
}

static void check_route(const struct ni_torus *torus, uint32_t from, uint32_t to, uint32_t hops)
{
    enum ni_torus_direction route[NODES_MAX];
    uint32_t at = from;

    assert_int_equal(ni_torus_hops(torus, from, to), hops);
    assert_int_equal(ni_torus_route(torus, from, to, route, NODES_MAX), hops);
    check_order(route, hops);
    for (uint32_t i = 0; i < hops; i++) {
        assert_int_equal(ni_torus_next(torus, at, to), route[i]);
        at = ni_torus_neighbour(torus, at, route[i]);
    }
    assert_int_equal(at, to);
    assert_int_equal(ni_torus_next(torus, at, to), NI_TORUS_DIRECTIONS);
}

static void test_routes_and_search(void **state)
{
    (void)state;
    for (size_t i = 0; i < NI_ARRAY_LENGTH(shapes); i++) {
        const struct ni_torus *torus = &shapes[i];
        uint32_t nodes = ni_torus_nodes(torus), hops[NODES_MAX], longest = 0;
        uint64_t sum = 0;

        for (uint32_t from = 0; from < nodes; from++) {
            search(torus, from, hops);
            for (uint32_t to = 0; to < nodes; to++) {
                check_route(torus, from, to, hops[to]);
                longest = hops[to] > longest ? hops[to] : longest;
                sum += hops[to];
            }
        }
        assert_int_equal(ni_torus_diameter(torus), longest);

        double pairs = (double)nodes * (nodes - 1);
        double difference = ni_torus_mean_hops(torus) - (pairs > 0 ? (double)sum / pairs : 0);

        assert_true(difference < 1e-9 && difference > -1e-9);
    }
}

/* Of a ring of 4 from 0: 1 is up, 3 is down over the end, 2 is as far both ways and so up. */
static void test_ways_round(void **state)
{
    const struct ni_torus ring = {{4, 1, 1}}, pair = {{1, 2, 1}};
    enum ni_torus_direction route[2] = {NI_TORUS_DIRECTIONS, NI_TORUS_DIRECTIONS};

    (void)state;
    assert_int_equal(ni_torus_next(&ring, 0, 1), NI_TORUS_X_PLUS);
    assert_int_equal(ni_torus_next(&ring, 0, 3), NI_TORUS_X_MINUS);
    assert_int_equal(ni_torus_next(&ring, 0, 2), NI_TORUS_X_PLUS);
    assert_int_equal(ni_torus_next(&ring, 3, 1), NI_TORUS_X_PLUS);
    assert_int_equal(ni_torus_next(&ring, 3, 0), NI_TORUS_X_PLUS);
    assert_int_equal(ni_torus_next(&ring, 2, 1), NI_TORUS_X_MINUS);
    assert_int_equal(ni_torus_next(&pair, 0, 1), NI_TORUS_Y_PLUS);
    assert_int_equal(ni_torus_next(&pair, 1, 0), NI_TORUS_Y_PLUS);
    /* what does not fit is counted and not stored */
    assert_int_equal(ni_torus_route(&ring, 0, 2, route, 1), 2);
    assert_int_equal(route[0], NI_TORUS_X_PLUS);
    assert_int_equal(route[1], NI_TORUS_DIRECTIONS);
    assert_int_equal(ni_torus_route(&ring, 0, 2, NULL, 0), 2);
}

static void test_names(void **state)
{
    static const char *const names[] = {"X+", "X-", "Y+", "Y-", "Z+", "Z-", "none"};

    (void)state;
    for (int d = 0; d <= NI_TORUS_DIRECTIONS; d++) {
        assert_string_equal(ni_torus_direction_name((enum ni_torus_direction)d), names[d]);
    }
}

/* The smallest surface of all triples, found by trying each. */
static uint64_t least_surface(uint32_t nodes)
{
    uint64_t least = UINT64_MAX;

    for (uint32_t x = 1; x <= nodes; x++) {
        for (uint32_t y = 1; nodes % x == 0 && y <= nodes / x; y++) {
            if (nodes / x % y == 0) {
                uint64_t z = nodes / x / y, surface = x * y + y * z + z * x;

                least = surface < least ? surface : least;
            }
        }
    }
    return least;
}

static void test_near_cubic(void **state)
{
    struct ni_torus torus;

    (void)state;
    for (uint32_t nodes = 1; nodes <= 600; nodes++) {
        assert_int_equal(ni_torus_near_cubic(nodes, &torus), NI_OK);

        uint64_t x = torus.size[0], y = torus.size[1], z = torus.size[2];

        assert_int_equal(x * y * z, nodes);
        assert_true(x >= y && y >= z);
        assert_true(x * y + y * z + z * x == least_surface(nodes));
    }
}

static void expect_cubic(uint32_t nodes, uint32_t x, uint32_t y, uint32_t z)
{
    struct ni_torus torus;

    assert_int_equal(ni_torus_near_cubic(nodes, &torus), NI_OK);
    assert_int_equal(torus.size[0], x);
    assert_int_equal(torus.size[1], y);
    assert_int_equal(torus.size[2], z);
}

static void test_cubic_examples(void **state)
{
    struct ni_torus torus = {{9, 9, 9}};

    (void)state;
    expect_cubic(1, 1, 1, 1);
    expect_cubic(13, 13, 1, 1);
    expect_cubic(16, 4, 2, 2); /* as the cluster of the APEnet+ report */
    expect_cubic(64, 4, 4, 4);
    expect_cubic(100, 5, 5, 4);
    expect_cubic(1000000, 100, 100, 100);
    expect_cubic(1048573, 1048573, 1, 1); /* the largest prime below 2^20 */
    expect_cubic(NI_TORUS_NODES_MAX, 128, 128, 64);
    assert_int_equal(ni_torus_near_cubic(0, &torus), NI_ERR_INVALID);
    assert_int_equal(ni_torus_near_cubic(NI_TORUS_NODES_MAX + 1, &torus), NI_ERR_INVALID);
    assert_int_equal(ni_torus_near_cubic(UINT32_MAX, &torus), NI_ERR_INVALID);
    assert_int_equal(torus.size[0], 9);
}

static void test_parse(void **state)
{
    static const struct {
        const char *text;
        struct ni_torus torus;
    } good[] = {{"4x2x2", {{4, 2, 2}}}, {"8X4", {{8, 4, 1}}},
                {"16", {{16, 1, 1}}},   {"1048576", {{NI_TORUS_NODES_MAX, 1, 1}}},
                {"1x1x1", {{1, 1, 1}}}, {"1024x1024x1", {{1024, 1024, 1}}}};
    static const struct {
        const char *text, *error;
    } bad[] = {{"", "\"\": it is empty"},
               {"4x", "\"4x\": a size is missing"},
               {"x4", "\"x4\": a size is missing"},
               {"4x-2", "a sign is not allowed"},
               {"4x2x2x2", "more than three sizes"},
               {"4x0x2", "a size is 0"},
               {"1024x1024x2", "too many nodes"},
               {"18446744073709551615x2", "too many nodes"},
               {"4 x2", "\"4 x2\""},
               {"4K", "\"4K\""},
               {"4*2", "a shape such as 4x2x2 is wanted"}};
    char error[300];

    (void)state;
    for (size_t i = 0; i < NI_ARRAY_LENGTH(good); i++) {
        struct ni_torus torus;

        assert_int_equal(ni_torus_parse(good[i].text, &torus, error, sizeof(error)), NI_OK);
        assert_memory_equal(&torus, &good[i].torus, sizeof(torus));
    }
    for (size_t i = 0; i < NI_ARRAY_LENGTH(bad); i++) {
        struct ni_torus torus = {{9, 9, 9}};

        assert_int_equal(ni_torus_parse(bad[i].text, &torus, error, sizeof(error)), NI_ERR_PARAM);
        assert_non_null(strstr(error, bad[i].error));
        assert_int_equal(torus.size[0], 9);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_and_places),
        cmocka_unit_test(test_neighbours),
        cmocka_unit_test(test_routes_and_search),
        cmocka_unit_test(test_ways_round),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_near_cubic),
        cmocka_unit_test(test_cubic_examples),
        cmocka_unit_test(test_parse),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
