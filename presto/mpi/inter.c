/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Intercommunicators. The team of one is the other group, with this rank's number in its own one:
 * so messages need to know nothing else. Collective operations, and what is agreed upon, use the
 * team of both groups, in the plane of the same context.
 */
#include "mpi/inter.h"

#include <stdlib.h>
#include <string.h>

#include "core/later.h"
#include "mpi/check.h"

/* ---- life ------------------------------------------------------------------------------------ */

static struct pri_group *join(const struct pri_group *first, const struct pri_group *second,
                              struct pri_rank *self)
{
    struct pri_group *both = pri_group_new(first->size + second->size);
    if (both == NULL) {
        return NULL;
    }
    memcpy(both->ranks, first->ranks, (size_t)first->size * sizeof(int));
    memcpy(both->ranks + first->size, second->ranks, (size_t)second->size * sizeof(int));
    pri_group_finish(both, self);
    return both;
}

struct pri_comm *pri_inter_new(struct pri_mpi *mpi, struct pri_group *local,
                               struct pri_group *remote, bool first)
{
    struct pri_intercomm *inter = calloc(1, sizeof(*inter));
    struct pri_comm *comm = pri_comm_new(mpi, local);
    if (inter != NULL) {
        inter->both = first ? join(local, remote, mpi->self) : join(remote, local, mpi->self);
    }
    if (comm == NULL || inter == NULL || inter->both == NULL) {
        free(inter);
        pri_group_release(remote);
        if (comm != NULL) {
            pri_comm_release(comm);
        }
        return NULL;
    }
    inter->remote = remote;
    inter->first = first;
    inter->core = (struct pri_inter){.local = first ? 0 : remote->size,
                                     .locals = local->size,
                                     .remote = first ? local->size : 0,
                                     .remotes = remote->size};
    inter->core.all = (struct pri_team){
        .self = mpi->self, .rank = inter->core.local + local->rank, .size = inter->both->size};
    comm->inter = inter;
    return comm;
}

void pri_inter_free(struct pri_intercomm *inter)
{
    if (inter == NULL) {
        return;
    }
    pri_group_release(inter->remote);
    pri_group_release(inter->both);
    free(inter);
}

struct pri_comm *pri_inter_copy(const struct pri_comm *comm)
{
    pri_group_retain(comm->group);
    pri_group_retain(comm->inter->remote);
    return pri_inter_new(comm->mpi, comm->group, comm->inter->remote, comm->inter->first);
}

int pri_inter_begin(struct pri_comm *comm)
{
    struct pri_intercomm *inter = comm->inter;
    int rc = pri_team_init(&inter->core.all, comm->mpi->self, comm->context, inter->core.all.rank,
                           inter->both->size, inter->both->ranks);
    comm->team = (struct pri_team){.self = comm->mpi->self,
                                   .rank = comm->group->rank,
                                   .size = inter->remote->size,
                                   .members = inter->remote->ranks,
                                   .context = inter->core.all.context,
                                   .inter = &inter->core};
    return rc;
}

/* ---- making them ----------------------------------------------------------------------------- */

/* What the leaders tell each other, and then their groups. */
struct card {
    uint32_t context;
    int size;  /* of the other group */
    int first; /* whether the own group is the first of both */
    int error; /* of the core */
};

/* A message between leaders, with a tag that no application's message has. */
static int swap(struct pri_rank *self, struct pri_where where, const void *out, size_t out_bytes,
                void *in, size_t in_bytes)
{
    struct pri_request sent, received;
    int rc = pri_irecv(self, in, in_bytes, where, &received);
    int error = pri_isend(self, out, out_bytes, where, PRI_STANDARD, &sent);
    if (error == 0) {
        error = pri_wait(&sent);
    }
    if (rc == 0) {
        rc = pri_wait(&received);
    }
    return rc != 0 ? rc : error;
}

/* The leader's part: both tell each other their groups. The first rank's context is taken, the
 * other's given back. */
static void meet_leader(struct pri_comm *local, struct pri_where where, struct card *card,
                        struct pri_group **remote)
{
    struct pri_rank *self = local->mpi->self;
    struct card mine = {.size = local->group->size};
    mine.error = pri_context_take(self, &mine.context);
    bool taken = mine.error == 0;
    int rc = swap(self, where, &mine, sizeof(mine), card, sizeof(*card));
    card->error = rc != 0 ? rc : (mine.error != 0 ? mine.error : card->error);
    if (rc == 0 && card->error == 0) {
        *remote = pri_group_new(card->size);
        rc = swap(self, where, local->group->ranks, (size_t)local->group->size * sizeof(int),
                  *remote != NULL ? (*remote)->ranks : NULL,
                  *remote != NULL ? (size_t)card->size * sizeof(int) : 0);
        card->error = *remote == NULL ? PRI_ERR_NOMEM : rc;
    }
    card->first = self->rank < where.peer;
    if (card->first) {
        card->context = mine.context;
    }
    if (taken && (!card->first || card->error != 0)) {
        pri_context_give(self, mine.context);
    }
}

