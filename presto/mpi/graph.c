/* SPDX-License-Identifier: BSD-3-Clause */
/* Graphs: those that each rank knows as a whole, and those of which each knows its own edges. */
#include "mpi/topology.h"

#include <string.h>

/* The communicator and its graph of a kind; an MPI code. */
static int graph_of(MPI_Comm handle, int kind, struct pri_comm **comm, struct pri_topology **graph)
{
    *comm = pri_comm_of(handle);
    if (*comm == NULL) {
        return MPI_ERR_COMM;
    }
    *graph = (*comm)->topology;
    return *graph == NULL || (*graph)->kind != kind ? MPI_ERR_TOPOLOGY : MPI_SUCCESS;
}

/* As many as are there and fit. */
static void copy_some(int *to, int room, const int *from, int n)
{
    if (room > 0 && n > 0) {
        memcpy(to, from, (size_t)(room < n ? room : n) * sizeof(int));
    }
}

/* ---- graphs known to all ---- */

/* Where a node's edges begin. */
static int first_edge(const int *index, int node)
{
    return node == 0 ? 0 : index[node - 1];
}

static int check_graph(const struct pri_comm *comm, int nodes, const int *index, const int *edges)
{
    if (nodes < 0 || nodes > comm->team.size) {
        return MPI_ERR_ARG;
    }
    for (int i = 0; i < nodes; i++) {
        if (index[i] < first_edge(index, i)) {
            return MPI_ERR_ARG;
        }
    }
    for (int i = 0; nodes > 0 && i < index[nodes - 1]; i++) {
        if (edges[i] < 0 || edges[i] >= nodes) {
            return MPI_ERR_RANK;
        }
    }
    return MPI_SUCCESS;
}

/* The graph as one rank of it sees it; NULL when memory is short. */
static struct pri_topology *new_graph(int rank, int nodes, const int *index, const int *edges)
{
    int first = first_edge(index, rank), n = index[rank] - first;
    struct pri_topology *graph = pri_topology_new((struct pri_topology){
        .kind = MPI_GRAPH, .nodes = nodes, .edges = index[nodes - 1], .sources = n, .dests = n});
    if (graph == NULL) {
        return NULL;
    }
    copy_some(graph->index, nodes, index, nodes);
    copy_some(graph->edge, graph->edges, edges, graph->edges);
    copy_some(graph->source, n, graph->edge + first, n);
    copy_some(graph->dest, n, graph->edge + first, n);
    return graph;
}

int MPI_Graph_create(MPI_Comm handle, int nodes, const int index[], const int edges[], int reorder,
                     MPI_Comm *out)
{
    (void)reorder; /* all ranks are as near to each other */
    struct pri_comm *comm = pri_intra_of(handle), *part;
    int code = comm == NULL ? MPI_ERR_COMM : check_graph(comm, nodes, index, edges);
    if (code != MPI_SUCCESS) {
        return pri_fail(comm, __func__, code);
    }
    int color = comm->team.rank < nodes ? 0 : MPI_UNDEFINED;
    int rc = pri_comm_split(comm, color, comm->team.rank, &part);
    if (rc == 0 && part != NULL &&
        (part->topology = new_graph(part->team.rank, nodes, index, edges)) == NULL) {
        rc = PRI_ERR_NOMEM;
    }
    if (rc == 0) {
        *out = part;
    }
    return pri_result(comm, __func__, rc);
}
PRI_ALIAS(Graph_create);

int MPI_Graphdims_get(MPI_Comm handle, int *nodes, int *edges)
{
    struct pri_comm *comm;
    struct pri_topology *graph;
    int code = graph_of(handle, MPI_GRAPH, &comm, &graph);
    if (code != MPI_SUCCESS) {
        return pri_fail(comm, __func__, code);
    }
    *nodes = graph->nodes;
    *edges = graph->edges;
    return MPI_SUCCESS;
}
PRI_ALIAS(Graphdims_get);

int MPI_Graph_get(MPI_Comm handle, int index_room, int edges_room, int index[], int edges[])
{
    struct pri_comm *comm;
    struct pri_topology *graph;
    int code = graph_of(handle, MPI_GRAPH, &comm, &graph);
    if (code != MPI_SUCCESS) {
        return pri_fail(comm, __func__, code);
    }
    copy_some(index, index_room, graph->index, graph->nodes);
    copy_some(edges, edges_room, graph->edge, graph->edges);
    return MPI_SUCCESS;
}
PRI_ALIAS(Graph_get);

int MPI_Graph_neighbors_count(MPI_Comm handle, int rank, int *count)
{
    struct pri_comm *comm;
    struct pri_topology *graph;
    int code = graph_of(handle, MPI_GRAPH, &comm, &graph);
    if (code == MPI_SUCCESS && (rank < 0 || rank >= graph->nodes)) {
        code = MPI_ERR_RANK;
    }
    if (code != MPI_SUCCESS) {
        return pri_fail(comm, __func__, code);
    }
    *count = graph->index[rank] - first_edge(graph->index, rank);
    return MPI_SUCCESS;
}
PRI_ALIAS(Graph_neighbors_count);

