/* SPDX-License-Identifier: BSD-3-Clause */
/* Cartesian grids: the last dimension's neighbours have ranks next to each other. */
#include "mpi/topology.h"

static void coords_of(const struct pri_topology *cart, int rank, int *coords)
{
    for (int i = cart->dims - 1; i >= 0; i--) {
        coords[i] = rank % cart->dim[i];
        rank /= cart->dim[i];
    }
}

/* The rank at coordinates, which wrap where the grid does; MPI_PROC_NULL outside. */
static int rank_at(const struct pri_topology *cart, const int *coords)
{
    int rank = 0;
    for (int i = 0; i < cart->dims; i++) {
        int c = coords[i], n = cart->dim[i];
        if (cart->periodic[i]) {
            c = ((c % n) + n) % n;
        }
        if (c < 0 || c >= n) {
            return MPI_PROC_NULL;
        }
        rank = rank * n + c;
    }
    return rank;
}

/* The neighbour that is `by` steps away in a dimension. */
static int neighbour(const struct pri_topology *cart, int rank, int dimension, int by)
{
    int rest = 1, n = cart->dim[dimension];
    for (int i = dimension + 1; i < cart->dims; i++) {
        rest *= cart->dim[i];
    }
    int here = rank / rest % n;
    long long there = (long long)here + by;
    if (cart->periodic[dimension]) {
        there = ((there % n) + n) % n;
    }
    if (there < 0 || there >= n) {
        return MPI_PROC_NULL;
    }
    return rank + ((int)there - here) * rest;
}

void pri_cart_finish(struct pri_topology *cart, int rank)
{
    for (int i = 0; i < cart->dims; i++) {
        cart->source[2 * i] = cart->dest[2 * i] = neighbour(cart, rank, i, -1);
        cart->source[2 * i + 1] = cart->dest[2 * i + 1] = neighbour(cart, rank, i, 1);
    }
}

/* A grid, with its arrays not filled in; NULL when memory is short. */
static struct pri_topology *new_grid(int dims)
{
    return pri_topology_new((struct pri_topology){
        .kind = MPI_CART, .dims = dims, .sources = 2 * dims, .dests = 2 * dims});
}

/* The ranks of a grid; 0 if it makes no sense. */
static long long grid_size(int count, const int *dims)
{
    long long size = 1;
    for (int i = 0; i < count && size > 0; i++) {
        size = dims[i] > 0 && size <= INT32_MAX ? size * dims[i] : 0;
    }
    return count < 0 ? 0 : size;
}

int MPI_Cart_create(MPI_Comm handle, int count, const int dims[], const int periods[], int reorder,
                    MPI_Comm *out)
{
    (void)reorder; /* all ranks are as near to each other */
    struct pri_comm *comm = pri_intra_of(handle), *part;
    if (comm == NULL) {
        return pri_fail(NULL, __func__, MPI_ERR_COMM);
    }
    long long size = grid_size(count, dims);
    if (size < 1 || size > comm->team.size) {
        return pri_fail(comm, __func__, size < 1 ? MPI_ERR_DIMS : MPI_ERR_ARG);
    }
    int color = comm->team.rank < size ? 0 : MPI_UNDEFINED;
    int rc = pri_comm_split(comm, color, comm->team.rank, &part);
    if (rc == 0 && part != NULL) {
        part->topology = new_grid(count);
        if (part->topology == NULL) {
            return pri_fail(comm, __func__, MPI_ERR_NO_MEM);
        }
        for (int i = 0; i < count; i++) {
            part->topology->dim[i] = dims[i];
            part->topology->periodic[i] = periods[i] != 0;
        }
        pri_cart_finish(part->topology, part->team.rank);
    }
    if (rc == 0) {
        *out = part;
    }
    return pri_result(comm, __func__, rc);
}
PRI_ALIAS(Cart_create);

/* The communicator and its grid; an MPI code. */
static int cart_of(MPI_Comm handle, struct pri_comm **comm, struct pri_topology **cart)
{
    *comm = pri_comm_of(handle);
    if (*comm == NULL) {
        return MPI_ERR_COMM;
    }
    *cart = pri_cart_of(*comm);
    return *cart == NULL ? MPI_ERR_TOPOLOGY : MPI_SUCCESS;
}

int MPI_Cartdim_get(MPI_Comm handle, int *count)
{
    struct pri_comm *comm;
    struct pri_topology *cart;
    int code = cart_of(handle, &comm, &cart);
    if (code != MPI_SUCCESS) {
        return pri_fail(comm, __func__, code);
    }
    *count = cart->dims;
    return MPI_SUCCESS;
}
PRI_ALIAS(Cartdim_get);

