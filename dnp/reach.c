/* SPDX-License-Identifier: BSD-3-Clause */
/* How far packets get in the rings of a card. */
#include "dnp/reach.h"

#include <stdbool.h>

#include "dnp/lofamo/fault.h"

static bool is_broken(uint32_t fault, enum ni_torus_direction link)
{
    return (fault >> dnp_fault_link_low(link) & 3) == DNP_BROKEN;
}

/* Steps through a link and straight on until a broken cable; all round the ring there is none. */
static uint32_t steps(const struct ni_torus *torus, uint32_t node, enum ni_torus_direction link,
                      dnp_fault_of *fault, const void *arg)
{
    uint32_t count = 0;

    while (count < torus->size[link / 2]) {
        uint32_t next = ni_torus_neighbour(torus, node, link);

        if (is_broken(fault(arg, node), link) ||
            is_broken(fault(arg, next), (enum ni_torus_direction)(link ^ 1))) {
            break;
        }
        node = next;
        count++;
    }
    return count;
}

uint32_t dnp_reach(const struct ni_torus *torus, uint32_t node, unsigned dimension,
                   dnp_fault_of *fault, const void *arg)
{
    enum ni_torus_direction up = (enum ni_torus_direction)(2 * dimension);
    uint32_t increasing = steps(torus, node, up, fault, arg), word = 0;

    if (increasing == torus->size[dimension]) {
        return 0;
    }
    word = DNP_FIELD_PUT(word, route_reach_broken, 1);
    word = DNP_FIELD_PUT(word, route_reach_increasing, increasing);
    return DNP_FIELD_PUT(word, route_reach_decreasing,
                         steps(torus, node, (enum ni_torus_direction)(up + 1), fault, arg));
}
