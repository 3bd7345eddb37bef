/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: dnp/route.c, dnp/reach.c. */
#include "unit.h"

#include "dnp/reach.h"
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

/* What is broken: a fault word of each node. */
static uint32_t faults[NODES_MAX];

static uint32_t fault_of(const void *arg, uint32_t node)
{
    return ((const uint32_t *)arg)[node];
}

static bool cable_broken(const struct torus *torus, uint32_t node, enum ni_torus_direction link)
{
    uint32_t next = ni_torus_neighbour(&torus->shape, node, link);

    return (faults[node] >> dnp_fault_link_low(link) & 3) == DNP_BROKEN ||
           (faults[next] >> dnp_fault_link_low(link ^ 1) & 3) == DNP_BROKEN;
}

static uint32_t links_down(const struct torus *torus, uint32_t node)
{
    uint32_t down = 0;

    for (unsigned link = 0; link < DNP_LINKS; link++) {
        down |= (uint32_t)cable_broken(torus, node, (enum ni_torus_direction)link) << link;
    }
    return down;
}

/* Break a cable, which is that of a node's increasing link: one of its ends says so. */
static void break_cable(const struct torus *torus, unsigned cable, bool far)
{
    uint32_t node = cable / 3;
    unsigned link = cable % 3 * 2;

    if (far) {
        node = ni_torus_neighbour(&torus->shape, node, (enum ni_torus_direction)link);
        link ^= 1;
    }
    faults[node] |= (uint32_t)DNP_BROKEN << dnp_fault_link_low(link);
}

/* All cards know what is broken; or only their own links. */
static void tell_all(const struct torus *torus, bool all)
{
    for (uint32_t node = 0; node < torus->nodes; node++) {
        for (unsigned i = 0; i < 3; i++) {
            dnp_set(&torus->card[node].registers, DNP_REG_route_reach, i,
                    all ? dnp_reach(&torus->shape, node, i, fault_of, faults) : 0);
        }
    }
}

/* Follow a packet through the cards' decisions. Returns how it ends; *at: where. */
static struct dnp_route walk(const struct torus *torus, uint32_t *at, uint32_t to, bool channels)
{
    enum ni_torus_direction arrived = NI_TORUS_DIRECTIONS;
    unsigned last = CHANNELS;
    struct dnp_route route;
    uint8_t vc = 0;

    for (uint32_t hops = 0;; hops++) {
        unsigned next;

        route = dnp_route(&torus->card[*at].registers, torus_place(torus, to), arrived, vc,
                          links_down(torus, *at));
        if (route.exit != DNP_EXIT_LINK) {
            return route;
        }
        assert_true(hops < torus->shape.size[0] + torus->shape.size[1] + torus->shape.size[2]);
        assert_false(cable_broken(torus, *at, route.link));
        *at = ni_torus_neighbour(&torus->shape, *at, route.link);
        arrived = (enum ni_torus_direction)(route.link ^ 1);
        vc = route.vc;
        next = channel(*at, arrived, channels ? vc : 0);
        if (last != CHANNELS) {
            graph.waits[last][next] = true;
        }
        last = next;
    }
}

/* Whether a way X, Y, Z has only whole cables, either way round each ring. */
static bool has_way(const struct torus *torus, uint32_t from, uint32_t to)
{
    struct ni_torus_place there = ni_torus_at(&torus->shape, to);

    for (unsigned d = 0; d < 3; d++) {
        bool whole = false;
        uint32_t end = from;

        for (unsigned link = 2 * d; link < 2 * d + 2 && !whole; link++) {
            whole = true;
            for (end = from; ni_torus_at(&torus->shape, end).at[d] != there.at[d];) {
                whole = whole && !cable_broken(torus, end, (enum ni_torus_direction)link);
                end = ni_torus_neighbour(&torus->shape, end, (enum ni_torus_direction)link);
            }
        }
        if (!whole) {
            return false;
        }
        from = end;
    }
    return true;
}

/* All packets from all nodes to all, in a torus of which some cables are broken, which all cards
 * know. Returns how many have no way; there must be no circle of channels. */
static unsigned count_unreachable(const struct torus *torus, bool channels, bool *circle)
{
    unsigned unreachable = 0;

    memset(&graph, 0, sizeof graph);
    for (uint32_t from = 0; from < torus->nodes; from++) {
        for (uint32_t to = 0; to < torus->nodes; to++) {
            uint32_t at = from;
            struct dnp_route end = walk(torus, &at, to, channels);
            bool way = has_way(torus, from, to);

            assert_int_equal(end.exit, way ? DNP_EXIT_HERE : DNP_EXIT_UNREACHABLE);
            assert_true(!way || at == to);
            unreachable += !way;
        }
    }
    *circle = has_circle(torus->nodes);
    return unreachable;
}