int MPI_Cart_get(MPI_Comm handle, int room, int dims[], int periods[], int coords[])
{
    struct pri_comm *comm;
    struct pri_topology *cart;
    int code = cart_of(handle, &comm, &cart);
    if (code == MPI_SUCCESS && room < cart->dims) {
        code = MPI_ERR_ARG;
    }
    if (code != MPI_SUCCESS) {
        return pri_fail(comm, __func__, code);
    }
    for (int i = 0; i < cart->dims; i++) {
        dims[i] = cart->dim[i];
        periods[i] = cart->periodic[i];
    }
    coords_of(cart, comm->team.rank, coords);
    return MPI_SUCCESS;
}
PRI_ALIAS(Cart_get);

int MPI_Cart_rank(MPI_Comm handle, const int coords[], int *rank)
{
    struct pri_comm *comm;
    struct pri_topology *cart;
    int code = cart_of(handle, &comm, &cart);
    if (code == MPI_SUCCESS && (*rank = rank_at(cart, coords)) == MPI_PROC_NULL) {
        code = MPI_ERR_ARG;
    }
    return code == MPI_SUCCESS ? code : pri_fail(comm, __func__, code);
}
PRI_ALIAS(Cart_rank);

int MPI_Cart_coords(MPI_Comm handle, int rank, int room, int coords[])
{
    struct pri_comm *comm;
    struct pri_topology *cart;
    int code = cart_of(handle, &comm, &cart);
    if (code == MPI_SUCCESS && (rank < 0 || rank >= comm->team.size)) {
        code = MPI_ERR_RANK;
    }
    if (code == MPI_SUCCESS && room < cart->dims) {
        code = MPI_ERR_ARG;
    }
    if (code != MPI_SUCCESS) {
        return pri_fail(comm, __func__, code);
    }
    coords_of(cart, rank, coords);
    return MPI_SUCCESS;
}
PRI_ALIAS(Cart_coords);

int MPI_Cart_shift(MPI_Comm handle, int dimension, int by, int *source, int *dest)
{
    struct pri_comm *comm;
    struct pri_topology *cart;
    int code = cart_of(handle, &comm, &cart);
    if (code == MPI_SUCCESS && (dimension < 0 || dimension >= cart->dims)) {
        code = MPI_ERR_ARG;
    }
    if (code != MPI_SUCCESS) {
        return pri_fail(comm, __func__, code);
    }
    *source = neighbour(cart, comm->team.rank, dimension, -by);
    *dest = neighbour(cart, comm->team.rank, dimension, by);
    return MPI_SUCCESS;
}
PRI_ALIAS(Cart_shift);

int MPI_Cart_sub(MPI_Comm handle, const int remains[], MPI_Comm *out)
{
    struct pri_comm *comm, *part;
    struct pri_topology *cart;
    int code = cart_of(handle, &comm, &cart);
    if (code != MPI_SUCCESS) {
        return pri_fail(comm, __func__, code);
    }
    /* Ranks whose coordinates agree in the dimensions that go away stay together. */
    int color = 0, key = 0, rank = comm->team.rank, kept = 0;
    for (int i = 0, rest = comm->team.size; i < cart->dims; i++) {
        rest /= cart->dim[i];
        int c = rank / rest % cart->dim[i];
        int *number = remains[i] ? &key : &color;
        *number = *number * cart->dim[i] + c;
        kept += remains[i] != 0;
    }
    struct pri_topology *grid = new_grid(kept);
    if (grid == NULL) {
        return pri_fail(comm, __func__, MPI_ERR_NO_MEM);
    }
    for (int i = 0, n = 0; i < cart->dims; i++) {
        if (!remains[i]) {
            continue;
        }
        grid->dim[n] = cart->dim[i];
        grid->periodic[n++] = cart->periodic[i];
    }
    int rc = pri_comm_split(comm, color, key, &part);
    if (rc == 0) {
        part->topology = grid;
        pri_cart_finish(grid, part->team.rank);
        *out = part;
    } else {
        pri_topology_free(grid);
    }
    return pri_result(comm, __func__, rc);
}
PRI_ALIAS(Cart_sub);

int MPI_Cart_map(MPI_Comm handle, int count, const int dims[], const int periods[], int *rank)
{
    (void)periods;
    struct pri_comm *comm = pri_intra_of(handle);
    if (comm == NULL) {
        return pri_fail(NULL, __func__, MPI_ERR_COMM);
    }
    long long size = grid_size(count, dims);
    if (size < 1 || size > comm->team.size) {
        return pri_fail(comm, __func__, size < 1 ? MPI_ERR_DIMS : MPI_ERR_ARG);
    }
    *rank = comm->team.rank < size ? comm->team.rank : MPI_UNDEFINED;
    return MPI_SUCCESS;
}
PRI_ALIAS(Cart_map);
