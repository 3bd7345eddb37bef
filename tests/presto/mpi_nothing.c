/* SPDX-License-Identifier: BSD-3-Clause */
/* Collective operations look at neither type, buffer nor displacement of what has no elements: all
 * of them, blocking and not, in place, between groups and between neighbours; parts without
 * elements between others that have some; and what is refused. A plain MPI program for one or more
 * ranks; other MPIs look at the types of more functions. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size, checks;
static MPI_Datatype no = MPI_DATATYPE_NULL;

static void check(int line, const char *what, int code, int want)
{
    int class = MPI_SUCCESS;
    if (code != MPI_SUCCESS) {
        MPI_Error_class(code, &class);
    }
    checks++;
    if (class != want) {
        fprintf(stderr, "mpi_nothing.c:%d: rank %d of %d: %s: class %d instead of %d\n", line, rank,
                size, what, class, want);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

#define CLASS(call, want) check(__LINE__, #call, call, want)
/* It ends, and well. */
#define ENDS(call) check(__LINE__, #call, call, MPI_SUCCESS)
#define WAITS(call)                            \
    do {                                       \
        MPI_Request r;                         \
        ENDS(call);                            \
        ENDS(MPI_Wait(&r, MPI_STATUS_IGNORE)); \
    } while (0)

/* The arrays: as many zeros, and null types, as any communicator here has ranks or neighbours. */
static int *zeros;
static MPI_Datatype *nulls;
#define Z zeros

/* ---- without elements ---- */

static void unequal(MPI_Comm c)
{
    ENDS(MPI_Alltoallw(NULL, Z, NULL, nulls, NULL, Z, NULL, nulls, c));
    ENDS(MPI_Alltoallw(NULL, Z, Z, NULL, NULL, Z, Z, NULL, c));
    WAITS(MPI_Ialltoallw(NULL, Z, NULL, NULL, NULL, Z, NULL, NULL, c, &r));
    WAITS(MPI_Ialltoallw(NULL, Z, Z, nulls, NULL, Z, Z, nulls, c, &r));
    ENDS(MPI_Alltoallv(NULL, Z, NULL, no, NULL, Z, NULL, no, c));
    WAITS(MPI_Ialltoallv(NULL, Z, NULL, no, NULL, Z, NULL, no, c, &r));
    ENDS(MPI_Allgatherv(NULL, 0, no, NULL, Z, NULL, no, c));
    WAITS(MPI_Iallgatherv(NULL, 0, no, NULL, Z, NULL, no, c, &r));
    ENDS(MPI_Reduce_scatter(NULL, NULL, Z, no, MPI_SUM, c));
    WAITS(MPI_Ireduce_scatter(NULL, NULL, Z, no, MPI_SUM, c, &r));
}

static void equal(MPI_Comm c)
{
    ENDS(MPI_Alltoall(NULL, 0, no, NULL, 0, no, c));
    WAITS(MPI_Ialltoall(NULL, 0, no, NULL, 0, no, c, &r));
    ENDS(MPI_Allgather(NULL, 0, no, NULL, 0, no, c));
    WAITS(MPI_Iallgather(NULL, 0, no, NULL, 0, no, c, &r));
    ENDS(MPI_Allreduce(NULL, NULL, 0, no, MPI_SUM, c));
    WAITS(MPI_Iallreduce(NULL, NULL, 0, no, MPI_SUM, c, &r));
    ENDS(MPI_Reduce_scatter_block(NULL, NULL, 0, no, MPI_SUM, c));
    WAITS(MPI_Ireduce_scatter_block(NULL, NULL, 0, no, MPI_SUM, c, &r));
}

