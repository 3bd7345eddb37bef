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

/* Whether a packet that came by a link may leave by another: straight on, or in a higher dimension.
 */
static bool allowed(enum ni_torus_direction from, enum ni_torus_direction step)
{
    return from == NI_TORUS_DIRECTIONS || step / 2 > from / 2 || step == (from ^ 1);
}

struct dnp_route dnp_route(const struct dnp_register_file *registers, struct apelink_place to,
                           enum ni_torus_direction from, uint8_t vc)
{
    uint32_t size = dnp_get(registers, DNP_REG_board_torus, 0);
    struct ni_torus torus = {{DNP_FIELD_GET(size, board_torus_x),
                              DNP_FIELD_GET(size, board_torus_y),
                              DNP_FIELD_GET(size, board_torus_z)}};
    struct ni_torus_place here = place_of(dnp_get(registers, DNP_REG_board_place, 0));
    struct ni_torus_place there = {{to.x, to.y, to.z}};
    struct dnp_route route = {.exit = DNP_EXIT_REFUSED, .link = NI_TORUS_DIRECTIONS};

    if (!inside(&torus, &here) || !inside(&torus, &there)) {
        return route;
    }
    route.link = ni_torus_next(&torus, ni_torus_node(&torus, &here), ni_torus_node(&torus, &there));
    if (route.link == NI_TORUS_DIRECTIONS) {
        route.exit = DNP_EXIT_HERE;
    } else if (allowed(from, route.link)) {
        route.exit = DNP_EXIT_LINK;
        route.vc = closes(&torus, &here, route.link) ||
                   (from != NI_TORUS_DIRECTIONS && from / 2 == route.link / 2 && vc == 1);
    }
    return route;
}
