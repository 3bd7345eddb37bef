/* SPDX-License-Identifier: BSD-3-Clause */
/* What the card's router is told of broken cables. */
#include <apeni/log.h>

#include "dnp/reach.h"
#include "hfm/daemon/daemon.h"

static uint32_t known_fault(const void *arg, uint32_t node)
{
    const struct hfm_daemon *daemon = arg;

    return daemon->node.known[node].fault;
}

/* Name the cables between which nodes cannot be reached any more, if there are any. */
static void log_parted(const struct hfm_daemon *daemon, unsigned dimension, uint32_t reach)
{
    const struct ni_torus *torus = &daemon->config.torus;
    uint32_t up = DNP_FIELD_GET(reach, route_reach_increasing), high = daemon->config.here;
    uint32_t down = DNP_FIELD_GET(reach, route_reach_decreasing), low = daemon->config.here;
    enum ni_torus_direction link = (enum ni_torus_direction)(2 * dimension);

    if (reach == 0 || up + down + 1 >= torus->size[dimension]) {
        return;
    }
    for (; up > 0; up--) {
        high = ni_torus_neighbour(torus, high, link);
    }
    for (; down > 0; down--) {
        low = ni_torus_neighbour(torus, low, (enum ni_torus_direction)(link + 1));
    }
    ni_log(
        NI_LOG_WARN,
        "apelink-hfm: cables are broken at %s of node %u and at %s of node %u: this card reaches "
        "nothing between them. Mend one of the two",
        ni_torus_direction_name(link), high,
        ni_torus_direction_name((enum ni_torus_direction)(link + 1)), low);
}

void hfm_cables_follow(struct hfm_daemon *daemon)
{
    for (unsigned i = 0; i < NI_TORUS_DIMENSIONS; i++) {
        uint32_t reach =
            dnp_reach(&daemon->config.torus, daemon->config.here, i, known_fault, daemon);

        if (atomic_exchange_explicit(&daemon->card.reach[i], reach, memory_order_relaxed) !=
            reach) {
            log_parted(daemon, i, reach);
        }
    }
}
