/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DNP_ROUTE_H
#define DNP_ROUTE_H

#include <stdbool.h>
#include <stdint.h>

#include <apeni/torus.h>

#include "driver/packet.h"
#include "dnp/registers.h"

/*
 * Where a packet goes next: X, then Y, then Z, as the routes of apeni/torus.h. The card at which it
 * enters a ring chooses the way round, the shorter one if nothing on it is broken; from there it
 * goes straight on. Within a ring a packet is on channel 0 until it passes from the last node to
 * the first, or back, and on channel 1 from this link on, which it passes once at most. So no ring
 * of full FIFOs can wait for each other, whatever each card knows of broken cables:
 *
 *   channel 0    0 -> 1 -> 2 -> 3         never the link that closes the ring
 *   channel 1    3 -> 0 -> 1 -> 2         never again
 *
 * and a packet that leaves for a higher dimension never comes back to a lower one. A neighbour that
 * sends packets along other ways has them refused, so that it cannot make a circle.
 *
 * What is broken: the card's own links, at once, and what a host has written in route_reach (the
 * table of the router). Where two cables of a ring are broken, what would have to pass both ways is
 * unreachable. Pure.
 */

enum dnp_exit {
    DNP_EXIT_LINK,        /* through a link */
    DNP_EXIT_HERE,        /* to this card */
    DNP_EXIT_UNREACHABLE, /* through a link, if its ring were not broken on all ways */
    DNP_EXIT_REFUSED, /* to a place outside of the torus, or on a way on which nothing may come */
};

struct dnp_route {
    enum dnp_exit exit;
    enum ni_torus_direction link;
    uint8_t vc;
};

/* from: the link on which it arrived and the channel, or NI_TORUS_DIRECTIONS for one of this card.
 * down: the card's links that are broken, a bit each. */
struct dnp_route dnp_route(const struct dnp_register_file *registers, struct apelink_place to,
                           enum ni_torus_direction from, uint8_t vc, uint32_t down);

#endif
