/* SPDX-License-Identifier: BSD-3-Clause */
/* Reduction to one rank. Ranks are turned so that the root is 0, unless the operation does not
 * commute: then rank 0 gets the result and sends it to the root. */
#include "coll/inter.h"
#include "coll/blocks.h"

/* One rank's view of it. */
struct up {
    struct pri_sched *s;
    const char *mine;
    char *out; /* of the rank with the result: where it goes */
    size_t count;
    int turn, me; /* the rank that is 0; this one's number then */
};

static struct up up_of(struct pri_sched *s, const void *in, void *out, size_t count, int root)
{
    struct up u = {.s = s, .mine = in == PRI_IN_PLACE ? out : in, .count = count};

    u.turn = s->op->commutative ? root : 0;
    u.me = pri_turned(s->team, s->team->rank, u.turn);
    if (u.me == 0) {
        u.out = s->team->rank == root ? out : pri_sched_temp_elements(s, count);
    }
    return u;
}

/* The result goes from the rank that has it to the root. */
static void write_deliver(const struct up *u, void *out, int root)
{
    struct pri_sched *s = u->s;

    if (u->turn == root) {
        return;
    }
    if (u->me == 0) {
        pri_sched_send(s, root, pri_data(u->out, u->count, s->type));
    } else if (s->team->rank == root) {
        pri_sched_recv(s, u->turn, pri_data(out, u->count, s->type));
    }
    pri_sched_fence(s);
}

/* Binomial: rank r gets the data of r + 1, r + 2, r + 4, ..., which have gathered those above them,
 * and gives all to r without its lowest bit. What is reduced lands where the last message did,
 * never to be copied. */
void pri_write_reduce_tree(struct pri_sched *s, const void *in, void *out, size_t count, int root)
{
    const struct pri_team *team = s->team;
    struct up u = up_of(s, in, out, count, root);
    const char *now = u.mine;
    char *temp[2] = {NULL, NULL};
    int bit = 1;

    for (unsigned i = 0; bit < team->size && (u.me & bit) == 0; bit <<= 1, i ^= 1) {
        char *landing;

        if (u.me + bit >= team->size) {
            continue;
        }
        if (u.me == 0 && bit * 2 >= team->size && u.out != now) {
            landing = u.out;
        } else {
            landing = temp[i] = temp[i] != NULL ? temp[i] : pri_sched_temp_elements(s, count);
        }
        pri_sched_recv(s, pri_unturned(team, u.me + bit, u.turn),
                       pri_data(landing, count, s->type));
        pri_sched_fence(s);
        pri_sched_reduce(s, now, landing, count);
        now = landing;
    }
    if (u.me != 0) {
        pri_sched_send(s, pri_unturned(team, u.me - bit, u.turn), pri_data(now, count, s->type));
        pri_sched_fence(s);
    } else if (now != u.out) {
        pri_sched_copy(s, pri_data(u.out, count, s->type), pri_data(now, count, s->type));
    }
    write_deliver(&u, out, root);
}

/* One segment that came in. */
static void write_segment_reduce(const struct up *u, char *landing, size_t at, size_t n)
{
    struct pri_sched *s = u->s;
    const char *mine = pri_at(u->mine, at, s->type);

    if (u->me == 0 && u->mine == u->out && s->op->commutative) {
        pri_sched_reduce(s, landing, pri_at(u->out, at, s->type), n);
        return;
    }
    pri_sched_reduce(s, mine, landing, n);
    if (u->me == 0 && u->mine == u->out) {
        pri_sched_copy(s, pri_data(pri_at(u->out, at, s->type), n, s->type),
                       pri_data(landing, n, s->type));
    }
}

