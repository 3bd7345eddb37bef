/* SPDX-License-Identifier: BSD-3-Clause */
/* Broadcast. Ranks are turned so that the root is 0. */
#include "coll/inter.h"
#include "coll/private.h"

/* Down a binomial tree: rank r gets it from r without its lowest bit, and passes it on to r + each
 * lower power of two. */
static void write_tree(struct pri_sched *s, struct pri_data data, size_t bytes, int root)
{
    const struct pri_team *team = s->team;
    int me = pri_turned(team, team->rank, root);
    int bit = 1;

    while (bit < team->size && (me & bit) == 0) {
        bit <<= 1;
    }
    if (me != 0) {
        pri_sched_recv_part(s, pri_unturned(team, me - bit, root), data, 0, bytes);
        pri_sched_fence(s);
    }
    for (bit >>= 1; bit > 0; bit >>= 1) {
        if (me + bit < team->size) {
            pri_sched_send_part(s, pri_unturned(team, me + bit, root), data, 0, bytes);
        }
    }
    pri_sched_fence(s);
}

/* From each rank to the next, in segments: while one comes in, the one before goes out. */
void pri_write_bcast_chain(struct pri_sched *s, struct pri_data data, size_t bytes, int root)
{
    const struct pri_team *team = s->team;
    size_t segment = pri_coll_params(team)->segment;
    int me = pri_turned(team, team->rank, root);
    bool first = me == 0, last = me == team->size - 1;

    for (size_t at = 0; at < bytes + segment; at += segment) {
        if (!first && at < bytes) {
            pri_sched_recv_part(s, pri_unturned(team, me - 1, root), data, at,
                                ni_min_u64(segment, bytes - at));
        }
        if (!last && at >= segment) {
            pri_sched_send_part(s, pri_unturned(team, me + 1, root), data, at - segment,
                                ni_min_u64(segment, bytes + segment - at));
        }
        pri_sched_fence(s);
    }
}

struct pieces {
    struct pri_data data;
    size_t bytes, each;
    int root;
};

static size_t pieces_before(const struct pieces *p, int i)
{
    return ni_min_u64((size_t)i * p->each, p->bytes);
}

static size_t pieces_size(const struct pieces *p, int from, int to)
{
    return pieces_before(p, to) - pieces_before(p, from);
}

/* Halves what a rank has to give until it has only its own piece. */
static void write_pieces_scatter(struct pri_sched *s, const struct pieces *p, int me)
{
    const struct pri_team *team = s->team;
    int bit = 1;

    while (bit < team->size && (me & bit) == 0) {
        bit <<= 1;
    }
    if (me != 0) {
        int end = me + bit < team->size ? me + bit : team->size;

        pri_sched_recv_part(s, pri_unturned(team, me - bit, p->root), p->data, pieces_before(p, me),
                            pieces_size(p, me, end));
        pri_sched_fence(s);
    }
    for (bit >>= 1; bit > 0; bit >>= 1) {
        int child = me + bit;
        int end = child + bit < team->size ? child + bit : team->size;

        if (child < team->size) {
            pri_sched_send_part(s, pri_unturned(team, child, p->root), p->data,
                                pieces_before(p, child), pieces_size(p, child, end));
        }
    }
}

/* Scattered in pieces and gathered around a ring. Van de Geijn; Barnett et al., 1994. */
static void write_pieces(struct pri_sched *s, struct pri_data data, size_t bytes, int root)
{
    const struct pri_team *team = s->team;
    struct pieces p = {data, bytes, (size_t)ni_div_up(bytes, (uint64_t)team->size), root};
    int me = pri_turned(team, team->rank, root), size = team->size;
    int right = pri_unturned(team, (me + 1) % size, root);
    int left = pri_unturned(team, (me + size - 1) % size, root);

    write_pieces_scatter(s, &p, me);
    for (int step = 0; step < size - 1; step++) {
        int out = (me - step + size) % size, in = (me - step - 1 + size) % size;

        pri_sched_recv_part(s, left, data, pieces_before(&p, in), pieces_size(&p, in, in + 1));
        pri_sched_send_part(s, right, data, pieces_before(&p, out), pieces_size(&p, out, out + 1));
        pri_sched_fence(s);
    }
}

void pri_write_bcast(struct pri_sched *s, struct pri_data data, size_t bytes, int root)
{
    const struct pri_coll_params *params = pri_coll_params(s->team);

    if (bytes <= params->bcast_short || s->team->size <= 2) {
        write_tree(s, data, bytes, root);
    } else if (bytes >= params->bcast_chain || s->team->size <= 3) {
        pri_write_bcast_chain(s, data, bytes, root);
    } else {
        write_pieces(s, data, bytes, root);
    }
}

int pri_coll_bcast(struct pri_team *team, void *buf, size_t count, struct pri_type *type, int root,
                   struct pri_request *request)
{
    if (pri_coll_open(team, RECORD_CLASS_BCAST, request)) {
        return pri_inter_bcast(team, buf, count, type, root, request);
    }
    size_t bytes = count * type->size;

    if (team->size == 1 || bytes == 0) {
        return pri_sched_nothing(team, request);
    }
    if (request == NULL && type->contiguous &&
        (bytes <= pri_coll_params(team)->bcast_short || team->size == 2)) {
        return pri_fast_bcast(team, (char *)buf + type->true_lb, bytes, root);
    }

    struct pri_sched *s = pri_sched_get(team);

    if (s != NULL) {
        pri_sched_hold(s, type);
        pri_write_bcast(s, pri_data(buf, count, type), bytes, root);
    }
    return pri_sched_run(s, request);
}
