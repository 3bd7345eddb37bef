/* SPDX-License-Identifier: BSD-3-Clause */
/* Barrier by dissemination: in round k everyone tells the one 2^k ahead, and is told by the one 2^k
 * behind, that all of the 2^k ranks up to it are there. Hensgen, Finkel and Manber, 1988. */
#include "coll/inter.h"
#include "coll/private.h"

/* Blocking, and later ones by counters if there are ranks enough. */
static int by_messages(struct pri_team *team)
{
    bool late = team->barriers >= PRI_BARRIERS_BEFORE;

    if (NI_LIKELY(late || ++team->barriers < PRI_BARRIERS_BEFORE ||
                  (size_t)team->size < pri_coll_params(team)->barrier_counters)) {
        return pri_fast_barrier(team);
    }
    return pri_counters_open(team);
}

int pri_coll_barrier(struct pri_team *team, struct pri_request *request)
{
    if (pri_coll_open(team, RECORD_CLASS_BARRIER, request)) {
        return pri_coll_barrier(&team->inter->all, request);
    }
    if (team->size == 1) {
        return pri_sched_nothing(team, request);
    }
    if (request == NULL) {
        return NI_LIKELY(team->counters == NULL) ? by_messages(team) : pri_counters_barrier(team);
    }

    struct pri_sched *s = pri_sched_get(team);

    for (int ahead = 1; s != NULL && ahead < team->size; ahead <<= 1) {
        pri_sched_await(s, pri_unturned(team, team->size - ahead, team->rank));
        pri_sched_signal(s, pri_unturned(team, ahead, team->rank));
        pri_sched_fence(s);
    }
    return pri_sched_run(s, request);
}
