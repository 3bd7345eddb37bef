/* SPDX-License-Identifier: BSD-3-Clause */
/* Collectives between neighbours of a topology: one message for each edge. */
#include "coll/places.h"

/* In a grid what is sent down, first, arrives from above: receives are started in that order. */
static int exchange(struct pri_team *team, const struct pri_neighbors *neighbors,
                    const struct pri_places *in, const struct pri_places *out,
                    struct pri_request *request)
{
    struct pri_sched *s = pri_sched_get(team);

    if (s == NULL) {
        return PRI_ERR_NOMEM;
    }
    pri_places_hold(s, in, neighbors->dests);
    pri_places_hold(s, out, neighbors->sources);
    for (int i = 0; i < neighbors->sources; i++) {
        int j = neighbors->cart ? i ^ 1 : i;

        if (neighbors->source[j] != PRI_PROC_NULL) {
            pri_sched_recv(s, neighbors->source[j], pri_place(out, j));
        }
    }
    for (int i = 0; i < neighbors->dests; i++) {
        if (neighbors->dest[i] != PRI_PROC_NULL) {
            pri_sched_send(s, neighbors->dest[i], pri_place(in, i));
        }
    }
    return pri_sched_run(s, request);
}

int pri_coll_neighbor_allgather(struct pri_team *team, const struct pri_neighbors *neighbors,
                                struct pri_some in, struct pri_some out,
                                struct pri_request *request)
{
    struct pri_places from = {.some = in, .same = true}, to = {.some = out};

    pri_coll_kind(team, RECORD_CLASS_NEIGHBOR, request);
    return exchange(team, neighbors, &from, &to, request);
}

int pri_coll_neighbor_allgatherv(struct pri_team *team, const struct pri_neighbors *neighbors,
                                 struct pri_some in, const struct pri_parts *out,
                                 struct pri_request *request)
{
    struct pri_places from = {.some = in, .same = true}, to = {.parts = out};

    pri_coll_kind(team, RECORD_CLASS_NEIGHBOR, request);
    return exchange(team, neighbors, &from, &to, request);
}

int pri_coll_neighbor_alltoall(struct pri_team *team, const struct pri_neighbors *neighbors,
                               struct pri_some in, struct pri_some out, struct pri_request *request)
{
    struct pri_places from = {.some = in}, to = {.some = out};

    pri_coll_kind(team, RECORD_CLASS_NEIGHBOR, request);
    return exchange(team, neighbors, &from, &to, request);
}

int pri_coll_neighbor_alltoallv(struct pri_team *team, const struct pri_neighbors *neighbors,
                                const struct pri_parts *in, const struct pri_parts *out,
                                struct pri_request *request)
{
    struct pri_places from = {.parts = in}, to = {.parts = out};

    pri_coll_kind(team, RECORD_CLASS_NEIGHBOR, request);
    return exchange(team, neighbors, &from, &to, request);
}
