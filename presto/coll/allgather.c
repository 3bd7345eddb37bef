/* SPDX-License-Identifier: BSD-3-Clause */
/* Gathering to all ranks. */
#include "coll/inter.h"
#include "coll/places.h"

/* Bruck et al., 1997: in round k a rank gets the parts of the 2^k ranks from the one 2^k above on,
 * which has gathered them. The parts lie packed in the order of ranks from this one up. */
static void write_bruck(struct pri_sched *s, struct pri_data own, const struct pri_places *p,
                        size_t all)
{
    const struct pri_team *team = s->team;
    int size = team->size, me = team->rank;
    char *temp = pri_sched_temp(s, all);
    size_t have = pri_data_size(pri_place(p, me)); /* bytes of the parts gathered */

    pri_sched_copy(s, pri_bytes(temp, have), own);
    for (int ahead = 1; ahead < size; ahead <<= 1) {
        int many = ahead < size - ahead ? ahead : size - ahead;
        int to = pri_unturned(team, size - ahead, me), from = pri_unturned(team, ahead, me);
        size_t give = 0, take = 0;

        for (int i = 0; i < many; i++) {
            give += pri_data_size(pri_place(p, pri_unturned(team, i, me)));
            take += pri_data_size(pri_place(p, pri_unturned(team, ahead + i, me)));
        }
        pri_sched_recv(s, from, pri_bytes(temp + have, take));
        pri_sched_send(s, to, pri_bytes(temp, give));
        pri_sched_fence(s);
        have += take;
    }
    for (size_t i = 0, at = 0; i < (size_t)size; i++) {
        struct pri_data to = pri_place(p, pri_unturned(team, (int)i, me));

        if (i > 0 || own.buf != to.buf) {
            pri_sched_copy(s, to, pri_bytes(temp + at, pri_data_size(to)));
        }
        at += pri_data_size(to);
    }
}

/* Around a ring: each part visits all ranks, to the place where it stays. */
static void write_ring(struct pri_sched *s, struct pri_data own, const struct pri_places *p)
{
    const struct pri_team *team = s->team;
    int size = team->size, me = team->rank;
    int right = pri_unturned(team, 1, me), left = pri_unturned(team, size - 1, me);

    for (int step = 0; step < size - 1; step++) {
        struct pri_data give = pri_place(p, pri_unturned(team, (size - step) % size, me));

        pri_sched_recv(s, left, pri_place(p, pri_unturned(team, size - step - 1, me)));
        pri_sched_send(s, right, step == 0 ? own : give);
        if (step == 0 && own.buf != give.buf) {
            pri_sched_copy(s, give, own);
        }
        pri_sched_fence(s);
    }
}

static int allgather(struct pri_team *team, struct pri_some in, const struct pri_places *p,
                     struct pri_request *request)
{
    size_t all = 0;

    for (int i = 0; i < team->size; i++) {
        all += pri_data_size(pri_place(p, i));
    }
    if (all == 0) {
        return pri_sched_nothing(team, request);
    }

    struct pri_sched *s = pri_sched_get(team);

    if (s != NULL) {
        struct pri_data mine = pri_place(p, team->rank);
        struct pri_data own = in.buf == PRI_IN_PLACE ? mine : pri_some_data(in);

        pri_places_hold(s, p, team->size);
        if (in.buf != PRI_IN_PLACE) {
            pri_sched_hold(s, in.type);
        }
        if (team->size == 1) {
            if (in.buf != PRI_IN_PLACE) {
                pri_sched_copy(s, mine, own);
            }
        } else if (team->size > 2 && all <= pri_coll_params(team)->allgather_short) {
            write_bruck(s, own, p, all);
        } else {
            write_ring(s, own, p);
        }
    }
    return pri_sched_run(s, request);
}

int pri_coll_allgather(struct pri_team *team, struct pri_some in, struct pri_some out,
                       struct pri_request *request)
{
    if (pri_coll_open(team, RECORD_CLASS_ALLGATHER, request)) {
        return pri_inter_exchange(team, in, true, out, request);
    }
    struct pri_places p = {.some = out};

    return allgather(team, in, &p, request);
}

int pri_coll_allgatherv(struct pri_team *team, struct pri_some in, const struct pri_parts *out,
                        struct pri_request *request)
{
    if (pri_coll_open(team, RECORD_CLASS_ALLGATHERV, request)) {
        return pri_inter_allgatherv(team, in, out, request);
    }
    struct pri_places p = {.parts = out};

    return allgather(team, in, &p, request);
}
