/* SPDX-License-Identifier: BSD-3-Clause */
/* Communicators: what they are, their names. comm_dup.c and comm_make.c make more of them,
 * comm_end.c ends them. */
#include "core/later.h"
#include "mpi/inter.h"

#include <stdlib.h>
#include <string.h>

struct pri_comm *pri_comm_of_mark(MPI_Comm mark)
{
    struct pri_mpi *mpi = pri_mpi();
    return mpi != NULL && mark == MPI_COMM_SELF ? mpi->alone : NULL;
}

/* The members as a team wants them: NULL if they are 0, 1, 2... of the first job. In another one
 * NULL is its own ranks to the core, which the first ones of a merged communicator are not. */
static const int *members(const struct pri_rank *self, const struct pri_group *group)
{
    for (int i = 0; i < group->size; i++) {
        if (self->first != 0 || group->ranks[i] != i) {
            return group->ranks;
        }
    }
    return NULL;
}

struct pri_comm *pri_comm_new(struct pri_mpi *mpi, struct pri_group *group)
{
    struct pri_comm *comm = calloc(1, sizeof(*comm));
    if (comm == NULL) {
        pri_group_release(group);
        return NULL;
    }
    comm->magic = PRI_COMM_MAGIC;
    comm->mpi = mpi;
    comm->group = group;
    comm->errhandler = MPI_ERRORS_ARE_FATAL;
    comm->handle = comm;
    atomic_init(&comm->refs, 1);
    ni_list_init(&comm->all);
    /* Enough for its rank and size to be asked for before it has a context. */
    comm->team.self = mpi->self;
    comm->team.rank = group->rank;
    comm->team.size = group->size;
    return comm;
}

static const struct pri_group *all_of(const struct pri_comm *comm)
{
    return comm->inter != NULL ? comm->inter->both : comm->group;
}

bool pri_comm_is_foreign(const struct pri_comm *comm)
{
    return all_of(comm)->held;
}

int pri_comm_begin(struct pri_comm *comm, uint32_t context, bool leads)
{
    comm->context = context;
    comm->leads = leads;
    pri_comm_enlist(comm);
    if (NI_UNLIKELY(pri_comm_is_foreign(comm)) &&
        pri_meet_with(comm->mpi->self, context, all_of(comm)->size) != PRI_OK) {
        return PRI_ERR_NOMEM;
    }
    if (comm->inter != NULL) {
        return pri_inter_begin(comm);
    }
    return pri_team_init(&comm->team, comm->mpi->self, context, comm->group->rank,
                         comm->group->size, members(comm->mpi->self, comm->group));
}

void pri_comm_inherit(struct pri_comm *comm, const struct pri_comm *from)
{
    pri_errhandler_retain(from->errhandler);
    comm->errhandler = from->errhandler;
}

void pri_comm_destroy(struct pri_comm *comm)
{
    comm->magic = 0;
    pri_comm_unlist(comm);
    if ((pri_comm_all(comm)->context & PRI_COLL) != 0) {
        pri_context_close(comm->mpi->self, comm->context);
    }
    pri_team_fini(pri_comm_all(comm));
    pri_group_release(comm->group);
    pri_inter_free(comm->inter);
    pri_errhandler_release(comm->errhandler);
    pri_topology_free(comm->topology);
    pri_info_release(comm->info);
    free(comm);
}

int MPI_Comm_rank(MPI_Comm handle, int *rank)
{
    struct pri_comm *comm = pri_comm_of(handle);
    if (comm == NULL) {
        return pri_fail(NULL, __func__, MPI_ERR_COMM);
    }
    if (rank == NULL) {
        return pri_fail(comm, __func__, pri_no_place(NULL));
    }
    *rank = comm->team.rank;
    return MPI_SUCCESS;
}
PRI_ALIAS(Comm_rank);

