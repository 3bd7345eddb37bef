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
    if (topology == NULL)
        return NULL;
    *topology = like;
    topology->bytes = bytes;
    set_pointers(topology);
    return topology;
}

struct pri_topology *pri_topology_copy(const struct pri_topology *topology)
{
    struct pri_topology *copy = malloc(topology->bytes);
    if (copy == NULL)
        return NULL;
    memcpy(copy, topology, topology->bytes);
    set_pointers(copy);
    return copy;
}

int pri_neighbors_of(const struct pri_comm *comm, struct pri_neighbors *neighbors)
{
    if (comm == NULL)
        return MPI_ERR_COMM;
    const struct pri_topology *t = comm->topology;
    if (t == NULL)
        return MPI_ERR_TOPOLOGY;
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
    if (comm == NULL)
        return pri_fail(NULL, __func__, MPI_ERR_COMM);
    *kind = comm->topology != NULL ? comm->topology->kind : MPI_UNDEFINED;
    return MPI_SUCCESS;
}
PRI_ALIAS(Topo_test);

/* The largest factor of n that is at most its k-th root, so that the other dimensions are not smaller than it. */
static int smallest_side(int n, int k)
{
    int best = 1;
    for (int f = 1; f <= n; f++) {
        long long power = 1;
        for (int i = 0; i < k && power <= n; i++)
            power *= f;
        if (power > n)
            break;
        if (n % f == 0)
            best = f;
    }
    return best;
}

/* n as a product of k factors that are as near to each other as this finds them, largest first. */
static void factorise(int n, int k, int *factor)
{
    for (int i = k - 1; i > 0; i--) {
        factor[i] = smallest_side(n, i + 1);
        n /= factor[i];
    }
    factor[0] = n;
    for (int i = 1; i < k; i++) /* few: by insertion */
        for (int j = i; j > 0 && factor[j] > factor[j - 1]; j--) {
            int swap = factor[j];
            factor[j] = factor[j - 1];
            factor[j - 1] = swap;
        }
}

int MPI_Dims_create(int ranks, int count, int dims[])
{
    int open = 0, rest = ranks;
    if (ranks < 1 || count < 0)
        return pri_fail(NULL, __func__, MPI_ERR_ARG);
    for (int i = 0; i < count; i++) {
        if (dims[i] < 0 || (dims[i] > 0 && rest % dims[i] != 0))
            return pri_fail(NULL, __func__, MPI_ERR_DIMS);
        open += dims[i] == 0;
        rest /= dims[i] > 0 ? dims[i] : 1;
    }
    if (open == 0)
        return rest == 1 || count == 0 ? MPI_SUCCESS : pri_fail(NULL, __func__, MPI_ERR_DIMS);
    int *factor = malloc((size_t)open * sizeof(*factor));
    if (factor == NULL)
        return pri_fail(NULL, __func__, MPI_ERR_NO_MEM);
    factorise(rest, open, factor);
    for (int i = 0, next = 0; i < count; i++)
        if (dims[i] == 0)
            dims[i] = factor[next++];
    free(factor);
    return MPI_SUCCESS;
}
PRI_ALIAS(Dims_create);
