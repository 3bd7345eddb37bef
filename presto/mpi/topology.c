/* SPDX-License-Identifier: BSD-3-Clause */
/* Topologies as such, and the factors of a grid. */
#include "mpi/topology.h"

#include <stdlib.h>
#include <string.h>

/* The arrays, one behind the other. Returns how many integers they take. */
static size_t set_pointers(struct pri_topology *t)
{
    size_t n = 0;
    t->dim = t->array + n;
    t->periodic = t->dim + t->dims;
    n += 2 * (size_t)t->dims;
    t->index = t->array + n;
    t->edge = t->index + t->nodes;
    n += (size_t)t->nodes + (size_t)t->edges;
    t->source = t->array + n;
    t->dest = t->source + t->sources;
    n += (size_t)t->sources + (size_t)t->dests;
    t->source_weight = t->array + n;
    t->dest_weight = t->source_weight + t->sources;
    return n + (size_t)t->sources + (size_t)t->dests;
}

struct pri_topology *pri_topology_new(struct pri_topology like)
{
    size_t bytes = sizeof(like) + set_pointers(&like) * sizeof(int);
    struct pri_topology *topology = calloc(1, bytes);
    if (topology == NULL) {
        return NULL;
    }
    *topology = like;
    topology->bytes = bytes;
    set_pointers(topology);
    return topology;
}

struct pri_topology *pri_topology_copy(const struct pri_topology *topology)
{
    struct pri_topology *copy = malloc(topology->bytes);
    if (copy == NULL) {
        return NULL;
    }
    memcpy(copy, topology, topology->bytes);
    set_pointers(copy);
    return copy;
}

int pri_neighbors_of(const struct pri_comm *comm, struct pri_neighbors *neighbors)
{
    if (comm == NULL) {
        return MPI_ERR_COMM;
    }
    const struct pri_topology *t = comm->topology;
    if (t == NULL) {
        return MPI_ERR_TOPOLOGY;
    }
    *neighbors =
        (struct pri_neighbors){t->sources, t->dests, t->source, t->dest, t->kind == MPI_CART};
    return MPI_SUCCESS;
}

void pri_topology_free(struct pri_topology *topology)
{
    free(topology);
}

int MPI_Topo_test(MPI_Comm handle, int *kind)
{
    struct pri_comm *comm = pri_comm_of(handle);
    if (comm == NULL) {
        return pri_fail(NULL, __func__, MPI_ERR_COMM);
    }
    *kind = comm->topology != NULL ? comm->topology->kind : MPI_UNDEFINED;
    return MPI_SUCCESS;
}
PRI_ALIAS(Topo_test);