/* From each rank to the one below, in segments: while one comes in, the one before goes out. */
void pri_write_reduce_chain(struct pri_sched *s, const void *in, void *out, size_t count, int root)
{
    const struct pri_team *team = s->team;
    struct up u = up_of(s, in, out, count, root);
    size_t each = ni_max_u64(pri_coll_params(team)->segment / s->type->size, 1);
    bool first = u.me == team->size - 1, last = u.me == 0;
    bool lands = last && u.mine != u.out; /* segments come to where they stay */
    char *temp[2] = {NULL, NULL};

    for (int i = 0; i < 2 && !first && !lands; i++) {
        temp[i] = pri_sched_temp_elements(s, ni_min_u64(each, count));
    }
    for (size_t at = 0, i = 0; at < count + each; at += each, i ^= 1) {
        size_t n = at < count ? ni_min_u64(each, count - at) : 0;
        char *landing = lands ? pri_at(u.out, at, s->type) : temp[i];

        if (!first && n > 0) {
            pri_sched_recv(s, pri_unturned(team, u.me + 1, u.turn), pri_data(landing, n, s->type));
        }
        if (!last && at >= each) {
            const char *from = first ? pri_at(u.mine, at - each, s->type) : temp[i ^ 1];

            pri_sched_send(s, pri_unturned(team, u.me - 1, u.turn),
                           pri_data(from, ni_min_u64(each, count + each - at), s->type));
        }
        pri_sched_fence(s);
        if (!first && n > 0) {
            write_segment_reduce(&u, landing, at, n);
        }
    }
    write_deliver(&u, out, root);
}

/* Rabenseifner, 2004: halving; then the root collects the blocks. The operation commutes. */
static void write_halves(struct pri_sched *s, const void *in, void *out, size_t count, int root)
{
    const struct pri_team *team = s->team;
    struct pri_folded f = pri_folded_of(team);
    bool is_root = team->rank == root;
    struct pri_blocks b = {.s = s,
                           .in = in == PRI_IN_PLACE ? out : in,
                           .out = is_root ? out : NULL,
                           .count = count,
                           .n = f.whole};

    if (f.me >= 0) {
        b.temp = pri_sched_temp_elements(s, count);
        b.out = is_root ? out : pri_sched_temp_elements(s, count);
    }
    pri_write_fold(&b, &f);
    if (f.me >= 0) {
        pri_write_halving(&b, &f);
    }
    if (!is_root && f.me >= 0) {
        pri_sched_send(s, root, pri_blocks_data(&b, b.out, f.me, f.me + 1));
    }
    for (int i = 0; is_root && i < f.whole; i++) {
        if (i != f.me) {
            pri_sched_recv(s, pri_folded_rank(&f, i), pri_blocks_data(&b, out, i, i + 1));
        }
    }
    pri_sched_fence(s);
}

static void write_reduce(struct pri_sched *s, const void *in, void *out, size_t count, int root)
{
    const struct pri_team *team = s->team;
    const struct pri_coll_params *params = pri_coll_params(team);
    size_t bytes = count * s->type->size;

    if (team->size == 1) {
        if (in != PRI_IN_PLACE) {
            pri_sched_copy(s, pri_data(out, count, s->type), pri_data(in, count, s->type));
        }
    } else if (bytes <= params->reduce_short || count < (size_t)team->size) {
        pri_write_reduce_tree(s, in, out, count, root);
    } else if (!s->op->commutative || bytes >= params->reduce_chain) {
        pri_write_reduce_chain(s, in, out, count, root);
    } else {
        write_halves(s, in, out, count, root);
    }
}

int pri_coll_reduce(struct pri_team *team, const void *in, void *out, size_t count,
                    struct pri_type *type, struct pri_op *op, int root, struct pri_request *request)
{
    if (pri_coll_open(team, RECORD_CLASS_REDUCE, request)) {
        return pri_inter_reduce(team, in, out, count, type, op, root, request);
    }
    if (count * type->size == 0) {
        return pri_sched_nothing(team, request);
    }

    struct pri_sched *s = pri_sched_get_reduce(team, type, op);

    if (s != NULL) {
        write_reduce(s, in, out, count, root);
    }
    return pri_sched_run(s, request);
}