/* root: as this rank has to say it. */
static void rooted(MPI_Comm c, int root)
{
    ENDS(MPI_Bcast(NULL, 0, no, root, c));
    WAITS(MPI_Ibcast(NULL, 0, no, root, c, &r));
    ENDS(MPI_Reduce(NULL, NULL, 0, no, MPI_SUM, root, c));
    WAITS(MPI_Ireduce(NULL, NULL, 0, no, MPI_SUM, root, c, &r));
    ENDS(MPI_Gather(NULL, 0, no, NULL, 0, no, root, c));
    WAITS(MPI_Igather(NULL, 0, no, NULL, 0, no, root, c, &r));
    ENDS(MPI_Gatherv(NULL, 0, no, NULL, Z, NULL, no, root, c));
    WAITS(MPI_Igatherv(NULL, 0, no, NULL, Z, NULL, no, root, c, &r));
    ENDS(MPI_Scatter(NULL, 0, no, NULL, 0, no, root, c));
    WAITS(MPI_Iscatter(NULL, 0, no, NULL, 0, no, root, c, &r));
    ENDS(MPI_Scatterv(NULL, Z, NULL, no, NULL, 0, no, root, c));
    WAITS(MPI_Iscatterv(NULL, Z, NULL, no, NULL, 0, no, root, c, &r));
}

/* Within a group: in place, where the other side's arguments are not looked at at all. */
static void in_place(MPI_Comm c)
{
    ENDS(MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, NULL, Z, NULL, NULL, c));
    WAITS(MPI_Ialltoallw(MPI_IN_PLACE, NULL, NULL, NULL, NULL, Z, NULL, nulls, c, &r));
    ENDS(MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, no, NULL, Z, NULL, no, c));
    ENDS(MPI_Alltoall(MPI_IN_PLACE, 0, no, NULL, 0, no, c));
    ENDS(MPI_Allgather(MPI_IN_PLACE, 0, no, NULL, 0, no, c));
    ENDS(MPI_Allgatherv(MPI_IN_PLACE, 0, no, NULL, Z, NULL, no, c));
    ENDS(MPI_Allreduce(MPI_IN_PLACE, NULL, 0, no, MPI_SUM, c));
    ENDS(MPI_Scan(MPI_IN_PLACE, NULL, 0, no, MPI_SUM, c));
    ENDS(MPI_Scan(NULL, NULL, 0, no, MPI_SUM, c));
    WAITS(MPI_Iexscan(NULL, NULL, 0, no, MPI_SUM, c, &r));
    ENDS(MPI_Gatherv(rank == 0 ? MPI_IN_PLACE : NULL, 0, no, NULL, Z, NULL, no, 0, c));
    ENDS(MPI_Scatterv(NULL, Z, NULL, no, rank == 0 ? MPI_IN_PLACE : NULL, 0, no, 0, c));
}

static void neighbors(MPI_Comm c)
{
    ENDS(MPI_Neighbor_alltoallw(NULL, Z, NULL, nulls, NULL, Z, NULL, nulls, c));
    ENDS(MPI_Neighbor_alltoallw(NULL, Z, NULL, NULL, NULL, Z, NULL, NULL, c));
    WAITS(MPI_Ineighbor_alltoallw(NULL, Z, NULL, nulls, NULL, Z, NULL, NULL, c, &r));
    ENDS(MPI_Neighbor_alltoallv(NULL, Z, NULL, no, NULL, Z, NULL, no, c));
    WAITS(MPI_Ineighbor_alltoallv(NULL, Z, NULL, no, NULL, Z, NULL, no, c, &r));
    ENDS(MPI_Neighbor_alltoall(NULL, 0, no, NULL, 0, no, c));
    WAITS(MPI_Ineighbor_alltoall(NULL, 0, no, NULL, 0, no, c, &r));
    ENDS(MPI_Neighbor_allgather(NULL, 0, no, NULL, 0, no, c));
    WAITS(MPI_Ineighbor_allgather(NULL, 0, no, NULL, 0, no, c, &r));
    ENDS(MPI_Neighbor_allgatherv(NULL, 0, no, NULL, Z, NULL, no, c));
    WAITS(MPI_Ineighbor_allgatherv(NULL, 0, no, NULL, Z, NULL, no, c, &r));
}