int MPI_Comm_size(MPI_Comm handle, int *size)
{
    struct pri_comm *comm = pri_comm_of(handle);
    if (comm == NULL) {
        return pri_fail(NULL, __func__, MPI_ERR_COMM);
    }
    if (size == NULL) {
        return pri_fail(comm, __func__, pri_no_place(NULL));
    }
    *size = comm->group->size;
    return MPI_SUCCESS;
}
PRI_ALIAS(Comm_size);

int MPI_Comm_group(MPI_Comm handle, MPI_Group *group)
{
    struct pri_comm *comm = pri_comm_of(handle);
    if (comm == NULL) {
        return pri_fail(NULL, __func__, MPI_ERR_COMM);
    }
    if (group == NULL) {
        return pri_fail(comm, __func__, pri_no_place(NULL));
    }
    pri_group_retain(comm->group);
    *group = comm->group;
    return MPI_SUCCESS;
}
PRI_ALIAS(Comm_group);

int MPI_Comm_compare(MPI_Comm one, MPI_Comm other, int *result)
{
    struct pri_comm *a = pri_comm_of(one), *b = pri_comm_of(other);
    if (a == NULL || b == NULL) {
        return pri_fail(NULL, __func__, MPI_ERR_COMM);
    }
    if (a == b) {
        *result = MPI_IDENT;
        return MPI_SUCCESS;
    }
    int remote = MPI_IDENT;
    MPI_Group_compare(a->group, b->group, result);
    if (a->inter != NULL && b->inter != NULL) {
        MPI_Group_compare(a->inter->remote, b->inter->remote, &remote);
    }
    if ((a->inter == NULL) != (b->inter == NULL) || remote == MPI_UNEQUAL) {
        *result = MPI_UNEQUAL;
    } else if (*result == MPI_IDENT) {
        *result = remote == MPI_IDENT ? MPI_CONGRUENT : MPI_SIMILAR;
    }
    return MPI_SUCCESS;
}
PRI_ALIAS(Comm_compare);

int MPI_Comm_get_name(MPI_Comm handle, char *name, int *length)
{
    struct pri_comm *comm = pri_comm_of(handle);
    if (comm == NULL) {
        return pri_fail(NULL, __func__, MPI_ERR_COMM);
    }
    strcpy(name, comm->name);
    *length = (int)strlen(name);
    return MPI_SUCCESS;
}
PRI_ALIAS(Comm_get_name);

int MPI_Comm_set_name(MPI_Comm handle, const char *name)
{
    struct pri_comm *comm = pri_comm_of(handle);
    if (comm == NULL) {
        return pri_fail(NULL, __func__, MPI_ERR_COMM);
    }
    memset(comm->name, 0, sizeof(comm->name));
    memcpy(comm->name, name, strnlen(name, sizeof(comm->name) - 1));
    return MPI_SUCCESS;
}
PRI_ALIAS(Comm_set_name);

int MPI_Comm_set_info(MPI_Comm handle, MPI_Info info)
{
    struct pri_comm *comm = pri_comm_of(handle);
    if (comm == NULL) {
        return pri_fail(NULL, __func__, MPI_ERR_COMM);
    }
    struct pri_info *copy = info == NULL ? NULL : pri_info_copy(info);
    if (info != NULL && copy == NULL) {
        return pri_fail(comm, __func__, MPI_ERR_NO_MEM);
    }
    pri_info_release(comm->info);
    comm->info = copy;
    return MPI_SUCCESS;
}
PRI_ALIAS(Comm_set_info);

int MPI_Comm_get_info(MPI_Comm handle, MPI_Info *info)
{
    struct pri_comm *comm = pri_comm_of(handle);
    if (comm == NULL) {
        return pri_fail(NULL, __func__, MPI_ERR_COMM);
    }
    if (info == NULL) {
        return pri_fail(comm, __func__, pri_no_place(NULL));
    }
    *info = pri_info_copy(comm->info);
    return *info != NULL ? MPI_SUCCESS : pri_fail(comm, __func__, MPI_ERR_NO_MEM);
}
PRI_ALIAS(Comm_get_info);
