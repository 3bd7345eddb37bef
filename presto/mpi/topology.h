/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PRI_MPI_TOPOLOGY_H
#define PRI_MPI_TOPOLOGY_H

/* What a communicator's ranks are to each other. One block of memory, in which the arrays lie behind the struct. */

#include "mpi/state.h"

struct pri_topology {
    int kind;      /* MPI_CART */
    size_t bytes;  /* of all of it */
    int dims;      /* dimensions */
    int *dim;      /* [dims]: ranks in each */
    int *periodic; /* [dims]: 0 or 1 */
    int array[];
};

/* A grid, with its arrays not filled in; NULL when memory is short. */
struct pri_topology *pri_cart_new(int dims);

/* The communicator's grid; NULL if it has none. */
static inline struct pri_topology *pri_cart_of(const struct pri_comm *comm)
{
    return comm->topology != NULL && comm->topology->kind == MPI_CART ? comm->topology : NULL;
}

#endif