/* ---- beside others ---- */

/* Only the next rank gets something, a vector; all other parts have no type. */
static void one_part(MPI_Comm c)
{
    MPI_Datatype holes, *to = calloc((size_t)size, sizeof(MPI_Datatype));
    MPI_Datatype *from = calloc((size_t)size, sizeof(MPI_Datatype));
    int *give = calloc((size_t)size, sizeof(int)), *take = calloc((size_t)size, sizeof(int));
    int next = (rank + 1) % size, last = (rank + size - 1) % size, in[4], got[2] = {-1, -1};
    MPI_Type_vector(2, 1, 2, MPI_INT, &holes);
    MPI_Type_commit(&holes);
    for (int i = 0; i < 4; i++) {
        in[i] = rank * 10 + i;
    }
    for (int i = 0; i < size; i++) {
        to[i] = from[i] = MPI_DATATYPE_NULL;
    }
    to[next] = holes;
    from[last] = MPI_INT;
    give[next] = 1;
    take[last] = 2;
    ENDS(MPI_Alltoallw(in, give, zeros, to, got, take, zeros, from, c));
    CLASS(got[0] == last * 10 && got[1] == last * 10 + 2 ? MPI_SUCCESS : MPI_ERR_OTHER,
          MPI_SUCCESS);
    got[0] = got[1] = -1;
    WAITS(MPI_Ialltoallw(in, give, zeros, to, got, take, zeros, from, c, &r));
    CLASS(got[0] == last * 10 && got[1] == last * 10 + 2 ? MPI_SUCCESS : MPI_ERR_OTHER,
          MPI_SUCCESS);
    /* A part with elements needs all of it. */
    CLASS(MPI_Alltoallw(in, give, zeros, nulls, got, take, zeros, from, c), MPI_ERR_TYPE);
    CLASS(MPI_Alltoallw(in, give, zeros, to, got, take, zeros, NULL, c), MPI_ERR_TYPE);
    CLASS(MPI_Alltoallw(in, give, NULL, to, got, take, zeros, from, c), MPI_ERR_ARG);
    CLASS(MPI_Alltoallv(in, give, zeros, MPI_INT, got, take, NULL, MPI_INT, c), MPI_ERR_ARG);
    CLASS(MPI_Alltoallv(in, give, zeros, no, got, take, zeros, MPI_INT, c), MPI_ERR_TYPE);
    CLASS(MPI_Alltoallw(in, NULL, zeros, to, got, take, zeros, from, c), MPI_ERR_ARG);
    MPI_Type_free(&holes);
    free(to);
    free(from);
    free(give);
    free(take);
}

/* What is not significant is not looked at: a type that is none, at ranks beside the root. */
static void insignificant(MPI_Comm c)
{
    MPI_Datatype wild = (MPI_Datatype)(void *)16;
    int *nowhere = (int *)(void *)16, one = 1, *all = calloc((size_t)size, sizeof(int));
    if (rank == 0) {
        ENDS(MPI_Gather(MPI_IN_PLACE, -3, wild, all, 1, MPI_INT, 0, c));
        ENDS(MPI_Scatterv(all, zeros, zeros, MPI_INT, MPI_IN_PLACE, -3, wild, 0, c));
    } else {
        ENDS(MPI_Gather(&one, 1, MPI_INT, nowhere, 7, wild, 0, c));
        ENDS(MPI_Scatterv(nowhere, nowhere, nowhere, wild, &one, 0, MPI_INT, 0, c));
    }
    free(all);
}

/* ---- in place where that means nothing ---- */

