/* SPDX-License-Identifier: BSD-3-Clause */
/* Prefix reductions. In round k each rank gets, from the one 2^k below, the reduction of the 2^k
 * ranks up to that one (Hillis and Steele, 1986), so that ranks stay in order and an operation need
 * not commute. */
#include "coll/private.h"

/* sum: of the ranks that end with this one; below: the same without it, or NULL. `other` is for
 * what comes in. */
static void write_prefix(struct pri_sched *s, char *sum, char *below, size_t count)
{
    const struct pri_team *team = s->team;
    char *other = pri_sched_temp_elements(s, count);
    bool is_set = false;

    for (int ahead = 1; ahead < team->size; ahead <<= 1) {
        bool from = team->rank >= ahead;

        if (from) {
            pri_sched_recv(s, team->rank - ahead, pri_data(other, count, s->type));
        }
        if (team->rank + ahead < team->size) {
            pri_sched_send(s, team->rank + ahead, pri_data(sum, count, s->type));
        }
        pri_sched_fence(s);
        if (!from) {
            continue;
        }
        pri_sched_reduce(s, other, sum, count);
        if (below != NULL && is_set) {
            pri_sched_reduce(s, other, below, count);
        } else if (below != NULL) {
            pri_sched_copy(s, pri_data(below, count, s->type), pri_data(other, count, s->type));
        }
        is_set = true;
    }
}

int pri_coll_scan(struct pri_team *team, const void *in, void *out, size_t count,
                  struct pri_type *type, struct pri_op *op, struct pri_request *request)
{
    pri_coll_kind(team, RECORD_CLASS_SCAN, request);
    if (count * type->size == 0) {
        return pri_sched_nothing(team, request);
    }

    struct pri_sched *s = pri_sched_get_reduce(team, type, op);

    if (s != NULL) {
        if (in != PRI_IN_PLACE) {
            pri_sched_copy(s, pri_data(out, count, type), pri_data(in, count, type));
        }
        write_prefix(s, out, NULL, count);
    }
    return pri_sched_run(s, request);
}

int pri_coll_exscan(struct pri_team *team, const void *in, void *out, size_t count,
                    struct pri_type *type, struct pri_op *op, struct pri_request *request)
{
    pri_coll_kind(team, RECORD_CLASS_EXSCAN, request);
    if (count * type->size == 0 || team->size == 1) {
        return pri_sched_nothing(team, request);
    }

    struct pri_sched *s = pri_sched_get_reduce(team, type, op);

    if (s != NULL) {
        char *sum = pri_sched_temp_elements(s, count);

        pri_sched_copy(s, pri_data(sum, count, type),
                       pri_data(in == PRI_IN_PLACE ? out : in, count, type));
        write_prefix(s, sum, team->rank > 0 ? out : NULL, count);
    }
    return pri_sched_run(s, request);
}