enum { WELL = 1, HAS_MEMORY = 2 };

int pri_inter_agree(struct pri_comm *local, int error)
{
    struct pri_vote *vote = calloc(1, PRI_VOTE_BYTES(local->team.size));
    if (vote == NULL) {
        return PRI_ERR_NOMEM;
    }
    vote->flag = (error == 0 ? WELL : 0) | (error == PRI_ERR_NOMEM ? 0 : HAS_MEMORY);
    int rc = pri_agree(local->mpi->self, local->context, vote);
    if (rc == 0 && (vote->flag & WELL) == 0) {
        rc = (vote->flag & HAS_MEMORY) != 0 ? PRI_ERR_PEER : PRI_ERR_NOMEM;
    }
    free(vote);
    return error != 0 ? error : rc;
}

/* The others get from the leader what it knows. An error of the core, in all if in one, but for the
 * ranks of the other group. */
static int tell_group(struct pri_comm *local, int leader, struct card *card,
                      struct pri_group **remote)
{
    int rc = pri_coll_bcast(&local->team, card, sizeof(*card), MPI_BYTE, leader, NULL);
    if (rc == 0) {
        rc = card->error;
    }
    if (rc == 0 && *remote == NULL && (*remote = pri_group_new(card->size)) == NULL) {
        rc = PRI_ERR_NOMEM;
    }
    rc = pri_inter_agree(local, rc);
    if (rc == 0) {
        rc = pri_coll_bcast(&local->team, (*remote)->ranks, (size_t)card->size * sizeof(int),
                            MPI_BYTE, leader, NULL);
    }
    return rc;
}

/* Whether both groups can go on; error: what this rank has until then. An error of the core, in all
 * ranks of both that live if in one. */
static int agree_with(struct pri_comm *local, int leader, struct pri_where where, int error)
{
    int other = 0;
    error = pri_inter_agree(local, error);
    if (local->team.rank == leader) {
        int rc = swap(local->mpi->self, where, &error, sizeof(error), &other, sizeof(other));
        other = rc != 0 ? rc : other;
    }
    int rc = pri_coll_bcast(&local->team, &other, sizeof(other), MPI_BYTE, leader, NULL);
    return pri_inter_agree(local, error != 0 ? error : rc != 0 ? rc : other);
}

void pri_inter_refuse(struct pri_comm *local, struct pri_where where, int error)
{
    struct card mine = {.error = error}, card;
    int other;
    if (swap(local->mpi->self, where, &mine, sizeof(mine), &card, sizeof(card)) == 0) {
        (void)swap(local->mpi->self, where, &error, sizeof(error), &other, sizeof(other));
    }
}

/* The intercommunicator without its context. */
static int make(struct pri_comm *local, struct pri_group **remote, bool first,
                struct pri_comm **made)
{
    pri_group_finish(*remote, local->mpi->self);
    int rc = pri_peers_know(local->mpi->self, (*remote)->ranks, (*remote)->size);
    if (rc != 0) {
        return rc;
    }
    pri_group_retain(local->group);
    *made = pri_inter_new(local->mpi, local->group, *remote, first);
    *remote = NULL; /* held, or released */
    return *made != NULL ? 0 : PRI_ERR_NOMEM;
}

/* Whether what only the leader gives makes sense. */
static int check_leader(const struct pri_comm *peer, int remote_leader, int tag)
{
    if (peer == NULL) {
        return MPI_ERR_COMM;
    }
    if (remote_leader < 0 || remote_leader >= peer->team.size) {
        return MPI_ERR_RANK;
    }
    return tag < 0 ? MPI_ERR_TAG : MPI_SUCCESS;
}

int pri_inter_create(struct pri_comm *local, int leader, struct pri_where where,
                     struct pri_comm **out)
{
    struct pri_group *remote = NULL;
    struct pri_comm *made = NULL;
    struct card card = {0};
    if (local->team.rank == leader) {
        meet_leader(local, where, &card, &remote);
    }
    int rc = tell_group(local, leader, &card, &remote);
    rc = rc == 0 ? make(local, &remote, card.first != 0, &made) : rc;
    rc = agree_with(local, leader, where, rc);
    if (rc != 0) {
        if (remote != NULL) {
            pri_group_release(remote);
        }
        if (made != NULL) {
            pri_comm_release(made);
        }
        if (local->team.rank == leader && card.error == 0 && card.first) {
            pri_context_give(local->mpi->self, card.context);
        }
        return rc;
    }
    pri_comm_inherit(made, local);
    *out = made;
    return pri_comm_begin(made, card.context, local->team.rank == leader && card.first);
}

