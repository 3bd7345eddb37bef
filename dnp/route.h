/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DNP_ROUTE_H
#define DNP_ROUTE_H

#include <stdbool.h>
#include <stdint.h>

#include <apeni/torus.h>

#include "driver/packet.h"
#include "dnp/registers.h"

/*
 * Where a packet goes next. Routes are those of apeni/torus.h: X, then Y, then Z, each the shorter
 * way. Within a ring a packet is on channel 0 until it passes from the last node to the first, or
 * back, and on channel 1 from this link on. So no ring of full FIFOs can wait for each other:
 *
 *   channel 0    0 -> 1 -> 2 -> 3         never the link that closes the ring
 *   channel 1    3 -> 0 -> 1              a shortest way passes it once and ends before it
 *
 * and a packet that leaves for a higher dimension never comes back to a lower one. A neighbour that
 * sends packets along other ways has them refused, so that it cannot make a circle. Pure.
 */

enum dnp_exit {
    DNP_EXIT_LINK,    /* through a link */
    DNP_EXIT_HERE,    /* to this card */
    DNP_EXIT_REFUSED, /* to a place outside of the torus, or on a way on which nothing may come */
};

struct dnp_route {
    enum dnp_exit exit;
    enum ni_torus_direction link;
    uint8_t vc;
};

/* from: the link on which it arrived and the channel, or NI_TORUS_DIRECTIONS for one of this card.
 */
struct dnp_route dnp_route(const struct dnp_register_file *registers, struct apelink_place to,
                           enum ni_torus_direction from, uint8_t vc);

#endif
