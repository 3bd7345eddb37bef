/* SPDX-License-Identifier: BSD-3-Clause */
/* The next step of a packet, and its virtual channel. */
#include "dnp/route.h"

static struct ni_torus_place place_of(uint32_t reg)
{
    return (struct ni_torus_place){{DNP_FIELD_GET(reg, board_place_x),
                                    DNP_FIELD_GET(reg, board_place_y),
                                    DNP_FIELD_GET(reg, board_place_z)}};
}

static bool inside(const struct ni_torus *torus, const struct ni_torus_place *place)
{
    return place->at[0] < torus->size[0] && place->at[1] < torus->size[1] &&
           place->at[2] < torus->size[2];
}

/* Whether a step closes the ring of its dimension. */
static bool closes(const struct ni_torus *torus, const struct ni_torus_place *at,
                   enum ni_torus_direction step)
{
    unsigned dimension = (unsigned)step / 2;

    return at->at[dimension] == (step % 2 == 0 ? torus->size[dimension] - 1 : 0);
}

/* Whether a packet that enters a ring gets so many steps far. */
static bool reaches(const struct dnp_register_file *registers, enum ni_torus_direction link,
                    uint32_t steps, uint32_t down)
{
    uint32_t told = dnp_get(registers, DNP_REG_route_reach, (unsigned)link / 2);
    uint32_t reach = link % 2 == 0 ? DNP_FIELD_GET(told, route_reach_increasing)
                                   : DNP_FIELD_GET(told, route_reach_decreasing);

    return (down >> link & 1) == 0 &&
           (DNP_FIELD_GET(told, route_reach_broken) == 0 || steps <= reach);
}

/* The way round a ring: the shorter one, or the other one if that is broken. */
static struct dnp_route enter(const struct dnp_register_file *registers, unsigned dimension,
                              uint32_t size, uint32_t up, uint32_t down)
{
    bool increasing = up <= size - up;
    uint32_t steps = increasing ? up : size - up;
    enum ni_torus_direction link = (enum ni_torus_direction)(2 * dimension + (increasing ? 0 : 1));

    if (reaches(registers, link, steps, down)) {
        return (struct dnp_route){.exit = DNP_EXIT_LINK, .link = link};
    }
    if (reaches(registers, (enum ni_torus_direction)(link ^ 1), size - steps, down)) {
        return (struct dnp_route){.exit = DNP_EXIT_LINK,
                                  .link = (enum ni_torus_direction)(link ^ 1)};
    }
    return (struct dnp_route){.exit = DNP_EXIT_UNREACHABLE, .link = link};
}

/* The first dimension in which two places differ; NI_TORUS_DIMENSIONS: none. */
static unsigned first_difference(const struct ni_torus_place *a, const struct ni_torus_place *b)
{
    unsigned dimension = 0;

    while (dimension < NI_TORUS_DIMENSIONS && a->at[dimension] == b->at[dimension]) {
        dimension++;
    }
    return dimension;
}

struct dnp_route dnp_route(const struct dnp_register_file *registers, struct apelink_place to,
                           enum ni_torus_direction from, uint8_t vc, uint32_t down)
{
    uint32_t size = dnp_get(registers, DNP_REG_board_torus, 0);
    struct ni_torus torus = {{DNP_FIELD_GET(size, board_torus_x),
                              DNP_FIELD_GET(size, board_torus_y),
                              DNP_FIELD_GET(size, board_torus_z)}};
    struct ni_torus_place here = place_of(dnp_get(registers, DNP_REG_board_place, 0));
    struct ni_torus_place there = {{to.x, to.y, to.z}};
    struct dnp_route route = {.exit = DNP_EXIT_REFUSED, .link = NI_TORUS_DIRECTIONS};
    unsigned d = first_difference(&here, &there);
    uint32_t n;

    if (!inside(&torus, &here) || !inside(&torus, &there)) {
        return route;
    }
    if (d == NI_TORUS_DIMENSIONS) {
        route.exit = DNP_EXIT_HERE;
        return route;
    }
    n = torus.size[d];
    if (from == NI_TORUS_DIRECTIONS || from / 2 < d) {
        route = enter(registers, d, n, (there.at[d] + n - here.at[d]) % n, down);
        route.vc = closes(&torus, &here, route.link);
    } else if (from / 2 == d && !(vc == 1 && closes(&torus, &here, from ^ 1))) {
        route.link = (enum ni_torus_direction)(from ^ 1);
        route.exit = (down >> route.link & 1) == 0 ? DNP_EXIT_LINK : DNP_EXIT_UNREACHABLE;
        route.vc = vc == 1 || closes(&torus, &here, route.link);
    }
    return route;
}
