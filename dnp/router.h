/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DNP_ROUTER_H
#define DNP_ROUTER_H

#include <stdbool.h>
#include <stdint.h>

#include "dnp/fifo.h"
#include "dnp/link.h"
#include "dnp/route.h"

/*
 * The switch of a card: whole packets from the receiving FIFOs of the links and from the card to
 * links and to the card, each input and each output with one packet at a time.
 *
 *   link 0 channel 0, 1 --+         +-- link 0
 *   ...                   +-- switch+   ...
 *   link 5 channel 0, 1 --+         +-- link 5
 *   inject ---------------+         +-- deliver
 *
 * Inputs that want the same output take turns. A packet goes to a link when the other side has room
 * for all of it, and to the card when `deliver` has. What can go nowhere is dropped and counted:
 * route_refused, and link_unsent where links are down and there is no other way. The card has to
 * empty `deliver` whatever becomes of what it sends: on that rests that nothing blocks for ever.
 */

enum {
    DNP_INPUT_INJECT = DNP_LINKS * DNP_VCS,
    DNP_INPUTS,
    DNP_OUTPUT_DELIVER = DNP_LINKS,
    DNP_OUTPUTS,
};

struct dnp_router {
    struct dnp_register_file *registers;
    struct dnp_link *link; /* all of them */
    struct dnp_fifo inject;
    struct dnp_fifo deliver;
    uint32_t burst;              /* words that are delivered in a step */
    uint32_t deliver_left;       /* words of the packet that is delivered which are to come */
    uint8_t source[DNP_OUTPUTS]; /* the input of the packet under way; DNP_INPUTS: none */
    uint8_t turn[DNP_OUTPUTS];   /* the input that is asked first */
};

/* inject and deliver: memory for the two FIFOs, size words each, a power of two that has room for a
 * longest packet. */
void dnp_router_init(struct dnp_router *router, struct dnp_register_file *registers,
                     struct dnp_link *links, struct apelink_word *inject,
                     struct apelink_word *deliver, uint32_t size);

/* One cycle: ends what has ended, begins what can begin, delivers a word. The links send after it.
 * Returns whether there is a packet anywhere in the card that the router has to see to. */
bool dnp_router_step(struct dnp_router *router, uint64_t now);

#endif
