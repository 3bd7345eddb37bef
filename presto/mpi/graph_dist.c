/* SPDX-License-Identifier: BSD-3-Clause */
/* A graph of which any rank may give any edge: all edges go to all ranks, and each takes its
 * own. */
#include "mpi/check.h"

#include <stdlib.h>

struct edge {
    int from, to, weight;
};

/* The edges that this rank gives. MPI's code. */
static int check_given(const struct pri_comm *comm, int n, const int sources[], const int degrees[],
                       const int dests[])
{
    const struct pri_group *group = comm->group;
    int edge = 0;
    if (n < 0) {
        return MPI_ERR_ARG;
    }
    for (int i = 0; i < n; i++) {
        if (sources[i] < 0 || sources[i] >= group->size) {
            return MPI_ERR_RANK;
        }
        if (degrees[i] < 0) {
            return MPI_ERR_ARG;
        }
        for (int k = 0; k < degrees[i]; k++, edge++) {
            if (dests[edge] < 0 || dests[edge] >= group->size) {
                return MPI_ERR_RANK;
            }
        }
    }
    return MPI_SUCCESS;
}

static int count_given(int n, const int degrees[])
{
    int count = 0;
    for (int i = 0; i < n; i++) {
        count += degrees[i];
    }
    return count;
}

static void fill_given(struct edge *edges, int n, const int sources[], const int degrees[],
                       const int dests[], const int *weights)
{
    int edge = 0;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < degrees[i]; k++, edge++) {
            edges[edge] =
                (struct edge){sources[i], dests[edge], weights != NULL ? weights[edge] : 0};
        }
    }
}

/* All edges of all ranks, *count of them; to be freed. An error of the core. */
static int gather_all(struct pri_comm *comm, struct edge *mine, int given, struct edge **all,
                      int *count)
{
    int size = comm->team.size, bytes = given * (int)sizeof(*mine), total = 0;
    int *counts = malloc(2 * (size_t)size * sizeof(*counts));
    if (counts == NULL) {
        return PRI_ERR_NOMEM;
    }
    int *displs = counts + size;
    struct pri_some one = {&bytes, 1, MPI_INT}, each = {counts, 1, MPI_INT};
    int rc = pri_coll_allgather(&comm->team, one, each, NULL);
    for (int i = 0; rc == 0 && i < size; i++) {
        displs[i] = total;
        total += counts[i];
    }
    *all = rc == 0 ? malloc((size_t)total + 1) : NULL;
    if (rc == 0 && *all == NULL) {
        rc = PRI_ERR_NOMEM;
    }
    if (rc == 0) {
        struct pri_some in = {mine, (size_t)bytes, MPI_BYTE};
        struct pri_parts out = {.buf = *all, .counts = counts, .displs = displs, .type = MPI_BYTE};
        rc = pri_coll_allgatherv(&comm->team, in, &out, NULL);
    }
    *count = total / (int)sizeof(**all);
    free(counts);
    return rc;
}

/* This rank's neighbours on one side, and the weights of the edges; how many. */
static int choose(const struct edge *all, int count, int rank, bool incoming, int *ranks,
                  int *weights)
{
    int n = 0;
    for (int i = 0; i < count; i++) {
        if ((incoming ? all[i].to : all[i].from) == rank) {
            ranks[n] = incoming ? all[i].from : all[i].to;
            weights[n++] = all[i].weight;
        }
    }
    return n;
}

static int create(const char *function, struct pri_comm *comm, const struct edge *all, int count,
                  bool weighted, MPI_Info info, int reorder, MPI_Comm *out)
{
    int *room = malloc(4 * (size_t)(count + 1) * sizeof(*room)), rank = comm->team.rank;
    if (room == NULL) {
        return pri_fail(comm, function, MPI_ERR_NO_MEM);
    }
    int *sources = room, *in_weights = sources + count + 1;
    int *dests = in_weights + count + 1, *out_weights = dests + count + 1;
    int in = choose(all, count, rank, true, sources, in_weights);
    int to = choose(all, count, rank, false, dests, out_weights);
    int code = MPI_Dist_graph_create_adjacent(
        comm->handle, in, sources, weighted ? in_weights : MPI_UNWEIGHTED, to, dests,
        weighted ? out_weights : MPI_UNWEIGHTED, info, reorder, out);
    free(room);
    return code;
}

int MPI_Dist_graph_create(MPI_Comm handle, int n, const int sources[], const int degrees[],
                          const int dests[], const int *weights, MPI_Info info, int reorder,
                          MPI_Comm *out)
{
    struct pri_comm *comm = pri_intra_of(handle);
    int code = comm == NULL ? MPI_ERR_COMM : check_given(comm, n, sources, degrees, dests);
    if (code != MPI_SUCCESS) {
        return pri_fail(comm, __func__, code);
    }
    bool weighted = weights != MPI_UNWEIGHTED;
    int given = count_given(n, degrees), count;
    struct edge *mine = malloc((size_t)given * sizeof(*mine) + 1), *all = NULL;
    if (mine == NULL) {
        return pri_fail(comm, __func__, MPI_ERR_NO_MEM);
    }
    fill_given(mine, n, sources, degrees, dests,
               weighted && weights != MPI_WEIGHTS_EMPTY ? weights : NULL);
    int rc = gather_all(comm, mine, given, &all, &count);
    code = rc != 0 ? pri_result(comm, __func__, rc)
                   : create(__func__, comm, all, count, weighted, info, reorder, out);
    free(mine);
    free(all);
    return code;
}
PRI_ALIAS(Dist_graph_create);
