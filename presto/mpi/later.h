/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PRI_MPI_LATER_H
#define PRI_MPI_LATER_H

/* Ranks that come later, and those of other jobs: what its functions share. */

#include "core/later.h"
#include "mpi/inter.h"

/* Of a rank that was started by others: MPI_Comm_get_parent's communicator. 0 or an error of the
 * core. */
int pri_parent_begin(struct pri_mpi *mpi);

/* The root has found out something, with a code of MPI's, or whom to meet: all that live get it, or
 * none. 0 or an error of the core: then also whom the root was to meet is told. */
int pri_later_tell(struct pri_comm *comm, int root, void *found, size_t size,
                   const struct pri_where *where);

/* Words for pri_blame that are put together: of this thread, until the next. */
const char *pri_later_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Whether there is no launcher that serves it: then a code of this class, with the remedy. */
int pri_later_check(const struct pri_mpi *mpi, int code);

/* Where the leaders of two jobs meet: in a context that both know, with a tag of their own. */
static inline struct pri_where pri_later_where(int peer, uint32_t context)
{
    return (struct pri_where){.peer = peer, .tag = -2, .context = context | PRI_COLL};
}

#endif
