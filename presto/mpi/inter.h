/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PRI_MPI_INTER_H
#define PRI_MPI_INTER_H

/* What makes an intercommunicator of a communicator. Its group is the local one. */

#include "coll/inter.h"
#include "mpi/state.h"

struct pri_intercomm {
    struct pri_inter core;
    struct pri_group *remote, *both;
    bool first; /* the own group is the first one of both */
};

/* A new one, without a context, which takes a reference of each group; NULL (and they are released)
 * when memory is short. */
struct pri_comm *pri_inter_new(struct pri_mpi *mpi, struct pri_group *local,
                               struct pri_group *remote, bool first);
/* Another of the same groups. */
struct pri_comm *pri_inter_copy(const struct pri_comm *comm);
/* One of the ranks of `local` and those of another communicator, whose leader the leader here,
 * which it has to know, exchanges messages with. Collective in both. 0 or an error of the core. */
int pri_inter_create(struct pri_comm *local, int leader, struct pri_where where,
                     struct pri_comm **out);
/* Instead of that, by the leader alone: the other group, which does that, gets the error. */
void pri_inter_refuse(struct pri_comm *local, struct pri_where where, int error);
/* What this rank has until then, 0 or an error of the core. Returns 0 if all of `local` that live
 * have that, and else an error in all of them. Collective. */
int pri_inter_agree(struct pri_comm *local, int error);
/* Whether ranks are in it that are not of the job. */
bool pri_comm_is_foreign(const struct pri_comm *comm);
/* It has a context: its teams. 0 or an error of the core. */
int pri_inter_begin(struct pri_comm *comm);
void pri_inter_free(struct pri_intercomm *inter); /* NULL is allowed */

/* The team of all its ranks, which agree on something. */
static inline struct pri_team *pri_comm_all(struct pri_comm *comm)
{
    return comm->inter != NULL ? &comm->inter->core.all : &comm->team;
}

#endif
