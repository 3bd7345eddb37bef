/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PRI_MPI_CHECK_H
#define PRI_MPI_CHECK_H

/* Arguments of messages: one test on the way in, and if it fails, out of line, which error it
 * was. */

#include "mpi/state.h"

static inline bool pri_bad_data(MPI_Count count, const struct pri_type *type)
{
    return count < 0 || type == NULL || !type->committed;
}

static inline bool pri_bad_send(const struct pri_comm *comm, pri_count count,
                                const struct pri_type *type, int dest, int tag)
{
    return comm == NULL || pri_bad_data(count, type) || tag < 0 ||
           ((unsigned)dest >= (unsigned)comm->team.size && dest != MPI_PROC_NULL);
}

/* Negative sources that mean something are -1 and -2, negative tags -1. */
static inline bool pri_bad_source(const struct pri_comm *comm, int source, int tag)
{
    return comm == NULL || tag < MPI_ANY_TAG || source < MPI_PROC_NULL || source >= comm->team.size;
}

static inline bool pri_bad_recv(const struct pri_comm *comm, pri_count count,
                                const struct pri_type *type, int source, int tag)
{
    return pri_bad_source(comm, source, tag) || pri_bad_data(count, type);
}

/* Data that would lie at address 0: an error of the core. */
int pri_null_data(void);
/* What is wrong with data; MPI_SUCCESS: nothing. */
int pri_data_class(MPI_Count count, const struct pri_type *type);
/* The class of what one of the others found. */
int pri_bad_class(const struct pri_comm *comm, MPI_Count count, const struct pri_type *type,
                  int peer, int tag, bool recv);

/* To whom; dest is a rank. */
static inline struct pri_where pri_to(const struct pri_comm *comm, int dest, int tag)
{
    return (struct pri_where){pri_comm_peer(comm, dest), comm->team.rank, tag, comm->context};
}

/* From whom; source is a rank or MPI_ANY_SOURCE. */
static inline struct pri_where pri_from(const struct pri_comm *comm, int source, int tag)
{
    int peer = source == MPI_ANY_SOURCE ? PRI_ANY_SOURCE : pri_comm_peer(comm, source);
    return (struct pri_where){peer, 0, tag, comm->context};
}

/* What core says of a message, as MPI's status, whose error only functions for several requests
 * set; status may be MPI_STATUS_IGNORE. */
static inline void pri_status_set(MPI_Status *status, const struct pri_status *from)
{
    if (status == MPI_STATUS_IGNORE) {
        return;
    }
    status->MPI_SOURCE = from->source;
    status->MPI_TAG = from->tag;
    status->presto_cancelled = from->cancelled;
    status->presto_bytes = from->bytes;
}

/* MPI's empty status, of what is no operation. */
static inline void pri_status_empty(MPI_Status *status)
{
    if (status != MPI_STATUS_IGNORE) {
        *status = (MPI_Status){MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_SUCCESS, 0, 0};
    }
}

/* Of a message from MPI_PROC_NULL. */
static inline void pri_status_nobody(MPI_Status *status)
{
    pri_status_set(status, &(struct pri_status){.source = PRI_PROC_NULL, .tag = PRI_ANY_TAG});
}

#endif
