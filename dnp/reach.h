/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DNP_REACH_H
#define DNP_REACH_H

#include <stdint.h>

#include <apeni/torus.h>

/*
 * The table of a card's router, route_reach, from what is known of all nodes. A cable is broken if
 * the card at either of its ends says so. Pure functions.
 */

/* The fault word of a node (dnp/lofamo/fault.h), of which only the links count. */
typedef uint32_t dnp_fault_of(const void *arg, uint32_t node);

/* The value of a node's register for a dimension: 0 if its ring is whole. */
uint32_t dnp_reach(const struct ni_torus *torus, uint32_t node, unsigned dimension,
                   dnp_fault_of *fault, const void *arg);

#endif
