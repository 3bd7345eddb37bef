/* SPDX-License-Identifier: BSD-3-Clause */
/* Reduction of which each rank gets a part. Short: every rank reduces all, by recursive doubling,
 * and keeps its own. Long: every rank sends the others their parts and reduces what it gets in the
 * order of ranks, which keeps what does not commute in order, and takes no more traffic than any
 * other way. */
#include "coll/inter.h"
#include "coll/private.h"

/* Parts of the data, equal or not. */
struct parts {
    const struct pri_parts *of; /* NULL: all are of `each` elements */
    size_t each;
};

static size_t part_size(const struct parts *p, int i)
{
    return p->of != NULL ? pri_parts_count(p->of, i) : p->each;
}

static size_t part_start(const struct parts *p, int i)
{
    size_t start = 0;

    if (p->of == NULL) {
        return (size_t)i * p->each;
    }
    for (int j = 0; j < i; j++) {
        start += pri_parts_count(p->of, j);
    }
    return start;
}

static void write_whole(struct pri_sched *s, const struct parts *p, const char *in, void *out)
{
    const struct pri_team *team = s->team;
    size_t count = part_start(p, team->size), mine = part_size(p, team->rank);
    char *all = pri_sched_temp_elements(s, count);

    pri_write_allreduce_doubling(s, in, all, count);
    pri_sched_copy(s, pri_data(out, mine, s->type),
                   pri_data(pri_at(all, part_start(p, team->rank), s->type), mine, s->type));
}

/* This rank's part for the one `ahead`, and its own part from the one as far behind. */
static void write_exchange(struct pri_sched *s, const struct parts *p, const char *in,
                           char *landing, int ahead)
{
    const struct pri_team *team = s->team;
    int to = pri_unturned(team, ahead, team->rank);
    int from = pri_unturned(team, team->size - ahead, team->rank);
    size_t mine = part_size(p, team->rank);

    pri_sched_recv(s, from, pri_data(pri_at(landing, (size_t)from * mine, s->type), mine, s->type));
    pri_sched_send(s, to,
                   pri_data(pri_at(in, part_start(p, to), s->type), part_size(p, to), s->type));
}

static void write_parts(struct pri_sched *s, const struct parts *p, const char *in, char *out)
{
    const struct pri_team *team = s->team;
    int window = (int)pri_coll_params(team)->window, size = team->size;
    size_t mine = part_size(p, team->rank);
    char *landing = pri_sched_temp_elements(s, mine * (size_t)size);
    struct pri_data own =
        pri_data(pri_at(landing, mine * (size_t)team->rank, s->type), mine, s->type);

    pri_sched_copy(s, own, pri_data(pri_at(in, part_start(p, team->rank), s->type), mine, s->type));
    for (int ahead = 1; ahead < size; ahead++) {
        write_exchange(s, p, in, landing, ahead);
        if (ahead % window == 0) {
            pri_sched_fence(s);
        }
    }
    pri_sched_fence(s);

    char *sum = pri_at(landing, mine * (size_t)(size - 1), s->type);

    for (int i = size - 2; i >= 0; i--) {
        pri_sched_reduce(s, pri_at(landing, mine * (size_t)i, s->type), sum, mine);
    }
    pri_sched_copy(s, pri_data(out, mine, s->type), pri_data(sum, mine, s->type));
}

static int reduce_scatter(struct pri_team *team, const void *in, void *out, const struct parts *p,
                          struct pri_type *type, struct pri_op *op, struct pri_request *request)
{
    size_t bytes = part_start(p, team->size) * type->size;

    if (bytes == 0) {
        return pri_sched_nothing(team, request);
    }

    struct pri_sched *s = pri_sched_get_reduce(team, type, op);

    if (in == PRI_IN_PLACE) {
        in = out;
    }
    if (s != NULL && bytes <= pri_coll_params(team)->reduce_scatter_short) {
        write_whole(s, p, in, out);
    } else if (s != NULL) {
        write_parts(s, p, in, out);
    }
    return pri_sched_run(s, request);
}

int pri_coll_reduce_scatter(struct pri_team *team, const void *in, const struct pri_parts *out,
                            struct pri_op *op, struct pri_request *request)
{
    if (pri_coll_open(team, RECORD_CLASS_REDUCE_SCATTER, request)) {
        return pri_inter_reduce_scatter(team, in, out->buf, out, 0, out->type, op, request);
    }
    struct parts p = {.of = out};

    return reduce_scatter(team, in, out->buf, &p, out->type, op, request);
}

int pri_coll_reduce_scatter_block(struct pri_team *team, const void *in, void *out, size_t count,
                                  struct pri_type *type, struct pri_op *op,
                                  struct pri_request *request)
{
    if (pri_coll_open(team, RECORD_CLASS_REDUCE_SCATTER_BLOCK, request)) {
        return pri_inter_reduce_scatter(team, in, out, NULL, count, type, op, request);
    }
    struct parts p = {.each = count};

    return reduce_scatter(team, in, out, &p, type, op, request);
}
