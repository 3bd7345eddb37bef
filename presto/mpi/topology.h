/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PRI_MPI_TOPOLOGY_H
#define PRI_MPI_TOPOLOGY_H

/* What a communicator's ranks are to each other. One block of memory, in which the arrays lie
 * behind the struct. */

#include "mpi/state.h"

struct pri_topology {
    int kind;     /* MPI_CART, MPI_GRAPH, MPI_DIST_GRAPH */
    size_t bytes; /* of all of it */

    /* A grid */
    int dims;
    int *dim;      /* [dims]: ranks in each dimension */
    int *periodic; /* [dims]: 0 or 1 */

    /* A graph that all ranks know */
    int nodes, edges;
    int *index; /* [nodes]: behind the last of each node's edges */
    int *edge;  /* [edges]: neighbours */

    /* This rank's neighbours: in a grid, below and above in each dimension, or MPI_PROC_NULL */
    int sources, dests;
    int *source, *dest;
    bool weighted;
    int *source_weight, *dest_weight; /* [sources], [dests] if it is weighted */

    int array[];
};

/* A topology with so many of each, whose arrays are not filled in; NULL when memory is short. */
struct pri_topology *pri_topology_new(struct pri_topology like);

/* The grid of a communicator's rank is filled in: finds its neighbours. */
void pri_cart_finish(struct pri_topology *cart, int rank);

/* The communicator's grid; NULL if it has none. */
static inline struct pri_topology *pri_cart_of(const struct pri_comm *comm)
{
    return comm->topology != NULL && comm->topology->kind == MPI_CART ? comm->topology : NULL;
}

/* This rank's neighbours; an MPI code. comm may be NULL. */
int pri_neighbors_of(const struct pri_comm *comm, struct pri_neighbors *neighbors);

#endif
