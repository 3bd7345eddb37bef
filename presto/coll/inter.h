/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PRI_COLL_INTER_H
#define PRI_COLL_INTER_H

/*
 * Collective operations between two groups: what pri_coll_ functions do with a team that has an
 * `inter`. Each is a schedule of the team of both groups, whose tags all ranks count alike, also
 * those that have nothing to do.
 *
 * A root is PRI_ROOT in its own place, PRI_PROC_NULL elsewhere in its group, and its rank there in
 * the other group. What is reduced is the other group's data.
 */

#include "coll/private.h"

enum { PRI_ROOT = -4 };

struct pri_inter {
    struct pri_team
        all; /* the ranks of one group, then those of the other, in the same order for all */
    int local, locals;   /* in it: the first rank of the own group, and how many it has */
    int remote, remotes; /* of the other group */
};

/* An operation that is started again and again, with a request, in any order with others and by any
 * thread. It has a copy of the team, whose next tag is always its own. It stays where it is. */
struct pri_persistent {
    struct pri_team team;
    struct pri_inter inter; /* of a team that has one */
    uint32_t number;        /* its tag */
};

/* A number, which all ranks take in the same order; and one that has it. */
uint32_t pri_coll_number(struct pri_team *team);
void pri_persistent_init(struct pri_persistent *persistent, const struct pri_team *team,
                         uint32_t number);
/* The team for one call of the operation's function, not while the last one is under way. */
struct pri_team *pri_persistent_team(struct pri_persistent *persistent);

/* pri_coll_kind. Whether the operation is one between two groups. */
static inline bool pri_coll_open(struct pri_team *team, uint32_t kind,
                                 const struct pri_request *request)
{
    pri_coll_kind(team, kind, request);
    if (NI_LIKELY(team->inter == NULL)) {
        return false;
    }
    team->inter->all.kind = team->kind;
    return true;
}

int pri_inter_bcast(struct pri_team *team, void *buf, size_t count, struct pri_type *type, int root,
                    struct pri_request *request);
/* Everybody to everybody of the other group; in is the same for all with `same`. */
int pri_inter_exchange(struct pri_team *team, struct pri_some in, bool same, struct pri_some out,
                       struct pri_request *request);
int pri_inter_exchangev(struct pri_team *team, const struct pri_parts *in,
                        const struct pri_parts *out, struct pri_request *request);
int pri_inter_allgatherv(struct pri_team *team, struct pri_some in, const struct pri_parts *out,
                         struct pri_request *request);
/* parts: NULL, or instead of the root's side. */
int pri_inter_gather(struct pri_team *team, struct pri_some in, struct pri_some out,
                     const struct pri_parts *parts, int root, struct pri_request *request);
int pri_inter_scatter(struct pri_team *team, struct pri_some in, const struct pri_parts *parts,
                      struct pri_some out, int root, struct pri_request *request);

int pri_inter_reduce(struct pri_team *team, const void *in, void *out, size_t count,
                     struct pri_type *type, struct pri_op *op, int root,
                     struct pri_request *request);
int pri_inter_allreduce(struct pri_team *team, const void *in, void *out, size_t count,
                        struct pri_type *type, struct pri_op *op, struct pri_request *request);
/* parts: of the own group's ranks; NULL: each has `each`. */
int pri_inter_reduce_scatter(struct pri_team *team, const void *in, void *out,
                             const struct pri_parts *parts, size_t each, struct pri_type *type,
                             struct pri_op *op, struct pri_request *request);

/* data goes from rank `root` of both groups to n ranks of them, from `first` on; this rank is one
 * of these. */
void pri_write_inter_tree(struct pri_sched *s, struct pri_data data, int root, int first, int n);

#endif
