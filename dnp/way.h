/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DNP_WAY_H
#define DNP_WAY_H

#include <stdbool.h>
#include <stdint.h>

#include <apeni/torus.h>

#include "dnp/reach.h"

/*
 * Whether packets find a way through a torus of which some cables are broken: the decisions of the
 * cards' routers (route.h), of which each has the table that it gets when all are told what is
 * broken (reach.h). Pure functions.
 */

struct dnp_cable_end {
    uint32_t node;
    enum ni_torus_direction link;
};

/* Whether a node does not reach all of its ring in a dimension. Then these are the broken cables
 * that it meets first, increasing and decreasing. */
bool dnp_parted(const struct ni_torus *torus, uint32_t node, unsigned dimension,
                dnp_fault_of *fault, const void *arg, struct dnp_cable_end broken[2]);

/* Whether packets get from one node to another. If not, these are the cables that part the ring in
 * which their way ends. */
bool dnp_way(const struct ni_torus *torus, uint32_t from, uint32_t to, dnp_fault_of *fault,
             const void *arg, struct dnp_cable_end broken[2]);

#endif
