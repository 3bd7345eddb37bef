/* SPDX-License-Identifier: BSD-3-Clause */
/* Reduction to all ranks. */
#include "coll/inter.h"
#include "coll/blocks.h"

/* Two places for elements: what has been reduced so far, and what comes in. */
struct pair {
    char *now, *other;
};

static void write_pair_reduce(struct pri_sched *s, struct pair *p, size_t count, bool above)
{
    if (above) {
        char *now = p->now;

        pri_sched_reduce(s, now, p->other, count);
        p->now = p->other;
        p->other = now;
    } else {
        pri_sched_reduce(s, p->other, p->now, count);
    }
}

/* Recursive doubling: after round k each rank has the result of its 2^k neighbours. */
void pri_write_allreduce_doubling(struct pri_sched *s, const void *in, void *out, size_t count)
{
    const struct pri_team *team = s->team;
    struct pri_folded f = pri_folded_of(team);

    if (f.me < 0) {
        pri_sched_send(s, team->rank - 1, pri_data(in == PRI_IN_PLACE ? out : in, count, s->type));
        pri_sched_fence(s);
        pri_sched_recv(s, team->rank - 1, pri_data(out, count, s->type));
        pri_sched_fence(s);
        return;
    }

    struct pair p = {out, pri_sched_temp_elements(s, count)};

    if (in != PRI_IN_PLACE) {
        pri_sched_copy(s, pri_data(out, count, s->type), pri_data(in, count, s->type));
    }
    if (pri_folded_has_other(&f, team)) {
        pri_sched_recv(s, team->rank + 1, pri_data(p.other, count, s->type));
        pri_sched_fence(s);
        write_pair_reduce(s, &p, count, true);
    }
    for (int bit = 1; bit < f.whole; bit <<= 1) {
        int it = f.me ^ bit, peer = pri_folded_rank(&f, it);

        pri_sched_recv(s, peer, pri_data(p.other, count, s->type));
        pri_sched_send(s, peer, pri_data(p.now, count, s->type));
        pri_sched_fence(s);
        write_pair_reduce(s, &p, count, it > f.me);
    }
    if (pri_folded_has_other(&f, team)) {
        pri_sched_send(s, team->rank + 1, pri_data(p.now, count, s->type));
        pri_sched_fence(s);
    }
    if (p.now != out) {
        pri_sched_copy(s, pri_data(out, count, s->type), pri_data(p.now, count, s->type));
    }
}

/* Recursive doubling of finished blocks: halving backwards. */
static void write_doubling(struct pri_blocks *b, const struct pri_folded *f)
{
    for (int bit = 1; bit < f->whole; bit <<= 1) {
        int mine = f->me & ~(bit - 1), its = mine ^ bit;
        int peer = pri_folded_rank(f, f->me ^ bit);

        pri_sched_recv(b->s, peer, pri_blocks_data(b, b->out, its, its + bit));
        pri_sched_send(b->s, peer, pri_blocks_data(b, b->out, mine, mine + bit));
        pri_sched_fence(b->s);
    }
}

/* Rabenseifner, 2004: halving, then doubling. */
static void write_rabenseifner(struct pri_sched *s, const void *in, void *out, size_t count)
{
    const struct pri_team *team = s->team;
    struct pri_folded f = pri_folded_of(team);
    struct pri_blocks b = {.s = s,
                           .in = in == PRI_IN_PLACE ? out : in,
                           .out = out,
                           .temp = f.me < 0 ? NULL : pri_sched_temp_elements(s, count),
                           .count = count,
                           .n = f.whole};

    pri_write_fold(&b, &f);
    if (f.me < 0) {
        pri_sched_recv(s, team->rank - 1, pri_data(out, count, s->type));
        pri_sched_fence(s);
        return;
    }
    pri_write_halving(&b, &f);
    write_doubling(&b, &f);
    if (pri_folded_has_other(&f, team)) {
        pri_sched_send(s, team->rank + 1, pri_data(out, count, s->type));
        pri_sched_fence(s);
    }
}

/* Around a ring: size - 1 rounds in which one block is reduced, size - 1 in which a finished one is
 * passed on. A block is landed on once, so that only an operation in place needs other memory. */
static void write_ring(struct pri_sched *s, const void *in, void *out, size_t count)
{
    const struct pri_team *team = s->team;
    int size = team->size, me = team->rank;
    int right = (me + 1) % size, left = (me + size - 1) % size;
    bool in_place = in == PRI_IN_PLACE;
    struct pri_blocks b = {s, in_place ? out : in, out, NULL, count, size};

    if (in_place) {
        b.temp = pri_sched_temp_elements(s, count);
    }
    for (int step = 0; step < size - 1; step++) {
        int give = (me - step + size) % size, take = (me - step - 1 + size) % size;

        pri_sched_recv(s, left, pri_blocks_landing(&b, take, take + 1));
        pri_sched_send(s, right, pri_blocks_data(&b, step == 0 ? b.in : b.out, give, give + 1));
        pri_sched_fence(s);
        pri_write_blocks_reduce(&b, take, take + 1);
    }
    for (int step = 0; step < size - 1; step++) {
        int give = (me + 1 - step + size) % size, take = (me - step + size) % size;

        pri_sched_recv(s, left, pri_blocks_data(&b, out, take, take + 1));
        pri_sched_send(s, right, pri_blocks_data(&b, out, give, give + 1));
        pri_sched_fence(s);
    }
}

static void write_allreduce(struct pri_sched *s, const void *in, void *out, size_t count)
{
    const struct pri_coll_params *params = pri_coll_params(s->team);
    size_t bytes = count * s->type->size;

    if (s->team->size == 1) {
        if (in != PRI_IN_PLACE) {
            pri_sched_copy(s, pri_data(out, count, s->type), pri_data(in, count, s->type));
        }
    } else if (bytes <= params->allreduce_short || count < (size_t)s->team->size) {
        pri_write_allreduce_doubling(s, in, out, count);
    } else if (!s->op->commutative) {
        pri_write_reduce_chain(s, in, out, count, 0);
        pri_write_bcast(s, pri_data(out, count, s->type), bytes, 0);
    } else if (bytes < params->allreduce_ring || s->team->size == 2) {
        write_rabenseifner(s, in, out, count);
    } else {
        write_ring(s, in, out, count);
    }
}

int pri_coll_allreduce(struct pri_team *team, const void *in, void *out, size_t count,
                       struct pri_type *type, struct pri_op *op, struct pri_request *request)
{
    if (pri_coll_open(team, RECORD_CLASS_ALLREDUCE, request)) {
        return pri_inter_allreduce(team, in, out, count, type, op, request);
    }
    size_t bytes = count * type->size;
    bool plain = type->contiguous && type->true_lb == 0;

    if (bytes == 0) {
        return pri_sched_nothing(team, request);
    }
    if (request == NULL && plain && bytes <= PRI_FAST_BYTES &&
        bytes <= pri_coll_params(team)->allreduce_short) {
        return pri_fast_allreduce(team, in, out, count, bytes, type, op);
    }

    struct pri_sched *s = pri_sched_get_reduce(team, type, op);

    if (s != NULL) {
        write_allreduce(s, in, out, count);
    }
    return pri_sched_run(s, request);
}
