/* SPDX-License-Identifier: BSD-3-Clause */
/* Barriers on counters of the network interfaces (apeni/barrier.h): between coming and leaving no
 * rank has anything to do. A team that has had some barriers by messages sets them up, in place of
 * one. */
#include <stdio.h>

#include <apeni/barrier.h>

#include "base/alloc.h"
#include "coll/private.h"
#include "type/named.h"

struct pri_counters {
    struct pri_counters *next; /* in the rank's list */
    struct ni_barrier *barrier;
    bool broken; /* a rank has died: nobody passes any more */
};

/* What each rank tells all others. */
struct card {
    struct ni_barrier_address address;
    bool ok;
};

static void link_in(struct pri_coll_state *state, const struct pri_rank *self,
                    struct pri_counters *counters)
{
    pri_coll_lock(state, self);
    counters->next = state->counters;
    state->counters = counters;
    pri_coll_unlock(state, self);
}

void pri_team_fini(struct pri_team *team)
{
    struct pri_counters *counters = team->counters, **place;
    struct pri_coll_state *state;

    if (counters == NULL) {
        return;
    }
    state = pri_coll_state(team);
    pri_coll_lock(state, team->self);
    for (place = &state->counters; *place != counters;) {
        place = &(*place)->next;
    }
    *place = counters->next;
    pri_coll_unlock(state, team->self);
    team->counters = NULL;
    ni_barrier_free(counters->barrier);
    ni_free(counters);
}

void pri_counters_free_all(struct pri_counters *list)
{
    while (list != NULL) {
        struct pri_counters *next = list->next;

        ni_barrier_free(list->barrier);
        ni_free(list);
        list = next;
    }
}

/* ---- setting up ------------------------------------------------------------------------------ */

/* This rank's part; its card says whether it could. */
static struct pri_counters *make(struct pri_team *team, struct card *mine)
{
    struct pri_counters *counters = ni_calloc(1, sizeof(*counters));

    mine->ok = counters != NULL &&
               ni_barrier_create(team->self->ni, (unsigned)team->size, (unsigned)team->rank, 0,
                                 &counters->barrier, &mine->address) == NI_OK;
    return counters;
}

static bool connect_all(struct pri_team *team, struct pri_counters *counters,
                        const struct card *all)
{
    size_t n = (size_t)team->size;
    struct ni_peer **peers = ni_calloc(n, sizeof(*peers));
    struct ni_barrier_address *addresses = ni_calloc(n, sizeof(*addresses));
    bool ok = peers != NULL && addresses != NULL;

    for (size_t i = 0; ok && i < n; i++) {
        ok = all[i].ok;
        peers[i] = team->self->peers[pri_team_member(team, (int)i)].ni;
        addresses[i] = all[i].address;
    }
    ok = ok && ni_barrier_connect(counters->barrier, peers, addresses) == NI_OK;
    ni_free(peers);
    ni_free(addresses);
    return ok;
}

/* All learn whether all could; which nobody does before all have come. */
static int agree(struct pri_team *team, struct pri_counters *counters, const struct card *mine,
                 bool *yes)
{
    struct card *all = ni_calloc((size_t)team->size, sizeof(*all));
    struct pri_some in = {(void *)mine, sizeof(*mine), &presto_type_byte};
    struct pri_some out = {all, sizeof(*mine), &presto_type_byte};
    int error = all == NULL ? PRI_ERR_NOMEM : pri_coll_allgather(team, in, out, NULL);
    int ok = error == 0 && connect_all(team, counters, all);
    int rc = pri_coll_allreduce(team, PRI_IN_PLACE, &ok, 1, &presto_type_int, &presto_op_min, NULL);

    ni_free(all);
    *yes = ok != 0;
    return error == PRI_ERR_PEER ? error : rc;
}

int pri_counters_open(struct pri_team *team)
{
    struct card mine = {.ok = false};
    struct pri_counters *counters = make(team, &mine);
    bool yes = false;

    if (counters == NULL) {
        return PRI_ERR_NOMEM;
    }

    int error = agree(team, counters, &mine, &yes);

    counters->broken = error == PRI_ERR_PEER;
    if (!yes && !counters->broken) {
        ni_barrier_free(counters->barrier);
        ni_free(counters);
        return error;
    }
    link_in(pri_coll_state(team), team->self, counters);
    team->counters = counters;
    return error;
}

/* ---- the barrier ----------------------------------------------------------------------------- */

/* pri_tell_fn. */
static void tell(const void *object, char *text, size_t size)
{
    const struct pri_team *team = object;
    char name[128];

    pri_context_tell(team->self, team->context, name, sizeof name);
    snprintf(text, size, "all ranks to come to a barrier of %s", name);
}

int pri_counters_barrier(struct pri_team *team)
{
    struct pri_counters *counters = team->counters;
    unsigned spins = 0;
    ni_status status;

    if (pri_team_revoked(team)) {
        return PRI_ERR_REVOKED;
    }
    status = counters->broken ? NI_ERR_PEER_DEAD : ni_barrier_enter(counters->barrier);

    if (NI_LIKELY(status == NI_OK)) {
        while ((status = ni_barrier_test(counters->barrier)) == NI_INPROGRESS) {
            if (pri_team_revoked(team)) {
                counters->broken = true;
                return PRI_ERR_REVOKED;
            }
            pri_relax_for(team->self, &spins, tell, team);
        }
    }
    if (NI_LIKELY(status == NI_OK)) {
        return PRI_OK;
    }
    counters->broken = true;
    return status == NI_ERR_FORKED ? PRI_ERR_FORKED : PRI_ERR_PEER;
}
