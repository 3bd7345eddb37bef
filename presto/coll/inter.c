/* SPDX-License-Identifier: BSD-3-Clause */
/* Data that moves between two groups. */
#include "coll/inter.h"

#include "coll/places.h"

/* ---- bcast ----------------------------------------------------------------------------------- */

/* A binomial tree of 1 + n nodes: the root, which may be one of the others as well and then is left
 * out, and they. */
void pri_write_inter_tree(struct pri_sched *s, struct pri_data data, int root, int first, int n)
{
    int rank = s->team->rank, me = rank == root ? 0 : rank - first + 1, bit = 1;

    while (bit <= n && (me & bit) == 0) {
        bit <<= 1;
    }
    if (me != 0) {
        int from = me - bit;

        pri_sched_recv(s, from == 0 ? root : first + from - 1, data);
        pri_sched_fence(s);
    }
    for (bit >>= 1; bit > 0; bit >>= 1) {
        if (me + bit <= n) {
            pri_sched_send(s, first + me + bit - 1, data);
        }
    }
    pri_sched_fence(s);
}

int pri_inter_bcast(struct pri_team *team, void *buf, size_t count, struct pri_type *type, int root,
                    struct pri_request *request)
{
    struct pri_inter *inter = team->inter;
    struct pri_sched *s = pri_sched_get(&inter->all);

    if (s != NULL && root != PRI_PROC_NULL) {
        struct pri_data data = pri_data(buf, count, type);

        pri_sched_hold(s, type);
        if (root == PRI_ROOT) {
            pri_write_inter_tree(s, data, inter->all.rank, inter->remote, inter->remotes);
        } else {
            pri_write_inter_tree(s, data, inter->remote + root, inter->local, inter->locals);
        }
    }
    return pri_sched_run(s, request);
}

/* ---- all with all of the other group --------------------------------------------------------- */

/* All messages at once: a window would have to be the same on both sides. */
static int exchange(struct pri_team *team, const struct pri_places *in,
                    const struct pri_places *out, struct pri_request *request)
{
    struct pri_inter *inter = team->inter;
    struct pri_sched *s = pri_sched_get(&inter->all);
    int n = inter->remotes, me = inter->all.rank - inter->local;

    if (s != NULL) {
        pri_places_hold(s, in, n);
        pri_places_hold(s, out, n);
        for (int i = 0; i < n; i++) {
            pri_sched_recv(s, inter->remote + i, pri_place(out, i));
        }
        for (int i = 0; i < n; i++) {
            int to = (me + i) % n;

            pri_sched_send(s, inter->remote + to, pri_place(in, to));
        }
    }
    return pri_sched_run(s, request);
}

int pri_inter_exchange(struct pri_team *team, struct pri_some in, bool same, struct pri_some out,
                       struct pri_request *request)
{
    const struct pri_places from = {.some = in, .same = same}, to = {.some = out};

    return exchange(team, &from, &to, request);
}

int pri_inter_exchangev(struct pri_team *team, const struct pri_parts *in,
                        const struct pri_parts *out, struct pri_request *request)
{
    const struct pri_places from = {.parts = in}, to = {.parts = out};

    return exchange(team, &from, &to, request);
}

int pri_inter_allgatherv(struct pri_team *team, struct pri_some in, const struct pri_parts *out,
                         struct pri_request *request)
{
    const struct pri_places from = {.some = in, .same = true}, to = {.parts = out};

    return exchange(team, &from, &to, request);
}

/* ---- with a root ----------------------------------------------------------------------------- */

int pri_inter_gather(struct pri_team *team, struct pri_some in, struct pri_some out,
                     const struct pri_parts *parts, int root, struct pri_request *request)
{
    struct pri_inter *inter = team->inter;
    const struct pri_places to = {.some = out, .parts = parts};
    struct pri_sched *s = pri_sched_get(&inter->all);

    if (s != NULL && root == PRI_ROOT) {
        pri_places_hold(s, &to, inter->remotes);
        for (int i = 0; i < inter->remotes; i++) {
            pri_sched_recv(s, inter->remote + i, pri_place(&to, i));
        }
    } else if (s != NULL && root >= 0) {
        pri_sched_hold(s, in.type);
        pri_sched_send(s, inter->remote + root, pri_some_data(in));
    }
    return pri_sched_run(s, request);
}

int pri_inter_scatter(struct pri_team *team, struct pri_some in, const struct pri_parts *parts,
                      struct pri_some out, int root, struct pri_request *request)
{
    struct pri_inter *inter = team->inter;
    const struct pri_places from = {.some = in, .parts = parts};
    struct pri_sched *s = pri_sched_get(&inter->all);

    if (s != NULL && root == PRI_ROOT) {
        pri_places_hold(s, &from, inter->remotes);
        for (int i = 0; i < inter->remotes; i++) {
            pri_sched_send(s, inter->remote + i, pri_place(&from, i));
        }
    } else if (s != NULL && root >= 0) {
        pri_sched_hold(s, out.type);
        pri_sched_recv(s, inter->remote + root, pri_some_data(out));
    }
    return pri_sched_run(s, request);
}