static bool deadlocks(struct ni_torus shape, bool channels)
{
    struct torus torus;
    bool circle;

    torus_init(&torus, shape, 1);
    assert_true(torus.nodes <= NODES_MAX);
    memset(faults, 0, sizeof faults);
    assert_int_equal(count_unreachable(&torus, channels, &circle), 0);
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

/* With each cable broken, and with each two: what has a way arrives by it, and the rest, of rings
 * that are in two parts, is refused and not sent round for ever. One cable costs nobody his way.
 * step: of the first cables of pairs one in so many. */
static void break_each(struct ni_torus shape, unsigned step)
{
    struct torus torus;
    unsigned cables, parted = 0;
    bool circle;

    torus_init(&torus, shape, 1);
    cables = torus.nodes * 3;
    for (unsigned a = 0; a < cables; a += step) {
        for (unsigned b = a; b < cables; b++) {
            bool rings = shape.size[a % 3] > 1 && shape.size[b % 3] > 1;
            unsigned unreachable;

            if (!rings) {
                continue;
            }
            memset(faults, 0, sizeof faults);
            break_cable(&torus, a, false);
            break_cable(&torus, b, true);
            tell_all(&torus, true);
            unreachable = count_unreachable(&torus, true, &circle);
            assert_false(circle);
            assert_true(a != b || unreachable == 0);
            parted += unreachable > 0;
        }
    }
    print_message("%ux%ux%u: %u pairs of broken cables part a ring\n", shape.size[0], shape.size[1],
                  shape.size[2], parted);
    torus_fini(&torus);
}

static void test_broken_cables(void **state)
{
    const char *long_tests = getenv("APELINK_TEST_ALL");
    bool all = long_tests != NULL && strcmp(long_tests, "yes") == 0;

    (void)state;
    break_each((struct ni_torus){{2, 2, 1}}, 1);
    break_each((struct ni_torus){{2, 2, 2}}, 1);
    break_each((struct ni_torus){{3, 3, 1}}, 1);
    break_each((struct ni_torus){{4, 2, 1}}, 1);
    break_each((struct ni_torus){{8, 1, 1}}, 1);
    break_each((struct ni_torus){{3, 3, 3}}, all ? 1 : 7);
}

/* While some cards know of a broken cable and others do not, each may choose any way round. All
 * that a card can do with a packet in one channel, whatever is in the table: no circle either. */
static void test_no_circle_whatever_is_known(void **state)
{
    static const struct ni_torus shapes[] = {{{2, 2, 1}}, {{2, 2, 2}}, {{3, 3, 1}}, {{4, 2, 1}},
                                             {{8, 1, 1}}, {{3, 3, 3}}, {{5, 4, 3}}};
    static const uint32_t tables[] = {0, 0x80000000U, 0x800003ffU, 0x800ffc00U};

    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        struct torus torus;

        torus_init(&torus, shapes[i], 1);
        memset(&graph, 0, sizeof graph);
        for (uint32_t n = 0; n < torus.nodes * DNP_LINKS * DNP_VCS * 4 * torus.nodes; n++) {
            uint32_t to = n % torus.nodes, in = n / torus.nodes / 4, at = in / DNP_VCS / DNP_LINKS;
            enum ni_torus_direction from = (enum ni_torus_direction)(in / DNP_VCS % DNP_LINKS);
            struct dnp_register_file *registers = &torus.card[at].registers;
            struct dnp_route route;

            for (unsigned d = 0; d < 3; d++) {
                dnp_set(registers, DNP_REG_route_reach, d, tables[n / torus.nodes % 4]);
            }
            route = dnp_route(registers, torus_place(&torus, to), from, in % DNP_VCS, 0);
            if (route.exit == DNP_EXIT_LINK) {
                uint32_t next = ni_torus_neighbour(&torus.shape, at, route.link);

                graph.waits[in][channel(next, route.link ^ 1, route.vc)] = true;
            }
        }
        assert_false(has_circle(torus.nodes));
        torus_fini(&torus);
    }
}

/* Only the two ends know: all that enters a ring there takes the other way; what others send
 * towards the cable is dropped at its end. */
static void test_only_the_ends_know(void **state)
{
    struct torus torus;
    uint32_t at;

    (void)state;
    torus_init(&torus, (struct ni_torus){{5, 2, 1}}, 1);
    memset(faults, 0, sizeof faults);
    break_cable(&torus, 0, false); /* from 0 to 1 */
    tell_all(&torus, false);
    memset(&graph, 0, sizeof graph);
    assert_int_equal(walk(&torus, &(uint32_t){0}, 1, true).exit, DNP_EXIT_HERE);
    assert_int_equal(walk(&torus, &(uint32_t){1}, 5, true).exit, DNP_EXIT_HERE);
    at = 4;
    assert_int_equal(walk(&torus, &at, 1, true).exit, DNP_EXIT_UNREACHABLE);
    assert_int_equal(at, 0);
    tell_all(&torus, true);
    at = 4;
    assert_int_equal(walk(&torus, &at, 1, true).exit, DNP_EXIT_HERE);
    torus_fini(&torus);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_circle_of_channels),
        cmocka_unit_test(test_broken_cables),
        cmocka_unit_test(test_no_circle_whatever_is_known),
        cmocka_unit_test(test_only_the_ends_know),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
