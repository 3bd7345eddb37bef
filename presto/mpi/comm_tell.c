/* SPDX-License-Identifier: BSD-3-Clause */
/* What communicators are called where the core tells of a wait. */
#include <stdio.h>

#include "mpi/inter.h"

void pri_comm_enlist(struct pri_comm *comm)
{
    struct pri_mpi *mpi = comm->mpi;

    pthread_mutex_lock(&mpi->lock);
    ni_list_push_back(&mpi->comms, &comm->all);
    pthread_mutex_unlock(&mpi->lock);
}

void pri_comm_unlist(struct pri_comm *comm)
{
    struct pri_mpi *mpi = comm->mpi;

    pthread_mutex_lock(&mpi->lock);
    ni_list_remove(&comm->all);
    pthread_mutex_unlock(&mpi->lock);
}

static void name_comm(const struct pri_comm *comm, char *text, size_t size)
{
    if (comm->name[0] != '\0') {
        snprintf(text, size, "communicator %s", comm->name);
    } else {
        snprintf(text, size, "communicator %u of %d ranks", (unsigned)comm->context / 2,
                 comm->inter != NULL ? comm->inter->both->size : comm->group->size);
    }
}

static void name_context(const struct pri_rank *self, uint32_t context, char *text, size_t size)
{
    struct pri_mpi *mpi = self->user[PRI_USER_MPI];

    /* Another thread that has it will not keep it; the number alone will do. */
    if (mpi == NULL || pthread_mutex_trylock(&mpi->lock) != 0) {
        return;
    }
    for (NI_LIST_EACH(node, &mpi->comms)) {
        const struct pri_comm *comm = ni_container_of(node, struct pri_comm, all);

        if (comm->context == context) {
            name_comm(comm, text, size);
        }
    }
    pthread_mutex_unlock(&mpi->lock);
}

void pri_comms_tell(struct pri_mpi *mpi, bool yes)
{
    pri_context_namer(mpi->self, yes ? name_context : NULL);
}
