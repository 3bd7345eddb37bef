/* SPDX-License-Identifier: BSD-3-Clause */
/* Communicators: what they are, their life, their names. comm_make.c makes more of them. */
#include "mpi/state.h"

#include <stdlib.h>
#include <string.h>

struct pri_comm *pri_comm_of_mark(MPI_Comm mark)
{
    struct pri_mpi *mpi = pri_mpi();
    return mpi != NULL && mark == MPI_COMM_SELF ? mpi->alone : NULL;
}

/* The members as a team wants them: NULL if they are 0, 1, 2... */
static const int *members(const struct pri_group *group)
{
    for (int i = 0; i < group->size; i++)
        if (group->ranks[i] != i)
            return group->ranks;
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
    /* Enough for its rank and size to be asked for before it has a context. */
    comm->team.self = mpi->self;
    comm->team.rank = group->rank;
    comm->team.size = group->size;
    return comm;
}

int pri_comm_begin(struct pri_comm *comm, uint32_t context, bool leads)
{
    comm->context = context;
    comm->leads = leads;
    return pri_team_init(&comm->team, comm->mpi->self, context, comm->group->rank,
                         comm->group->size, members(comm->group));
}

void pri_comm_inherit(struct pri_comm *comm, const struct pri_comm *from)
{
    pri_errhandler_retain(from->errhandler);
    comm->errhandler = from->errhandler;
}

void pri_comm_retain(struct pri_comm *comm)
{
    if (comm->mpi->self->threads)
        atomic_fetch_add_explicit(&comm->refs, 1, memory_order_relaxed);
    else
        atomic_store_explicit(&comm->refs,
                              atomic_load_explicit(&comm->refs, memory_order_relaxed) + 1,
                              memory_order_relaxed);
}

static void destroy(struct pri_comm *comm)
{
    comm->magic = 0;
    pri_group_release(comm->group);
    pri_errhandler_release(comm->errhandler);
    pri_topology_free(comm->topology);
    pri_info_release(comm->info);
    free(comm);
}

void pri_comm_release(struct pri_comm *comm)
{
    unsigned before;
    if (comm->mpi->self->threads) {
        /* Pairs with the other releases: the last one frees what all have read. */
        before = atomic_fetch_sub_explicit(&comm->refs, 1, memory_order_acq_rel);
    } else {
        before = atomic_load_explicit(&comm->refs, memory_order_relaxed);
        atomic_store_explicit(&comm->refs, before - 1, memory_order_relaxed);
    }
    if (before == 1)
        destroy(comm);
}

/* All ranks have freed it. Its context may be used again unless a request of some rank may still receive with it. */
static void ended(struct pri_comm *comm)
{
    if (comm->pending == 0)
        pri_context_give(comm->mpi->self, comm->context);
    pri_comm_release(comm);
}

/* Takes those off the list that have ended, or all, for which it waits. */
static void reap(struct pri_mpi *mpi, bool all)
{
    struct pri_comm *done = NULL;
    pthread_mutex_lock(&mpi->lock);
    for (struct pri_comm **place = &mpi->ending; *place != NULL;) {
        struct pri_comm *comm = *place;
        if (!all && !pri_done(&comm->end)) {
            place = &comm->next;
            continue;
        }
        *place = comm->next;
        comm->next = done;
        done = comm;
    }
    pthread_mutex_unlock(&mpi->lock);
    while (done != NULL) {
        struct pri_comm *comm = done;
        done = comm->next;
        pri_wait(&comm->end);
        ended(comm);
    }
}

void pri_comms_end_all(struct pri_mpi *mpi)
{
    reap(mpi, true);
}

void pri_comm_end(struct pri_comm *comm)
{
    struct pri_mpi *mpi = comm->mpi;
    comm->pending = (int)atomic_load_explicit(&comm->refs, memory_order_relaxed) - 1;
    if (pri_coll_allreduce(&comm->team, PRI_IN_PLACE, &comm->pending, 1, MPI_INT, MPI_SUM,
                           &comm->end) != 0)
        return; /* memory is short: it is kept, and nothing can be told to the application */
    pthread_mutex_lock(&mpi->lock);
    comm->next = mpi->ending;
    mpi->ending = comm;
    pthread_mutex_unlock(&mpi->lock);
    reap(mpi, false);
}

static int free_comm(const char *function, MPI_Comm *handle)
{
    struct pri_comm *comm = pri_comm_of(*handle);
    if (comm == NULL || comm->handle != comm)
        return pri_fail(NULL, function, MPI_ERR_COMM);
    int code = pri_attr_delete_all(comm->mpi, &comm->attributes, PRI_ATTR_COMM, comm);
    if (code != MPI_SUCCESS)
        return pri_fail(comm, function, code);
    comm->magic = 0;
    *handle = MPI_COMM_NULL;
    pri_comm_end(comm);
    return MPI_SUCCESS;
}

