/* SPDX-License-Identifier: BSD-3-Clause */
/* Topologies as such, and the factors of a grid. */
#include "mpi/topology.h"

#include <stdlib.h>
#include <string.h>

static void set_pointers(struct pri_topology *topology)
{
    topology->dim = topology->array;
    topology->periodic = topology->array + topology->dims;
}

struct pri_topology *pri_cart_new(int dims)
{
    size_t bytes = sizeof(struct pri_topology) + 2 * (size_t)dims * sizeof(int);
    struct pri_topology *topology = calloc(1, bytes);
    if (topology == NULL)
        return NULL;
    topology->kind = MPI_CART;
    topology->bytes = bytes;
    topology->dims = dims;
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
