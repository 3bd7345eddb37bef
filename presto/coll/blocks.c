/* SPDX-License-Identifier: BSD-3-Clause */
/* Folding and halving: see blocks.h. */
#include "coll/blocks.h"

struct pri_folded pri_folded_of(const struct pri_team *team)
{
    struct pri_folded f;

    f.whole = 1 << ni_ilog2((uint64_t)team->size);
    f.extra = team->size - f.whole;
    if (team->rank >= 2 * f.extra) {
        f.me = team->rank - f.extra;
    } else {
        f.me = team->rank % 2 == 0 ? team->rank / 2 : -1;
    }
    return f;
}

struct pri_data pri_blocks_data(const struct pri_blocks *b, const char *buf, int from, int to)
{
    size_t first = pri_share(b->count, b->n, from), end = pri_share(b->count, b->n, to);

    return pri_data(pri_at(buf, first, b->s->type), end - first, b->s->type);
}

struct pri_data pri_blocks_landing(const struct pri_blocks *b, int from, int to)
{
    return pri_blocks_data(b, b->in != b->out ? b->out : b->temp, from, to);
}

void pri_write_blocks_reduce(struct pri_blocks *b, int from, int to)
{
    struct pri_data out = pri_blocks_data(b, b->out, from, to);
    struct pri_data other = pri_blocks_data(b, b->in != b->out ? b->in : b->temp, from, to);

    pri_sched_reduce(b->s, other.buf, out.buf, out.count);
}

void pri_write_fold(struct pri_blocks *b, const struct pri_folded *f)
{
    const struct pri_team *team = b->s->team;

    if (f->me < 0) {
        pri_sched_send(b->s, team->rank - 1, pri_blocks_data(b, b->in, 0, b->n));
    } else if (pri_folded_has_other(f, team)) {
        pri_sched_recv(b->s, team->rank + 1, pri_blocks_landing(b, 0, b->n));
    }
    pri_sched_fence(b->s);
    if (f->me >= 0 && pri_folded_has_other(f, team)) {
        pri_write_blocks_reduce(b, 0, b->n);
        b->in = b->out;
    }
}

void pri_write_halving(struct pri_blocks *b, const struct pri_folded *f)
{
    int from = 0;

    for (int bit = f->whole / 2; bit > 0; bit /= 2) {
        int peer = pri_folded_rank(f, f->me ^ bit);
        bool upper = (f->me & bit) != 0;
        int give = upper ? from : from + bit, keep = upper ? from + bit : from;

        pri_sched_recv(b->s, peer, pri_blocks_landing(b, keep, keep + bit));
        pri_sched_send(b->s, peer, pri_blocks_data(b, b->in, give, give + bit));
        pri_sched_fence(b->s);
        pri_write_blocks_reduce(b, keep, keep + bit);
        b->in = b->out;
        from = keep;
    }
}
