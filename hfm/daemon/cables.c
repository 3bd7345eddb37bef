/* SPDX-License-Identifier: BSD-3-Clause */
/* What follows from broken cables: the table of the card's router, and who is reached no more. */
#include <string.h>

#include <apeni/log.h>

#include "dnp/lofamo/fault.h"
#include "dnp/reach.h"
#include "hfm/daemon/daemon.h"
#include "hfm/setup.h"
#include "hfm/verdict.h"

/* The card says nothing of its links without cables. Those of other nodes are in their own
 * configurations. */
static uint32_t known_fault(const void *arg, uint32_t node)
{
    const struct hfm_daemon *daemon = arg;
    uint32_t fault = daemon->node.known[node].fault;

    return node == daemon->config.here ? dnp_fault_worst(fault, hfm_setup_missing(&daemon->config))
                                       : fault;
}

/* Name the cables between which nodes of a ring cannot be reached any more, if there are any. */
static void log_parted(const struct hfm_daemon *daemon, unsigned dimension)
{
    struct dnp_cable_end broken[2];
    char text[NI_FAULT_PARTED];

    if (dnp_parted(&daemon->config.torus, daemon->config.here, dimension, known_fault, daemon,
                   broken)) {
        (void)hfm_parted_print(broken, text, sizeof text);
        ni_log(NI_LOG_WARN,
               "apelink-hfm: %s: this card reaches nothing between them. Mend one of the two",
               text);
    }
}

static void follow_table(struct hfm_daemon *daemon)
{
    for (unsigned i = 0; i < NI_TORUS_DIMENSIONS; i++) {
        uint32_t reach =
            dnp_reach(&daemon->config.torus, daemon->config.here, i, known_fault, daemon);

        if (atomic_exchange_explicit(&daemon->card.reach[i], reach, memory_order_relaxed) !=
            reach) {
            log_parted(daemon, i);
        }
    }
}

/* Whether any cable is broken. */
static bool is_any_broken(const struct hfm_daemon *daemon)
{
    uint32_t broken = 0;

    for (unsigned link = 0; link < NI_TORUS_DIRECTIONS; link++) {
        broken |= (uint32_t)DNP_BROKEN << dnp_fault_link_low(link);
    }
    for (uint32_t i = 0; i < daemon->config.nodes; i++) {
        if ((known_fault(daemon, i) & broken) != 0) {
            return true;
        }
    }
    return false;
}

/* Packets have to get there and back: a card answers what it is asked. */
static void follow_node(struct hfm_daemon *daemon, uint32_t node, bool broken, uint64_t now)
{
    const struct ni_torus *torus = &daemon->config.torus;
    struct hfm_parted *parted = &daemon->parted[node], before = *parted;
    uint32_t here = daemon->config.here;

    if (!broken || node == here ||
        (dnp_way(torus, here, node, known_fault, daemon, parted->broken) &&
         dnp_way(torus, node, here, known_fault, daemon, parted->broken))) {
        *parted = (struct hfm_parted){.since = 0};
    } else if (parted->since == 0) {
        parted->since = now;
    }
    if (daemon->page != NULL && memcmp(parted, &before, sizeof before) != 0) {
        hfm_files_show(daemon, node);
    }
}

void hfm_cables_follow(struct hfm_daemon *daemon, uint64_t now)
{
    bool broken = is_any_broken(daemon);

    follow_table(daemon);
    for (uint32_t i = 0; i < daemon->config.nodes; i++) {
        follow_node(daemon, i, broken, now);
    }
}
