/* SPDX-License-Identifier: BSD-3-Clause */
/* New communicators of some ranks of others. The first rank of each takes its context and tells
 * the rest. */
#include "mpi/inter.h"

#include <limits.h>
#include <stdlib.h>

/* ---- splits ---- */

struct split {
    int color, key, rank, peer;
    uint32_t context;
};

static int by_key(const void *a, const void *b)
{
    const struct split *x = a, *y = b;
    if (x->key != y->key) {
        return x->key < y->key ? -1 : 1;
    }
    return x->rank < y->rank ? -1 : 1;
}

/* The group of those of n entries that have a color; the first of them comes first among the
 * entries then. NULL: no memory. */
static struct pri_group *split_group(const struct pri_comm *comm, struct split *all, int n,
                                     int color)
{
    int size = 0;
    for (int i = 0; i < n; i++) {
        if (all[i].color == color) {
            all[size++] = all[i];
        }
    }
    qsort(all, (size_t)size, sizeof(*all), by_key);
    struct pri_group *group = pri_group_new(size);
    if (group == NULL) {
        return NULL;
    }
    for (int i = 0; i < size; i++) {
        group->ranks[i] = all[i].peer;
    }
    pri_group_finish(group, comm->mpi->self);
    return group;
}

/* The communicator of those entries of both groups that have a color; *made stays NULL if the other
 * group has none. The first entry of the first group gives the context. 0 or an error of the
 * core. */
static int split_inter(struct pri_comm *comm, struct split *all, int color, struct pri_comm **made,
                       const struct split **first)
{
    const struct pri_intercomm *inter = comm->inter;
    const struct pri_inter *core = &inter->core;
    struct pri_group *own = split_group(comm, all + core->local, core->locals, color);
    struct pri_group *other = split_group(comm, all + core->remote, core->remotes, color);
    if (own != NULL && other != NULL && other->size > 0) {
        *first = all + (inter->first ? core->local : core->remote);
        *made = pri_inter_new(comm->mpi, own, other, inter->first);
        return *made == NULL ? PRI_ERR_NOMEM : 0;
    }
    int rc = own == NULL || other == NULL ? PRI_ERR_NOMEM : 0;
    if (own != NULL) {
        pri_group_release(own);
    }
    if (other != NULL) {
        pri_group_release(other);
    }
    return rc;
}

/* The communicator of those entries that have a color. */
static int split_part(struct pri_comm *comm, struct split *all, int color, struct pri_comm **part)
{
    const struct split *first = all;
    struct pri_comm *made = NULL;
    if (comm->inter != NULL) {
        int rc = split_inter(comm, all, color, &made, &first);
        if (rc != 0 || made == NULL) {
            return rc;
        }
    } else {
        struct pri_group *group = split_group(comm, all, comm->team.size, color);
        if (group == NULL || (made = pri_comm_new(comm->mpi, group)) == NULL) {
            return PRI_ERR_NOMEM;
        }
    }
    pri_comm_inherit(made, comm);
    *part = made;
    return pri_comm_begin(made, first->context, first->peer == comm->mpi->self->rank);
}

int pri_comm_split(struct pri_comm *comm, int color, int key, struct pri_comm **part)
{
    struct pri_rank *self = comm->mpi->self;
    struct split mine = {color, key, comm->team.rank, self->rank, 0};
    struct pri_team *team = pri_comm_all(comm);
    struct split *all = malloc((size_t)team->size * sizeof(*all));
    *part = NULL;
    if (all == NULL) {
        return PRI_ERR_NOMEM;
    }
    int rc = pri_context_take(self, &mine.context);
    if (rc == 0) {
        struct pri_some in = {&mine, sizeof(mine), MPI_BYTE}, out = {all, sizeof(mine), MPI_BYTE};
        rc = pri_coll_allgather(team, in, out, NULL);
        if (rc == 0 && color != MPI_UNDEFINED) {
            rc = split_part(comm, all, color, part);
        }
        if (*part == NULL || !(*part)->leads) {
            pri_context_give(self, mine.context);
        }
    }
    free(all);
    return rc;
}

int MPI_Comm_split(MPI_Comm handle, int color, int key, MPI_Comm *part)
{
    struct pri_comm *comm = pri_comm_of(handle);
    if (comm == NULL) {
        return pri_fail(NULL, __func__, MPI_ERR_COMM);
    }
    if (part == NULL) {
        return pri_fail(comm, __func__, pri_no_place(NULL));
    }
    if (color < 0 && color != MPI_UNDEFINED) {
        return pri_fail(comm, __func__,
                        pri_blame_value(MPI_ERR_ARG, "the color", color, 0, INT_MAX));
    }
    return pri_result(comm, __func__, pri_comm_split(comm, color, key, part));
}
PRI_ALIAS(Comm_split);

