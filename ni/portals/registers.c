/* SPDX-License-Identifier: BSD-3-Clause */
#include "portals/portals.h"

/* The status registers: statistics by the names that the specification gives them. */

int ni_portals_status(struct ni *ni, enum ni_sr reg, uint64_t *value)
{
    const struct ni_stats *stats = &ni->stats;

    if (ni->portals == NULL) {
        return NI_PTL_NO_INIT;
    }
    switch (reg) {
    case NI_SR_DROP_COUNT:
        *value = ni_stat_get(&stats->match_dropped);
        return NI_OK;
    case NI_SR_PERMISSION_VIOLATIONS:
        *value = ni_stat_get(&stats->rx_refused);
        return NI_OK;
    case NI_SR_OPERATION_VIOLATIONS:
        *value = ni_stat_get(&stats->match_op_violations);
        return NI_OK;
    }
    return NI_PTL_ARG_INVALID;
}