int MPI_Comm_free(MPI_Comm *handle)
{
    return free_comm(__func__, handle);
}
PRI_ALIAS(Comm_free);

int MPI_Comm_disconnect(MPI_Comm *handle)
{
    struct pri_comm *comm = pri_comm_of(*handle);
    if (comm != NULL)
        pri_coll_barrier(&comm->team, NULL);
    return free_comm(__func__, handle);
}
PRI_ALIAS(Comm_disconnect);

int MPI_Comm_rank(MPI_Comm handle, int *rank)
{
    struct pri_comm *comm = pri_comm_of(handle);
    if (comm == NULL)
        return pri_fail(NULL, __func__, MPI_ERR_COMM);
    *rank = comm->team.rank;
    return MPI_SUCCESS;
}
PRI_ALIAS(Comm_rank);

int MPI_Comm_size(MPI_Comm handle, int *size)
{
    struct pri_comm *comm = pri_comm_of(handle);
    if (comm == NULL)
        return pri_fail(NULL, __func__, MPI_ERR_COMM);
    *size = comm->team.size;
    return MPI_SUCCESS;
}
PRI_ALIAS(Comm_size);

int MPI_Comm_group(MPI_Comm handle, MPI_Group *group)
{
    struct pri_comm *comm = pri_comm_of(handle);
    if (comm == NULL)
        return pri_fail(NULL, __func__, MPI_ERR_COMM);
    pri_group_retain(comm->group);
    *group = comm->group;
    return MPI_SUCCESS;
}
PRI_ALIAS(Comm_group);

int MPI_Comm_compare(MPI_Comm one, MPI_Comm other, int *result)
{
    struct pri_comm *a = pri_comm_of(one), *b = pri_comm_of(other);
    if (a == NULL || b == NULL)
        return pri_fail(NULL, __func__, MPI_ERR_COMM);
    if (a == b) {
        *result = MPI_IDENT;
        return MPI_SUCCESS;
    }
    MPI_Group_compare(a->group, b->group, result);
    if (*result == MPI_IDENT)
        *result = MPI_CONGRUENT;
    return MPI_SUCCESS;
}
PRI_ALIAS(Comm_compare);

int MPI_Comm_test_inter(MPI_Comm handle, int *flag)
{
    if (pri_comm_of(handle) == NULL)
        return pri_fail(NULL, __func__, MPI_ERR_COMM);
    *flag = 0;
    return MPI_SUCCESS;
}
PRI_ALIAS(Comm_test_inter);

int MPI_Comm_get_parent(MPI_Comm *parent)
{
    *parent = MPI_COMM_NULL; /* no job is spawned by another */
    return MPI_SUCCESS;
}
PRI_ALIAS(Comm_get_parent);

int MPI_Comm_get_name(MPI_Comm handle, char *name, int *length)
{
    struct pri_comm *comm = pri_comm_of(handle);
    if (comm == NULL)
        return pri_fail(NULL, __func__, MPI_ERR_COMM);
    strcpy(name, comm->name);
    *length = (int)strlen(name);
    return MPI_SUCCESS;
}
PRI_ALIAS(Comm_get_name);

int MPI_Comm_set_name(MPI_Comm handle, const char *name)
{
    struct pri_comm *comm = pri_comm_of(handle);
    if (comm == NULL)
        return pri_fail(NULL, __func__, MPI_ERR_COMM);
    memset(comm->name, 0, sizeof(comm->name));
    memcpy(comm->name, name, strnlen(name, sizeof(comm->name) - 1));
    return MPI_SUCCESS;
}
PRI_ALIAS(Comm_set_name);

int MPI_Comm_set_info(MPI_Comm handle, MPI_Info info)
{
    struct pri_comm *comm = pri_comm_of(handle);
    if (comm == NULL)
        return pri_fail(NULL, __func__, MPI_ERR_COMM);
    struct pri_info *copy = info == NULL ? NULL : pri_info_copy(info);
    if (info != NULL && copy == NULL)
        return pri_fail(comm, __func__, MPI_ERR_NO_MEM);
    pri_info_release(comm->info);
    comm->info = copy;
    return MPI_SUCCESS;
}
PRI_ALIAS(Comm_set_info);

int MPI_Comm_get_info(MPI_Comm handle, MPI_Info *info)
{
    struct pri_comm *comm = pri_comm_of(handle);
    if (comm == NULL)
        return pri_fail(NULL, __func__, MPI_ERR_COMM);
    *info = pri_info_copy(comm->info);
    return *info != NULL ? MPI_SUCCESS : pri_fail(comm, __func__, MPI_ERR_NO_MEM);
}
PRI_ALIAS(Comm_get_info);
