/* SPDX-License-Identifier: BSD-3-Clause */
/* Barrier by dissemination: in round k everyone tells the one 2^k ahead, and is told by the one 2^k behind, that all of the
 * 2^k ranks up to it are there. Hensgen, Finkel and Manber, 1988. */
#include "coll/private.h"

int pri_coll_barrier(struct pri_team *team, struct pri_request *request)
{
    if (team->size == 1) {
        return pri_sched_nothing(team, request);
    }
    if (request == NULL) {
        return pri_fast_barrier(team);
    }

    struct pri_sched *s = pri_sched_get(team);

    for (int ahead = 1; s != NULL && ahead < team->size; ahead <<= 1) {
        pri_sched_await(s, pri_unturned(team, team->size - ahead, team->rank));
        pri_sched_signal(s, pri_unturned(team, ahead, team->rank));
        pri_sched_fence(s);
    }
    return pri_sched_run(s, request);
}
