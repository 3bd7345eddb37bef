/* SPDX-License-Identifier: BSD-3-Clause */
/* Going on after deaths: User-Level Failure Mitigation (mpi-ext.h). */
#include "include/mpi-ext.h"
#include "mpi/inter.h"

#include <stdlib.h>

#define ALIAS(name)                                           \
    extern __typeof__(presto_MPIX_##name) presto_PMPIX_##name \
        __attribute__((alias("presto_MPIX_" #name)))

/* The communicator and a place for the result, or an error. */
static int check(const char *function, MPI_Comm handle, const void *result, struct pri_comm **comm)
{
    *comm = pri_comm_of(handle);
    if (*comm == NULL) {
        return pri_fail(NULL, function, MPI_ERR_COMM);
    }
    int code = pri_no_place(result);
    return code == MPI_SUCCESS ? code : pri_fail(*comm, function, code);
}

/* ---- revoked ---- */

int MPIX_Comm_revoke(MPI_Comm handle)
{
    struct pri_comm *comm;
    int code = check(__func__, handle, &comm, &comm);
    if (code != MPI_SUCCESS) {
        return code;
    }
    return pri_result(comm, __func__, pri_context_revoke(comm->mpi->self, comm->context));
}
ALIAS(Comm_revoke);

int MPIX_Comm_is_revoked(MPI_Comm handle, int *flag)
{
    struct pri_comm *comm;
    int code = check(__func__, handle, flag, &comm);
    if (code == MPI_SUCCESS) {
        pri_progress(comm->mpi->self);
        *flag = pri_context_revoked(comm->mpi->self, comm->context);
    }
    return code;
}
ALIAS(Comm_is_revoked);

/* ---- who has died ---- */

static int by_number(const void *a, const void *b)
{
    const int *x = a, *y = b;
    return (x[0] > y[0]) - (x[0] < y[0]);
}

/* The ranks of the job in comm that have died, behind the number of each death, in the order of
 * these. The caller frees *deaths. Their count, or -1: no memory. */
static int deaths_of(struct pri_comm *comm, int (**deaths)[2])
{
    struct pri_team *team = pri_comm_all(comm);
    int count = 0;
    *deaths = malloc(((size_t)team->size + 1) * sizeof(**deaths));
    if (*deaths == NULL) {
        return -1;
    }
    for (int i = 0; i < team->size; i++) {
        int rank = pri_team_member(team, i), death = pri_death(team->self, rank);
        if (death != 0) {
            (*deaths)[count][0] = death;
            (*deaths)[count++][1] = rank;
        }
    }
    qsort(*deaths, (size_t)count, sizeof(**deaths), by_number);
    return count;
}

/* How many of them are acknowledged: the first ones. */
static int acknowledged_of(const struct pri_comm *comm, int (*deaths)[2], int count)
{
    int last = pri_context_acknowledged(comm->mpi->self, comm->context), n = 0;
    while (n < count && deaths[n][0] <= last) {
        n++;
    }
    return n;
}

/* The first ones as a group. NULL: no memory. */
static struct pri_group *group_of(struct pri_rank *self, int (*deaths)[2], int count)
{
    if (count == 0) {
        return MPI_GROUP_EMPTY;
    }
    struct pri_group *group = pri_group_new(count);
    for (int i = 0; group != NULL && i < count; i++) {
        group->ranks[i] = deaths[i][1];
    }
    if (group != NULL) {
        pri_group_finish(group, self);
    }
    return group;
}

static int get_group(const char *function, MPI_Comm handle, MPI_Group *result, bool acknowledged)
{
    struct pri_comm *comm;
    int(*deaths)[2], code = check(function, handle, result, &comm);
    if (code != MPI_SUCCESS) {
        return code;
    }
    pri_progress(comm->mpi->self);
    int count = deaths_of(comm, &deaths);
    if (count > 0 && acknowledged) {
        count = acknowledged_of(comm, deaths, count);
    }
    *result = count < 0 ? NULL : group_of(comm->mpi->self, deaths, count);
    free(deaths);
    return *result != NULL ? MPI_SUCCESS : pri_fail(comm, function, MPI_ERR_NO_MEM);
}

int MPIX_Comm_get_failed(MPI_Comm handle, MPI_Group *failed)
{
    return get_group(__func__, handle, failed, false);
}
ALIAS(Comm_get_failed);

int MPIX_Comm_failure_get_acked(MPI_Comm handle, MPI_Group *acknowledged)
{
    return get_group(__func__, handle, acknowledged, true);
}
ALIAS(Comm_failure_get_acked);

static int acknowledge(const char *function, struct pri_comm *comm, int count, int *result)
{
    struct pri_rank *self = comm->mpi->self;
    int(*deaths)[2], error = PRI_ERR_NOMEM, all = deaths_of(comm, &deaths);
    if (all >= 0) {
        count = count < all ? count : all;
        error = count == 0 ? PRI_OK
                           : pri_context_acknowledge(self, comm->context, deaths[count - 1][0]);
    }
    if (error == PRI_OK) {
        *result = acknowledged_of(comm, deaths, all);
    }
    free(deaths);
    return pri_result(comm, function, error);
}

int MPIX_Comm_ack_failed(MPI_Comm handle, int count, int *acknowledged)
{
    struct pri_comm *comm;
    int code = check(__func__, handle, acknowledged, &comm);
    if (code != MPI_SUCCESS) {
        return code;
    }
    if (count < 0) {
        return pri_fail(comm, __func__, MPI_ERR_ARG);
    }
    pri_progress(comm->mpi->self);
    return acknowledge(__func__, comm, count, acknowledged);
}
ALIAS(Comm_ack_failed);

int MPIX_Comm_failure_ack(MPI_Comm handle)
{
    struct pri_comm *comm;
    int acknowledged, code = check(__func__, handle, &acknowledged, &comm);
    if (code != MPI_SUCCESS) {
        return code;
    }
    pri_progress(comm->mpi->self);
    return acknowledge(__func__, comm, pri_comm_all(comm)->size, &acknowledged);
}
ALIAS(Comm_failure_ack);

/* ---- agree ---- */

static bool bit(const uint64_t *words, int i)
{
    return (words[i / 64] >> (i % 64) & 1) != 0;
}

/* This rank's vote: whom it knows to have died, and has acknowledged. NULL: no memory. */
static struct pri_vote *vote_new(struct pri_comm *comm, int flag)
{
    struct pri_team *team = pri_comm_all(comm);
    int last = pri_context_acknowledged(team->self, comm->context);
    struct pri_vote *vote = calloc(1, PRI_VOTE_BYTES(team->size));
    for (int i = 0; vote != NULL && i < team->size; i++) {
        int death = pri_death(team->self, pri_team_member(team, i));
        uint64_t mask = UINT64_C(1) << (i % 64), *word = &vote->failed[i / 64];
        word[0] |= death != 0 ? mask : 0;
        word[PRI_VOTE_WORDS(team->size)] |= death != 0 && death <= last ? mask : 0;
    }
    if (vote != NULL) {
        vote->flag = flag;
    }
    return vote;
}

static bool all_acknowledged(const struct pri_vote *vote, int size)
{
    size_t words = PRI_VOTE_WORDS(size);
    for (size_t i = 0; i < words; i++) {
        if ((vote->failed[i] & ~vote->failed[words + i]) != 0) {
            return false;
        }
    }
    return true;
}

int MPIX_Comm_agree(MPI_Comm handle, int *flag)
{
    struct pri_comm *comm;
    int code = check(__func__, handle, flag, &comm);
    if (code != MPI_SUCCESS) {
        return code;
    }
    struct pri_vote *vote = vote_new(comm, *flag);
    int error = vote == NULL ? PRI_ERR_NOMEM : pri_agree(comm->mpi->self, comm->context, vote);
    if (error == PRI_OK) {
        *flag = vote->flag;
        error = all_acknowledged(vote, pri_comm_all(comm)->size) ? PRI_OK : PRI_ERR_PEER;
    }
    free(vote);
    return pri_result(comm, __func__, error);
}
ALIAS(Comm_agree);

/* ---- shrink ---- */

/* Those that have not failed. NULL: no memory. */
static struct pri_group *living(const struct pri_comm *comm, const struct pri_vote *vote)
{
    const struct pri_group *all = comm->group;
    struct pri_group *group = pri_group_new(all->size);
    if (group == NULL) {
        return NULL;
    }
    group->size = 0;
    for (int i = 0; i < all->size; i++) {
        if (!bit(vote->failed, i)) {
            group->ranks[group->size++] = all->ranks[i];
        }
    }
    pri_group_finish(group, comm->mpi->self);
    return group;
}

/* 0 or an error of the core. */
static int shrink(struct pri_comm *comm, const struct pri_vote *vote, MPI_Comm *shrunk)
{
    struct pri_group *group = living(comm, vote);
    struct pri_comm *made = group == NULL ? NULL : pri_comm_new(comm->mpi, group);
    if (made == NULL) {
        return PRI_ERR_NOMEM;
    }
    pri_comm_inherit(made, comm);
    int error = pri_comm_begin(made, vote->context, false);
    if (error == PRI_OK) {
        *shrunk = made;
    } else {
        pri_comm_release(made);
    }
    return error;
}

int MPIX_Comm_shrink(MPI_Comm handle, MPI_Comm *shrunk)
{
    struct pri_comm *comm;
    int code = check(__func__, handle, shrunk, &comm);
    if (code != MPI_SUCCESS) {
        return code;
    }
    *shrunk = MPI_COMM_NULL;
    if (comm->inter != NULL) {
        return pri_fail(comm, __func__,
                        pri_blame(MPI_ERR_COMM, "it is an intercommunicator; shrink its groups"));
    }
    struct pri_vote *vote = vote_new(comm, 0);
    int error = PRI_ERR_NOMEM;
    if (vote != NULL) {
        vote->context = 1;
        error = pri_agree(comm->mpi->self, comm->context, vote);
    }
    if (error == PRI_OK) {
        error = vote->error != 0 ? vote->error : shrink(comm, vote, shrunk);
    }
    free(vote);
    return pri_result(comm, __func__, error);
}
ALIAS(Comm_shrink);