int MPI_Intercomm_create(MPI_Comm handle, int leader, MPI_Comm peer, int remote_leader, int tag,
                         MPI_Comm *out)
{
    struct pri_comm *local = pri_intra_of(handle), *way;
    struct pri_where where = {.tag = -2 - (tag & 0x3fffffff)};
    if (local == NULL || out == NULL) {
        return pri_fail(local, __func__, local == NULL ? MPI_ERR_COMM : pri_no_place(out));
    }
    if (leader < 0 || leader >= local->team.size) {
        return pri_fail(
            local, __func__,
            pri_blame_value(MPI_ERR_RANK, "the leader", leader, 0, local->team.size - 1));
    }
    if (local->team.rank == leader) {
        way = pri_comm_of(peer);
        int code = check_leader(way, remote_leader, tag);
        if (code != MPI_SUCCESS) {
            return pri_fail(local, __func__, code);
        }
        where.peer = pri_comm_peer(way, remote_leader);
        where.context = way->context | PRI_COLL;
        if (where.peer == local->mpi->self->rank) {
            return pri_fail(local, __func__, MPI_ERR_RANK);
        }
    }
    *out = MPI_COMM_NULL;
    return pri_result(local, __func__, pri_inter_create(local, leader, where, out));
}
PRI_ALIAS(Intercomm_create);

/* Which of both groups comes first in a merged one: the one that does not want to be high, or, if
 * they agree, the one that is first here. */
static struct pri_comm *merged(struct pri_comm *comm, int first_high, int second_high)
{
    const struct pri_intercomm *inter = comm->inter;
    const struct pri_group *first = inter->first ? comm->group : inter->remote;
    const struct pri_group *second = inter->first ? inter->remote : comm->group;
    bool turned = first_high && !second_high;
    struct pri_group *group =
        turned ? join(second, first, comm->mpi->self) : join(first, second, comm->mpi->self);
    return group != NULL ? pri_comm_new(comm->mpi, group) : NULL;
}

/* What each rank says about a merge; the context is rank 0's of both groups. */
struct vote {
    uint32_t context;
    int high, error;
};

static int merge(struct pri_comm *comm, int high, struct pri_comm **out)
{
    struct pri_inter *inter = &comm->inter->core;
    struct pri_rank *self = comm->mpi->self;
    struct vote mine = {.high = high != 0}, *all = calloc((size_t)inter->all.size, sizeof(*all));
    bool leads = inter->all.rank == 0;
    if (leads) {
        mine.error = pri_context_take(self, &mine.context);
    }
    struct pri_some in = {&mine, sizeof(mine), MPI_BYTE}, out_some = {all, sizeof(mine), MPI_BYTE};
    int rc = all == NULL ? PRI_ERR_NOMEM : pri_coll_allgather(&inter->all, in, out_some, NULL);
    if (rc == 0) {
        rc = all[0].error;
    }
    if (rc == 0) {
        int second = inter->local == 0 ? inter->locals : inter->remotes;
        struct pri_comm *made = merged(comm, all[0].high, all[second].high);
        rc = PRI_ERR_NOMEM;
        if (made != NULL) {
            pri_comm_inherit(made, comm);
            *out = made;
            rc = pri_comm_begin(made, all[0].context, leads);
        }
    }
    free(all);
    return rc;
}

int MPI_Intercomm_merge(MPI_Comm handle, int high, MPI_Comm *out)
{
    struct pri_comm *comm = pri_comm_of(handle);
    if (comm == NULL || comm->inter == NULL || out == NULL) {
        return pri_fail(comm, __func__, out == NULL ? pri_no_place(out) : MPI_ERR_COMM);
    }
    return pri_result(comm, __func__, merge(comm, high, out));
}
PRI_ALIAS(Intercomm_merge);

/* ---- looking at them ------------------------------------------------------------------------- */

int MPI_Comm_test_inter(MPI_Comm handle, int *flag)
{
    struct pri_comm *comm = pri_comm_of(handle);
    if (comm == NULL) {
        return pri_fail(NULL, __func__, MPI_ERR_COMM);
    }
    *flag = comm->inter != NULL;
    return MPI_SUCCESS;
}
PRI_ALIAS(Comm_test_inter);

int MPI_Comm_remote_size(MPI_Comm handle, int *size)
{
    struct pri_comm *comm = pri_comm_of(handle);
    if (comm == NULL || comm->inter == NULL) {
        return pri_fail(comm, __func__, MPI_ERR_COMM);
    }
    *size = comm->inter->remote->size;
    return MPI_SUCCESS;
}
PRI_ALIAS(Comm_remote_size);

int MPI_Comm_remote_group(MPI_Comm handle, MPI_Group *group)
{
    struct pri_comm *comm = pri_comm_of(handle);
    if (comm == NULL || comm->inter == NULL) {
        return pri_fail(comm, __func__, MPI_ERR_COMM);
    }
    pri_group_retain(comm->inter->remote);
    *group = comm->inter->remote;
    return MPI_SUCCESS;
}
PRI_ALIAS(Comm_remote_group);
