/* SPDX-License-Identifier: BSD-3-Clause */
/* New communicators from others. The first rank of each takes its context and tells the rest. */
#include "mpi/inter.h"
#include "mpi/request.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- copies ---- */

/* The context of a copy is there: the rest of making it. */
static int dup_finish(struct pri_mpi_request *request)
{
    struct pri_comm *copy = request->object;
    if (request->core.status.error != 0) {
        return MPI_SUCCESS; /* that is the error; there is no context */
    }
    return pri_mpi_code(pri_comm_begin(copy, copy->context, copy->leads));
}

/* One that cannot be made. */
static void drop(struct pri_comm *made)
{
    pri_attr_delete_all(made->mpi, &made->attributes, PRI_ATTR_COMM, made);
    pri_comm_release(made);
}

/* A copy without a context, and with what it inherits. An MPI code. */
static int dup_begin(struct pri_comm *comm, struct pri_comm **copy)
{
    struct pri_comm *made;
    if (comm->inter != NULL) {
        made = pri_inter_copy(comm);
    } else {
        pri_group_retain(comm->group);
        made = pri_comm_new(comm->mpi, comm->group);
    }
    if (made == NULL) {
        return MPI_ERR_NO_MEM;
    }
    pri_comm_inherit(made, comm);
    made->leads = pri_comm_all(comm)->rank == 0;
    int code = MPI_SUCCESS;
    if (comm->topology != NULL && (made->topology = pri_topology_copy(comm->topology)) == NULL) {
        code = MPI_ERR_NO_MEM;
    }
    if (code == MPI_SUCCESS) {
        code = pri_attr_copy_all(comm->mpi, &made->attributes, comm->attributes, PRI_ATTR_COMM,
                                 comm->handle);
    }
    if (code == MPI_SUCCESS && made->leads) {
        code = pri_mpi_code(pri_context_take(comm->mpi->self, &made->context));
    }
    if (code != MPI_SUCCESS) {
        drop(made);
    } else {
        *copy = made;
    }
    return code;
}

static int dup(const char *function, MPI_Comm handle, MPI_Info info, MPI_Comm *copy)
{
    struct pri_comm *comm = pri_comm_of(handle), *made;
    if (comm == NULL || copy == NULL) {
        return pri_fail(comm, function, comm == NULL ? MPI_ERR_COMM : pri_no_place(copy));
    }
    *copy = MPI_COMM_NULL;
    int code = dup_begin(comm, &made);
    if (code != MPI_SUCCESS) {
        return pri_fail(comm, function, code);
    }
    made->info = info == NULL ? NULL : pri_info_copy(info);
    int rc = pri_coll_bcast(pri_comm_all(comm), &made->context, sizeof(made->context), MPI_BYTE, 0,
                            NULL);
    if (rc == 0) {
        rc = pri_comm_begin(made, made->context, made->leads);
    }
    if (rc == 0) {
        *copy = made;
    } else {
        drop(made);
    }
    return pri_result(comm, function, rc);
}

int pri_comm_copy(struct pri_comm *comm, struct pri_comm **copy)
{
    pri_group_retain(comm->group);
    struct pri_comm *made = pri_comm_new(comm->mpi, comm->group);
    if (made == NULL) {
        return PRI_ERR_NOMEM;
    }
    made->leads = comm->team.rank == 0;
    int error = made->leads ? pri_context_take(comm->mpi->self, &made->context) : 0;
    if (error == 0) {
        error =
            pri_coll_bcast(&comm->team, &made->context, sizeof(made->context), MPI_BYTE, 0, NULL);
    }
    if (error == 0) {
        error = pri_comm_begin(made, made->context, made->leads);
    }
    if (error == 0) {
        *copy = made;
    } else {
        pri_comm_release(made);
    }
    return error;
}

int MPI_Comm_dup(MPI_Comm handle, MPI_Comm *copy)
{
    struct pri_comm *comm = pri_comm_of(handle);
    return dup(__func__, handle, comm != NULL ? comm->info : NULL, copy);
}
PRI_ALIAS(Comm_dup);

int MPI_Comm_dup_with_info(MPI_Comm handle, MPI_Info info, MPI_Comm *copy)
{
    return dup(__func__, handle, info, copy);
}
PRI_ALIAS(Comm_dup_with_info);

static int idup(const char *function, MPI_Comm handle, MPI_Info info, MPI_Comm *copy,
                MPI_Request *request)
{
    struct pri_comm *comm = pri_comm_of(handle), *made;
    if (comm == NULL || copy == NULL) {
        return pri_fail(comm, function, comm == NULL ? MPI_ERR_COMM : pri_no_place(copy));
    }
    *copy = MPI_COMM_NULL;
    struct pri_mpi_request *r = pri_request_new(comm, PRI_MPI_OPERATION);
    int code = r == NULL ? MPI_ERR_NO_MEM : dup_begin(comm, &made);
    if (code == MPI_SUCCESS) {
        made->info = info == NULL ? NULL : pri_info_copy(info);
        r->finish = dup_finish;
        r->object = made;
        code = pri_mpi_code(pri_coll_bcast(pri_comm_all(comm), &made->context,
                                           sizeof(made->context), MPI_BYTE, 0, &r->core));
        if (code != MPI_SUCCESS) {
            pri_comm_release(made);
        }
    }
    if (code != MPI_SUCCESS) {
        if (r != NULL) {
            pri_request_end(r);
        }
        return pri_fail(comm, function, code);
    }
    *copy = made;
    *request = r;
    return MPI_SUCCESS;
}

int MPI_Comm_idup(MPI_Comm handle, MPI_Comm *copy, MPI_Request *request)
{
    struct pri_comm *comm = pri_comm_of(handle);
    return idup(__func__, handle, comm != NULL ? comm->info : NULL, copy, request);
}
PRI_ALIAS(Comm_idup);

int MPI_Comm_idup_with_info(MPI_Comm handle, MPI_Info info, MPI_Comm *copy, MPI_Request *request)
{
    return idup(__func__, handle, info, copy, request);
}
PRI_ALIAS(Comm_idup_with_info);

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