static void misplaced(MPI_Comm c, MPI_Comm ring, MPI_Comm inter)
{
    int one = 1, other = 0;
    CLASS(MPI_Bcast(MPI_IN_PLACE, 1, MPI_INT, 0, c), MPI_ERR_BUFFER);
    CLASS(MPI_Allgather(&one, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, c), MPI_ERR_BUFFER);
    CLASS(MPI_Allreduce(&one, MPI_IN_PLACE, 1, MPI_INT, MPI_SUM, c), MPI_ERR_BUFFER);
    CLASS(MPI_Neighbor_allgather(MPI_IN_PLACE, 1, MPI_INT, &other, 1, MPI_INT, ring),
          MPI_ERR_BUFFER);
    if (size > 1) {
        int not_root = rank == 0 ? 1 : 0;
        CLASS(MPI_Reduce(MPI_IN_PLACE, &other, 1, MPI_INT, MPI_SUM, not_root, c), MPI_ERR_BUFFER);
        CLASS(MPI_Gather(MPI_IN_PLACE, 1, MPI_INT, NULL, 1, MPI_INT, not_root, c), MPI_ERR_BUFFER);
        CLASS(MPI_Scatter(NULL, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, not_root, c), MPI_ERR_BUFFER);
    }
    if (inter == MPI_COMM_NULL) {
        return;
    }
    CLASS(MPI_Allreduce(MPI_IN_PLACE, &other, 1, MPI_INT, MPI_SUM, inter), MPI_ERR_BUFFER);
    CLASS(MPI_Alltoall(MPI_IN_PLACE, 1, MPI_INT, &other, 1, MPI_INT, inter), MPI_ERR_BUFFER);
    CLASS(MPI_Allgather(MPI_IN_PLACE, 1, MPI_INT, &other, 1, MPI_INT, inter), MPI_ERR_BUFFER);
    CLASS(MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, &other, zeros, zeros, nulls, inter),
          MPI_ERR_ARG);
}

/* ---- communicators ---- */

static MPI_Comm two_groups(MPI_Comm *local)
{
    int cut = (size + 1) / 2, second = rank >= cut;
    MPI_Comm inter;
    if (size == 1) {
        return MPI_COMM_NULL;
    }
    MPI_Comm_split(MPI_COMM_WORLD, second, rank, local);
    MPI_Intercomm_create(*local, 0, MPI_COMM_WORLD, second ? 0 : cut, 3, &inter);
    MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
    return inter;
}

static void between_groups(MPI_Comm inter, MPI_Comm local)
{
    int me;
    MPI_Comm_rank(local, &me);
    unequal(inter);
    equal(inter);
    rooted(inter, rank < (size + 1) / 2 ? (me == 0 ? MPI_ROOT : MPI_PROC_NULL) : 0);
}

int main(int argc, char **argv)
{
    MPI_Comm c, ring, loner, inter, local = MPI_COMM_NULL;
    int yes = 1, most;
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &c);
    MPI_Comm_rank(c, &rank);
    MPI_Comm_size(c, &size);
    MPI_Comm_set_errhandler(c, MPI_ERRORS_RETURN);
    most = size > 4 ? size : 4;
    zeros = calloc((size_t)most, sizeof(int));
    nulls = malloc((size_t)most * sizeof(MPI_Datatype));
    for (int i = 0; i < most; i++) {
        nulls[i] = MPI_DATATYPE_NULL;
    }
    MPI_Cart_create(c, 1, &size, &yes, 0, &ring);
    MPI_Dist_graph_create_adjacent(c, 0, NULL, MPI_UNWEIGHTED, 0, NULL, MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, 0, &loner);
    inter = two_groups(&local);
    unequal(c);
    equal(c);
    rooted(c, size - 1);
    in_place(c);
    neighbors(ring);
    neighbors(loner);
    one_part(c);
    insignificant(c);
    misplaced(c, ring, inter);
    if (inter != MPI_COMM_NULL) {
        between_groups(inter, local);
        MPI_Comm_free(&inter);
        MPI_Comm_free(&local);
    }
    MPI_Comm_free(&loner);
    MPI_Comm_free(&ring);
    MPI_Comm_free(&c);
    if (rank == 0) {
        printf("MT-OK mpi_nothing checks=%d\n", checks);
    }
    free(nulls);
    free(zeros);
    MPI_Finalize();
    return 0;
}