int MPI_Graph_neighbors(MPI_Comm handle, int rank, int room, int neighbors[])
{
    struct pri_comm *comm;
    struct pri_topology *graph;
    int code = graph_of(handle, MPI_GRAPH, &comm, &graph);
    if (code == MPI_SUCCESS && (rank < 0 || rank >= graph->nodes)) {
        code = MPI_ERR_RANK;
    }
    if (code != MPI_SUCCESS) {
        return pri_fail(comm, __func__, code);
    }
    int first = first_edge(graph->index, rank);
    copy_some(neighbors, room, graph->edge + first, graph->index[rank] - first);
    return MPI_SUCCESS;
}
PRI_ALIAS(Graph_neighbors);

int MPI_Graph_map(MPI_Comm handle, int nodes, const int index[], const int edges[], int *rank)
{
    (void)index;
    (void)edges;
    struct pri_comm *comm = pri_intra_of(handle);
    if (comm == NULL || nodes < 1 || nodes > comm->team.size) {
        return pri_fail(comm, __func__, comm == NULL ? MPI_ERR_COMM : MPI_ERR_ARG);
    }
    *rank = comm->team.rank < nodes ? comm->team.rank : MPI_UNDEFINED;
    return MPI_SUCCESS;
}
PRI_ALIAS(Graph_map);

/* ---- graphs of which each rank knows its own edges ---- */

static int check_ranks(const struct pri_comm *comm, int n, const int *ranks)
{
    if (n < 0) {
        return MPI_ERR_ARG;
    }
    for (int i = 0; i < n; i++) {
        if ((ranks[i] < 0 || ranks[i] >= comm->team.size) && ranks[i] != MPI_PROC_NULL) {
            return MPI_ERR_RANK;
        }
    }
    return MPI_SUCCESS;
}

int MPI_Dist_graph_create_adjacent(MPI_Comm handle, int indegree, const int sources[],
                                   const int *sourceweights, int outdegree, const int dests[],
                                   const int *destweights, MPI_Info info, int reorder,
                                   MPI_Comm *out)
{
    (void)info;
    (void)reorder;
    struct pri_comm *comm = pri_comm_of(handle), *copy;
    int code = comm == NULL ? MPI_ERR_COMM : check_ranks(comm, indegree, sources);
    if (code == MPI_SUCCESS) {
        code = check_ranks(comm, outdegree, dests);
    }
    if (code != MPI_SUCCESS) {
        return pri_fail(comm, __func__, code);
    }
    bool weighted = sourceweights != MPI_UNWEIGHTED && destweights != MPI_UNWEIGHTED;
    struct pri_topology *graph = pri_topology_new((struct pri_topology){
        .kind = MPI_DIST_GRAPH, .sources = indegree, .dests = outdegree, .weighted = weighted});
    if (graph == NULL) {
        return pri_fail(comm, __func__, MPI_ERR_NO_MEM);
    }
    copy_some(graph->source, indegree, sources, indegree);
    copy_some(graph->dest, outdegree, dests, outdegree);
    if (weighted) {
        copy_some(graph->source_weight, indegree, sourceweights, indegree);
        copy_some(graph->dest_weight, outdegree, destweights, outdegree);
    }
    int rc = pri_comm_split(comm, 0, comm->team.rank, &copy);
    if (rc == 0) {
        copy->topology = graph;
        *out = copy;
    } else {
        pri_topology_free(graph);
    }
    return pri_result(comm, __func__, rc);
}
PRI_ALIAS(Dist_graph_create_adjacent);

int MPI_Dist_graph_neighbors_count(MPI_Comm handle, int *indegree, int *outdegree, int *weighted)
{
    struct pri_comm *comm;
    struct pri_topology *graph;
    int code = graph_of(handle, MPI_DIST_GRAPH, &comm, &graph);
    if (code != MPI_SUCCESS) {
        return pri_fail(comm, __func__, code);
    }
    *indegree = graph->sources;
    *outdegree = graph->dests;
    *weighted = graph->weighted;
    return MPI_SUCCESS;
}
PRI_ALIAS(Dist_graph_neighbors_count);

int MPI_Dist_graph_neighbors(MPI_Comm handle, int in_room, int sources[], int *sourceweights,
                             int out_room, int dests[], int *destweights)
{
    struct pri_comm *comm;
    struct pri_topology *graph;
    int code = graph_of(handle, MPI_DIST_GRAPH, &comm, &graph);
    if (code != MPI_SUCCESS) {
        return pri_fail(comm, __func__, code);
    }
    copy_some(sources, in_room, graph->source, graph->sources);
    copy_some(dests, out_room, graph->dest, graph->dests);
    if (graph->weighted && sourceweights != MPI_UNWEIGHTED) {
        copy_some(sourceweights, in_room, graph->source_weight, graph->sources);
    }
    if (graph->weighted && destweights != MPI_UNWEIGHTED) {
        copy_some(destweights, out_room, graph->dest_weight, graph->dests);
    }
    return MPI_SUCCESS;
}
PRI_ALIAS(Dist_graph_neighbors);
