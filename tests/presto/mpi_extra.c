/* SPDX-License-Identifier: BSD-3-Clause */
/* Arrays dealt out to a grid of processes, and graphs of which any rank gives any edge, against
 * plain loops. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 7, COLUMNS = 10, CELLS = ROWS * COLUMNS };

static int rank, size, checks;

static void must(int holds, const char *what, int where)
{
    checks++;
    if (!holds) {
        fprintf(stderr, "mpi_extra: rank %d: %s (%d)\n", rank, what, where);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

/* ---- arrays ---------------------------------------------------------------------------------- */

struct dealt {
    int kinds[2], arguments[2], processes[2];
};

/* Which of the processes of a dimension has element i of n. */
static int owner(const struct dealt *d, int dimension, int i, int n)
{
    int processes = d->processes[dimension], argument = d->arguments[dimension];

    if (d->kinds[dimension] == MPI_DISTRIBUTE_NONE) {
        return 0;
    }
    if (d->kinds[dimension] == MPI_DISTRIBUTE_BLOCK) {
        return i /
               (argument == MPI_DISTRIBUTE_DFLT_DARG ? (n + processes - 1) / processes : argument);
    }
    return i / (argument == MPI_DISTRIBUTE_DFLT_DARG ? 1 : argument) % processes;
}

/* What a process has, in the order of memory. */
static int expect(const struct dealt *d, int process, int order, int *cells)
{
    int n = 0;

    for (int at = 0; at < CELLS; at++) {
        int row = order == MPI_ORDER_C ? at / COLUMNS : at % ROWS;
        int column = order == MPI_ORDER_C ? at % COLUMNS : at / ROWS;

        if (owner(d, 0, row, ROWS) * d->processes[1] + owner(d, 1, column, COLUMNS) == process) {
            cells[n++] = at;
        }
    }
    return n;
}

static void check_process(const struct dealt *d, int process, int order)
{
    int array[CELLS], packed[CELLS], expected[CELLS], lengths[2] = {ROWS, COLUMNS}, position = 0,
                                                      bytes;
    int n = expect(d, process, order, expected);
    MPI_Aint lb, extent;
    MPI_Datatype type;

    for (int i = 0; i < CELLS; i++) {
        array[i] = i;
    }
    must(MPI_Type_create_darray(d->processes[0] * d->processes[1], process, 2, lengths, d->kinds,
                                d->arguments, d->processes, order, MPI_INT, &type) == MPI_SUCCESS,
         "a darray is made", process);
    MPI_Type_commit(&type);
    MPI_Type_size(type, &bytes);
    must(bytes == n * (int)sizeof(int), "its size", process);
    MPI_Type_get_extent(type, &lb, &extent);
    must(lb == 0 && extent == (MPI_Aint)sizeof(array), "its extent is the array's", process);
    MPI_Pack(array, 1, type, packed, (int)sizeof(packed), &position, MPI_COMM_WORLD);
    for (int i = 0; i < n; i++) {
        must(packed[i] == expected[i], "its elements, in the order of memory", i);
    }
    MPI_Type_free(&type);
}

static void darrays(void)
{
    enum {
        B = MPI_DISTRIBUTE_BLOCK,
        C = MPI_DISTRIBUTE_CYCLIC,
        N = MPI_DISTRIBUTE_NONE,
        D = MPI_DISTRIBUTE_DFLT_DARG
    };
    static const struct dealt all[] = {
        {{B, B}, {D, D}, {2, 3}}, {{C, B}, {D, 4}, {3, 3}}, {{C, C}, {2, 3}, {2, 2}},
        {{N, C}, {D, D}, {1, 4}}, {{B, N}, {7, D}, {3, 1}}, {{C, C}, {5, 20}, {2, 2}},
        {{B, C}, {2, 4}, {4, 1}},
    };
    struct dealt bad = all[0];
    int lengths[2] = {ROWS, COLUMNS};
    MPI_Datatype type;

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        for (int process = 0; process < all[i].processes[0] * all[i].processes[1]; process++) {
            check_process(&all[i], process, MPI_ORDER_C);
            check_process(&all[i], process, MPI_ORDER_FORTRAN);
        }
    }
    bad.arguments[0] = 3; /* two processes have no place for 7 rows */
    must(MPI_Type_create_darray(6, 0, 2, lengths, bad.kinds, bad.arguments, bad.processes,
                                MPI_ORDER_C, MPI_INT, &type) == MPI_ERR_ARG,
         "blocks that are too short are refused", 0);
    must(MPI_Type_create_darray(5, 0, 2, lengths, all[0].kinds, all[0].arguments, all[0].processes,
                                MPI_ORDER_C, MPI_INT, &type) == MPI_ERR_ARG,
         "a grid of another size is refused", 0);
}

/* ---- graphs ---------------------------------------------------------------------------------- */

/* Rank 0 gives the edges from each rank to the next but one, rank size - 1 those to itself. */
static void graphs(void)
{
    int *sources = malloc((size_t)size * sizeof(int)),
        *degrees = malloc((size_t)size * sizeof(int));
    int *dests = malloc((size_t)size * sizeof(int)), *weights = malloc((size_t)size * sizeof(int));
    int n = 0, in, out, weighted, from[2], from_weight[2], to[2], to_weight[2], got[2] = {-1, -1},
        mapped;
    MPI_Comm graph;

    for (int i = 0; rank == 0 && i < size; i++, n++) {
        sources[n] = i;
        degrees[n] = 1;
        dests[n] = (i + 2) % size;
        weights[n] = 10 + i;
    }
    must(MPI_Dist_graph_create(MPI_COMM_WORLD, n, sources, degrees, dests, weights, MPI_INFO_NULL,
                               0, &graph) == MPI_SUCCESS,
         "a graph is made", n);
    MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted);
    must(in == 1 && out == 1 && weighted, "one edge in, one out", in * 10 + out);
    MPI_Dist_graph_neighbors(graph, 2, from, from_weight, 2, to, to_weight);
    must(from[0] == (rank + 2 * size - 2) % size && to[0] == (rank + 2) % size, "its neighbours",
         from[0]);
    must(from_weight[0] == 10 + from[0] && to_weight[0] == 10 + rank, "its weights", to_weight[0]);
    MPI_Neighbor_allgather(&rank, 1, MPI_INT, got, 1, MPI_INT, graph);
    must(got[0] == from[0], "what comes along an edge", got[0]);
    MPI_Comm_free(&graph);
    if (rank == 0) {
        dests[0] = size;
        must(MPI_Dist_graph_create(MPI_COMM_SELF, 1, sources, degrees, dests, MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, 0, &graph) != MPI_SUCCESS,
             "an edge to nowhere is refused", 0);
    }
    must(MPI_Graph_map(MPI_COMM_WORLD, 1, degrees, dests, &mapped) == MPI_SUCCESS &&
             mapped == (rank == 0 ? 0 : MPI_UNDEFINED),
         "one node is mapped to rank 0", rank);
    free(sources);
    free(degrees);
    free(dests);
    free(weights);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    darrays();
    graphs();
    if (rank == 0) {
        printf("MT-OK mpi_extra checks=%d\n", checks);
    }
    MPI_Finalize();
    return 0;
}
