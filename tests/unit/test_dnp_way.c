/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: dnp/way.c, dnp/reach.c. */
#include "unit.h"

#include "dnp/lofamo/fault.h"
#include "dnp/way.h"

/*
 * Ways through tori with broken links, against a naive search: along X, then Y, then Z, and each
 * time one way round or the other, straight on.
 */

enum { NODES_MAX = 27 };

static uint32_t faults[NODES_MAX];

static uint32_t fault_of(const void *arg, uint32_t node)
{
    return ((const uint32_t *)arg)[node];
}

static bool is_broken(const struct ni_torus *torus, uint32_t node, enum ni_torus_direction link)
{
    uint32_t next = ni_torus_neighbour(torus, node, link);

    return (faults[node] >> dnp_fault_link_low(link) & 3) == DNP_BROKEN ||
           (faults[next] >> dnp_fault_link_low(link ^ 1) & 3) == DNP_BROKEN;
}

/* Go straight on until the coordinate is that of the other node. False: over a broken cable. */
static bool go(const struct ni_torus *torus, uint32_t *node, uint32_t to,
               enum ni_torus_direction link)
{
    bool whole = true;

    while (ni_torus_at(torus, *node).at[link / 2] != ni_torus_at(torus, to).at[link / 2]) {
        whole = whole && !is_broken(torus, *node, link);
        *node = ni_torus_neighbour(torus, *node, link);
    }
    return whole;
}

static bool has_way(const struct ni_torus *torus, uint32_t from, uint32_t to)
{
    for (unsigned link = 0; link < NI_TORUS_DIRECTIONS; link += 2) {
        uint32_t end = from;

        if (!go(torus, &from, to, (enum ni_torus_direction)link) &&
            !go(torus, &end, to, (enum ni_torus_direction)(link + 1))) {
            return false;
        }
    }
    return true;
}

static void break_link(uint32_t node, unsigned link)
{
    faults[node] |= (uint32_t)DNP_BROKEN << dnp_fault_link_low(link);
}

/* All pairs. What is named as the reason is broken, and is of one ring. Returns how many have no
 * way. */
static unsigned count_parted(const struct ni_torus *torus)
{
    uint32_t nodes = ni_torus_nodes(torus);
    unsigned count = 0;

    for (uint32_t pair = 0; pair < nodes * nodes; pair++) {
        struct dnp_cable_end broken[2] = {{.node = NODES_MAX}};
        uint32_t from = pair / nodes, to = pair % nodes;
        bool way = dnp_way(torus, from, to, fault_of, faults, broken);

        assert_int_equal(way, has_way(torus, from, to));
        if (way) {
            continue;
        }
        count++;
        assert_int_equal(broken[1].link, broken[0].link + 1);
        for (unsigned i = 0; i < 2; i++) {
            assert_true(is_broken(torus, broken[i].node, broken[i].link));
        }
        assert_true(broken[0].node != ni_torus_neighbour(torus, broken[1].node, broken[1].link) ||
                    broken[1].node != ni_torus_neighbour(torus, broken[0].node, broken[0].link));
    }
    return count;
}

/* Each set of two broken links, which may be the two ends of a cable. */
static unsigned break_each_two(struct ni_torus torus)
{
    unsigned links = ni_torus_nodes(&torus) * NI_TORUS_DIRECTIONS, count = 0;

    for (unsigned a = 0; a < links; a++) {
        for (unsigned b = a; b < links; b++) {
            unsigned first = a % NI_TORUS_DIRECTIONS, second = b % NI_TORUS_DIRECTIONS;
            unsigned parted;

            if (torus.size[first / 2] == 1 || torus.size[second / 2] == 1) {
                continue;
            }
            memset(faults, 0, sizeof faults);
            break_link(a / NI_TORUS_DIRECTIONS, first);
            break_link(b / NI_TORUS_DIRECTIONS, second);
            parted = count_parted(&torus);
            assert_true(parted == 0 || first / 2 == second / 2);
            count += parted;
        }
    }
    print_message("%ux%ux%u: %u times a pair has no way\n", torus.size[0], torus.size[1],
                  torus.size[2], count);
    return count;
}

static void test_each_two_links(void **state)
{
    (void)state;
    /* Of the 28 sets 24 are of two cables, which part the ring in 1 and 3 nodes, 16 times, or in 2
     * and 2. */
    assert_int_equal(break_each_two((struct ni_torus){{4, 1, 1}}), 16 * 6 + 8 * 8);
    assert_true(break_each_two((struct ni_torus){{3, 3, 1}}) > 0);
    assert_true(break_each_two((struct ni_torus){{2, 2, 1}}) > 0);
    assert_true(break_each_two((struct ni_torus){{2, 1, 2}}) > 0);
}

/* A card that has ended: its neighbours miss it. It takes those with it that would turn at it. */
static void test_a_card_that_has_ended(void **state)
{
    const struct ni_torus torus = {{3, 3, 3}};
    struct dnp_cable_end broken[2];

    (void)state;
    for (uint32_t node = 0; node < ni_torus_nodes(&torus); node++) {
        memset(faults, 0, sizeof faults);
        for (unsigned link = 0; link < NI_TORUS_DIRECTIONS; link++) {
            break_link(ni_torus_neighbour(&torus, node, (enum ni_torus_direction)link), link ^ 1);
        }
        assert_true(count_parted(&torus) > 2 * 26);
    }
    assert_false(dnp_way(&torus, 25, 26, fault_of, faults, broken)); /* to the last one */
    assert_true(broken[0].node == 25 && broken[0].link == NI_TORUS_X_PLUS);
    assert_true(broken[1].node == 24 && broken[1].link == NI_TORUS_X_MINUS);
    assert_false(dnp_way(&torus, 24, 23, fault_of, faults, broken)); /* by it */
    assert_true(broken[0].node == 25 && broken[1].node == 24);
    assert_true(dnp_way(&torus, 23, 24, fault_of, faults, broken));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_two_links),
        cmocka_unit_test(test_a_card_that_has_ended),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
