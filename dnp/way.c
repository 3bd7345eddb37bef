/* SPDX-License-Identifier: BSD-3-Clause */
/* Ways through a torus, by the routers' own decisions. */
#include "dnp/way.h"

#include "dnp/registers.h"
#include "dnp/route.h"

static uint32_t after_steps(const struct ni_torus *torus, uint32_t node,
                            enum ni_torus_direction link, uint32_t steps)
{
    for (; steps > 0; steps--) {
        node = ni_torus_neighbour(torus, node, link);
    }
    return node;
}

bool dnp_parted(const struct ni_torus *torus, uint32_t node, unsigned dimension,
                dnp_fault_of *fault, const void *arg, struct dnp_cable_end broken[2])
{
    uint32_t reach = dnp_reach(torus, node, dimension, fault, arg);
    uint32_t steps[2] = {DNP_FIELD_GET(reach, route_reach_increasing),
                         DNP_FIELD_GET(reach, route_reach_decreasing)};

    if (reach == 0 || steps[0] + steps[1] + 1 >= torus->size[dimension]) {
        return false;
    }
    for (unsigned i = 0; i < 2; i++) {
        broken[i].link = (enum ni_torus_direction)(2 * dimension + i);
        broken[i].node = after_steps(torus, node, broken[i].link, steps[i]);
    }
    return true;
}

static uint32_t coordinates(uint32_t x, uint32_t y, uint32_t z)
{
    uint32_t word = DNP_FIELD_PUT(0, board_place_x, x);

    word = DNP_FIELD_PUT(word, board_place_y, y);
    return DNP_FIELD_PUT(word, board_place_z, z);
}

static void set_table(struct dnp_register_file *card, const struct ni_torus *torus, uint32_t node,
                      dnp_fault_of *fault, const void *arg)
{
    for (unsigned i = 0; i < NI_TORUS_DIMENSIONS; i++) {
        dnp_set(card, DNP_REG_route_reach, i, dnp_reach(torus, node, i, fault, arg));
    }
}

bool dnp_way(const struct ni_torus *torus, uint32_t from, uint32_t to, dnp_fault_of *fault,
             const void *arg, struct dnp_cable_end broken[2])
{
    const struct ni_torus_place there = ni_torus_at(torus, to);
    const struct apelink_place place = {(uint16_t)there.at[0], (uint16_t)there.at[1],
                                        (uint16_t)there.at[2]};
    enum ni_torus_direction arrived = NI_TORUS_DIRECTIONS;
    struct dnp_register_file card;
    struct dnp_route route = {.vc = 0};
    uint32_t at = from;

    dnp_registers_reset(&card);
    dnp_set(&card, DNP_REG_board_torus, 0,
            coordinates(torus->size[0], torus->size[1], torus->size[2]));
    for (;;) {
        struct ni_torus_place here = ni_torus_at(torus, at);

        dnp_set(&card, DNP_REG_board_place, 0, coordinates(here.at[0], here.at[1], here.at[2]));
        /* A router looks at its table only for what enters a ring. */
        if (arrived == NI_TORUS_DIRECTIONS || here.at[arrived / 2] == there.at[arrived / 2]) {
            set_table(&card, torus, at, fault, arg);
        }
        route = dnp_route(&card, place, arrived, route.vc, 0);
        if (route.exit != DNP_EXIT_LINK) {
            break;
        }
        at = ni_torus_neighbour(torus, at, route.link);
        arrived = (enum ni_torus_direction)(route.link ^ 1);
    }
    return route.exit != DNP_EXIT_UNREACHABLE ||
           !dnp_parted(torus, at, (unsigned)route.link / 2, fault, arg, broken);
}
