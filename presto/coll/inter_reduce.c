/* SPDX-License-Identifier: BSD-3-Clause */
/* Reductions between two groups: one rank of a group receives the other group's data, in the order
 * of its ranks. */
#include "coll/inter.h"

/* The other group's data, reduced to out. `own` is sent to the one that does the same over there,
 * unless that is negative: in the round that receives from there, so that a long message finds its
 * receive. */
static void write_collect(struct pri_sched *s, const struct pri_inter *inter, void *out,
                          size_t count, struct pri_data own, int to)
{
    char *next = inter->remotes > 1 ? pri_sched_temp_elements(s, count) : NULL;

    for (int i = inter->remotes - 1; i >= 0; i--) {
        bool last = i == inter->remotes - 1;
        char *landing = last ? out : next;

        pri_sched_recv(s, inter->remote + i, pri_data(landing, count, s->type));
        if (i == 0 && to >= 0) {
            pri_sched_send(s, to, own);
        }
        pri_sched_fence(s);
        if (!last) {
            pri_sched_reduce(s, next, out, count);
        }
    }
}

int pri_inter_reduce(struct pri_team *team, const void *in, void *out, size_t count,
                     struct pri_type *type, struct pri_op *op, int root,
                     struct pri_request *request)
{
    struct pri_inter *inter = team->inter;

    if (root == PRI_PROC_NULL || count * type->size == 0) {
        return pri_sched_nothing(&inter->all, request);
    }

    struct pri_sched *s = pri_sched_get_reduce(&inter->all, type, op);

    if (s != NULL && root == PRI_ROOT) {
        write_collect(s, inter, out, count, pri_bytes(NULL, 0), -1);
    } else if (s != NULL) {
        pri_sched_send(s, inter->remote + root, pri_data(in, count, type));
    }
    return pri_sched_run(s, request);
}

/* The first rank of each group has the other's reduction at `whole`. */
static void write_leaders(struct pri_sched *s, const struct pri_inter *inter, const void *in,
                          void *whole, size_t count)
{
    struct pri_data own = pri_data(in, count, s->type);

    if (inter->all.rank == inter->local) {
        write_collect(s, inter, whole, count, own, inter->remote);
    } else {
        pri_sched_send(s, inter->remote, own);
    }
}

int pri_inter_allreduce(struct pri_team *team, const void *in, void *out, size_t count,
                        struct pri_type *type, struct pri_op *op, struct pri_request *request)
{
    struct pri_inter *inter = team->inter;

    if (count * type->size == 0) {
        return pri_sched_nothing(&inter->all, request);
    }

    struct pri_sched *s = pri_sched_get_reduce(&inter->all, type, op);

    if (s != NULL) {
        write_leaders(s, inter, in, out, count);
        pri_write_inter_tree(s, pri_data(out, count, type), inter->local, inter->local + 1,
                             inter->locals - 1);
    }
    return pri_sched_run(s, request);
}

int pri_inter_reduce_scatter(struct pri_team *team, const void *in, void *out,
                             const struct pri_parts *parts, size_t each, struct pri_type *type,
                             struct pri_op *op, struct pri_request *request)
{
    struct pri_inter *inter = team->inter;
    struct pri_sched *s = pri_sched_get_reduce(&inter->all, type, op);
    int me = inter->all.rank - inter->local;
    size_t count = 0, at = 0;

    for (int i = 0; i < inter->locals; i++) {
        count += parts != NULL ? pri_parts_count(parts, i) : each;
    }
    if (s != NULL && count * type->size > 0) {
        char *whole = me == 0 ? pri_sched_temp_elements(s, count) : NULL;
        struct pri_data mine =
            pri_data(out, parts != NULL ? pri_parts_count(parts, me) : each, type);

        write_leaders(s, inter, in, whole, count);
        for (int i = 0; me == 0 && i < inter->locals; i++) {
            size_t n = parts != NULL ? pri_parts_count(parts, i) : each;
            struct pri_data part = pri_data(pri_at(whole, at, type), n, type);

            if (i > 0) {
                pri_sched_send(s, inter->local + i, part);
            } else if (n > 0) {
                pri_sched_copy(s, mine, part);
            }
            at += n;
        }
        if (me != 0) {
            pri_sched_recv(s, inter->local, mine);
        }
    }
    return pri_sched_run(s, request);
}