int MPI_Comm_split_type(MPI_Comm handle, int type, int key, MPI_Info info, MPI_Comm *part)
{
    (void)info;
    struct pri_comm *comm = pri_comm_of(handle);
    if (comm == NULL) {
        return pri_fail(NULL, __func__, MPI_ERR_COMM);
    }
    if (part == NULL) {
        return pri_fail(comm, __func__, pri_no_place(NULL));
    }
    if (type != MPI_COMM_TYPE_SHARED && type != MPI_UNDEFINED) {
        return pri_fail(comm, __func__,
                        pri_blame(MPI_ERR_ARG, "the type is not MPI_COMM_TYPE_SHARED"));
    }
    /* The color of a host is its first rank in the communicator. */
    int color = 0;
    while (!pri_same_host(comm->mpi->self, pri_team_member(pri_comm_all(comm), color))) {
        color++;
    }
    if (type == MPI_UNDEFINED) {
        color = MPI_UNDEFINED;
    }
    return pri_result(comm, __func__, pri_comm_split(comm, color, key, part));
}
PRI_ALIAS(Comm_split_type);

/* ---- communicators of groups ---- */

/* What is wrong with a communicator's ranks that a new one is to have. */
static int check_group(const struct pri_comm *comm, const struct pri_group *group, const void *part)
{
    if (comm == NULL) {
        return MPI_ERR_COMM;
    }
    if (group == NULL) {
        return pri_blame(MPI_ERR_GROUP, "it is MPI_GROUP_NULL");
    }
    if (!pri_group_within(group, comm->group)) {
        return pri_blame(MPI_ERR_GROUP, "it has a rank that the communicator does not have");
    }
    return pri_no_place(part);
}

int MPI_Comm_create(MPI_Comm handle, MPI_Group group, MPI_Comm *part)
{
    struct pri_comm *comm = pri_comm_of(handle);
    int code = check_group(comm, group, part);
    if (code != MPI_SUCCESS) {
        return pri_fail(comm, __func__, code);
    }
    /* Disjoint groups may be given at once: each is known by its first rank. Of two groups each
     * says its own part. */
    bool in = group->rank != MPI_UNDEFINED;
    int color = !in ? MPI_UNDEFINED : comm->inter != NULL ? 0 : group->ranks[0];
    return pri_result(comm, __func__, pri_comm_split(comm, color, in ? group->rank : 0, part));
}
PRI_ALIAS(Comm_create);

/* The group's first rank tells the others the context, with messages that no application's receive
 * matches. */
static int group_context(struct pri_comm *comm, const struct pri_group *group, int tag,
                         uint32_t *context)
{
    struct pri_rank *self = comm->mpi->self;
    struct pri_where where = {.context = comm->context, .tag = -2 - (tag & 0x3fffffff)};
    if (group->rank != 0) {
        where.peer = group->ranks[0];
        return pri_recv(self, context, sizeof(*context), where, NULL);
    }
    int rc = pri_context_take(self, context);
    for (int i = 1; rc == 0 && i < group->size; i++) {
        where.peer = group->ranks[i];
        rc = pri_send(self, context, sizeof(*context), where, PRI_STANDARD);
    }
    return rc;
}

int MPI_Comm_create_group(MPI_Comm handle, MPI_Group group, int tag, MPI_Comm *part)
{
    struct pri_comm *comm = pri_intra_of(handle);
    uint32_t context;
    int code = check_group(comm, group, part);
    if (code == MPI_SUCCESS && tag < 0) {
        code = pri_blame_value(MPI_ERR_TAG, "the tag", tag, 0, INT_MAX);
    }
    if (code != MPI_SUCCESS) {
        return pri_fail(comm, __func__, code);
    }
    *part = MPI_COMM_NULL;
    if (group->rank == MPI_UNDEFINED) {
        return MPI_SUCCESS;
    }
    int rc = group_context(comm, group, tag, &context);
    if (rc != 0) {
        return pri_result(comm, __func__, rc);
    }
    pri_group_retain(group);
    struct pri_comm *made = pri_comm_new(comm->mpi, group);
    if (made == NULL) {
        return pri_fail(comm, __func__, MPI_ERR_NO_MEM);
    }
    pri_comm_inherit(made, comm);
    rc = pri_comm_begin(made, context, group->rank == 0);
    if (rc == 0) {
        *part = made;
    } else {
        pri_comm_release(made);
    }
    return pri_result(comm, __func__, rc);
}
PRI_ALIAS(Comm_create_group);
