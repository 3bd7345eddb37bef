/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: mpi/coll_persistent.c mpi/exchange.c mpi/comm_dup.c mpi/info.c */
/* Persistent collective operations against the blocking ones, started in another order by each
 * rank; exchanges with one request; copies of communicators with an info, and infos. A plain MPI
 * program for one or more ranks. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 3, ROUNDS = 4, MOST = 16, ROOM = 2 * COUNT * MOST * 2 };

static int rank, size, checks;

static void fail(int line, const char *what, long got, long want)
{
    fprintf(stderr, "mpi_persistent.c:%d: rank %d: %s: %ld instead of %ld\n", line, rank, what, got,
            want);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

#define EQUAL(got, want)                \
    do {                                \
        long g = (got), w = (want);     \
        checks++;                       \
        if (g != w) {                   \
            fail(__LINE__, #got, g, w); \
        }                               \
    } while (0)

static int class_of(int code)
{
    int class;
    MPI_Error_class(code, &class);
    return class;
}

#define CLASS(call, want) EQUAL(class_of(call), want)

/* ---- collective operations ------------------------------------------------------------------- */

enum {
    BARRIER,
    BCAST,
    GATHER,
    GATHERV,
    SCATTER,
    SCATTERV,
    ALLGATHER,
    ALLGATHERV,
    ALLTOALL,
    ALLTOALLV,
    ALLTOALLW,
    REDUCE,
    ALLREDUCE,
    REDUCE_SCATTER,
    REDUCE_SCATTER_BLOCK,
    BETWEEN_GROUPS, /* those before are of two groups, too */
    SCAN = BETWEEN_GROUPS,
    EXSCAN,
    PLACED,
    PLACED_W,
    WITHIN,
    NEIGHBOR_ALLGATHER = WITHIN,
    NEIGHBOR_ALLGATHERV,
    NEIGHBOR_ALLTOALL,
    NEIGHBOR_ALLTOALLV,
    NEIGHBOR_ALLTOALLW,
    ALL
};

/* What all calls of one communicator are given; the root is among them. */
struct where {
    MPI_Comm comm;
    int root, parts; /* parts: ranks, or neighbours */
    int counts[MOST], displs[MOST], bytes[MOST];
    MPI_Aint places[MOST];
    MPI_Datatype types[MOST], pair;
    MPI_Op op;
};

/* Called once with a request, which it makes, or blocks. */
#define CALL(name, ...)                                                                \
    (request != NULL ? MPI_##name##_init(__VA_ARGS__, w->comm, MPI_INFO_NULL, request) \
                     : MPI_##name(__VA_ARGS__, w->comm))

static int call_rooted(int what, const struct where *w, int *in, int *out, MPI_Request *request)
{
    switch (what) {
    case BCAST:
        return CALL(Bcast, in, COUNT, w->pair, w->root);
    case GATHER:
        return CALL(Gather, in, 2 * COUNT, MPI_INT, out, COUNT, w->pair, w->root);
    case GATHERV:
        return CALL(Gatherv, in, w->counts[rank % w->parts], w->pair, out, w->counts, w->displs,
                    w->pair, w->root);
    case SCATTER:
        return CALL(Scatter, in, COUNT, w->pair, out, COUNT, w->pair, w->root);
    case SCATTERV:
        return CALL(Scatterv, in, w->counts, w->displs, w->pair, out, COUNT, w->pair, w->root);
    default:
        return CALL(Reduce, in, out, COUNT, MPI_INT, w->op, w->root);
    }
}

static int call_neighbors(int what, const struct where *w, int *in, int *out, MPI_Request *request)
{
    switch (what) {
    case NEIGHBOR_ALLGATHER:
        return CALL(Neighbor_allgather, in, COUNT, w->pair, out, COUNT, w->pair);
    case NEIGHBOR_ALLGATHERV:
        return CALL(Neighbor_allgatherv, in, COUNT, w->pair, out, w->counts, w->displs, w->pair);
    case NEIGHBOR_ALLTOALL:
        return CALL(Neighbor_alltoall, in, COUNT, w->pair, out, COUNT, w->pair);
    case NEIGHBOR_ALLTOALLV:
        return CALL(Neighbor_alltoallv, in, w->counts, w->displs, w->pair, out, w->counts,
                    w->displs, w->pair);
    default:
        return CALL(Neighbor_alltoallw, in, w->counts, w->places, w->types, out, w->counts,
                    w->places, w->types);
    }
}

static int call(int what, const struct where *w, int *in, int *out, MPI_Request *request)
{
    switch (what) {
    case BARRIER:
        return request != NULL ? MPI_Barrier_init(w->comm, MPI_INFO_NULL, request)
                               : MPI_Barrier(w->comm);
    case ALLGATHER:
        return CALL(Allgather, in, COUNT, w->pair, out, COUNT, w->pair);
    case ALLGATHERV:
        return CALL(Allgatherv, in, COUNT, w->pair, out, w->counts, w->displs, w->pair);
    case ALLTOALL:
        return CALL(Alltoall, in, COUNT, w->pair, out, COUNT, w->pair);
    case ALLTOALLV:
        return CALL(Alltoallv, in, w->counts, w->displs, w->pair, out, w->counts, w->displs,
                    w->pair);
    case ALLTOALLW:
        return CALL(Alltoallw, in, w->counts, w->bytes, w->types, out, w->counts, w->bytes,
                    w->types);
    case ALLREDUCE:
        return CALL(Allreduce, in, out, COUNT, MPI_INT, w->op);
    case REDUCE_SCATTER:
        return CALL(Reduce_scatter, in, out, w->counts, MPI_INT, w->op);
    case REDUCE_SCATTER_BLOCK:
        return CALL(Reduce_scatter_block, in, out, COUNT, MPI_INT, w->op);
    case SCAN:
        return CALL(Scan, in, out, COUNT, MPI_INT, w->op);
    case EXSCAN:
        return CALL(Exscan, in, out, COUNT, MPI_INT, w->op);
    case PLACED:
        return CALL(Allreduce, MPI_IN_PLACE, out, COUNT, MPI_INT, w->op);
    case PLACED_W:
        return CALL(Alltoallw, MPI_IN_PLACE, NULL, NULL, NULL, out, w->counts, w->bytes, w->types);
    default:
        return what >= NEIGHBOR_ALLGATHER ? call_neighbors(what, w, in, out, request)
                                          : call_rooted(what, w, in, out, request);
    }
}

static void add(void *in, void *inout, int *count, MPI_Datatype *type)
{
    const int *a = in;
    int *b = inout;
    (void)type;
    for (int i = 0; i < *count; i++) {
        b[i] += a[i];
    }
}

/* Types and an operation that are freed as soon as the requests are there. */
static void make(struct where *w, MPI_Comm comm, int root, int parts)
{
    *w = (struct where){.comm = comm, .root = root, .parts = parts};
    MPI_Type_contiguous(2, MPI_INT, &w->pair);
    MPI_Type_commit(&w->pair);
    MPI_Op_create(add, 1, &w->op);
    for (int i = 0; i < parts; i++) {
        w->counts[i] = COUNT;
        w->displs[i] = COUNT * i;
        w->bytes[i] = 2 * COUNT * i * (int)sizeof(int);
        w->places[i] = w->bytes[i];
        w->types[i] = w->pair;
    }
}

static void fill(int *data, int what, int round)
{
    for (int i = 0; i < ROOM; i++) {
        data[i] = 1 + i + 100 * what + 10000 * round + 7 * rank;
    }
}

static void run(MPI_Comm comm, int root, int parts, int first, int last)
{
    static int in[ALL][ROOM], out[ALL][ROOM], want[ROOM], here[ROOM];
    MPI_Request request[ALL];
    struct where w, later;
    const int n = last - first;

    make(&w, comm, root, parts);
    for (int i = first; i < last; i++) {
        request[i] = MPI_REQUEST_NULL;
        EQUAL(call(i, &w, in[i], out[i], &request[i]), MPI_SUCCESS);
    }
    MPI_Type_free(&w.pair);
    MPI_Op_free(&w.op);
    make(&later, comm, root, parts);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = first; i < last; i++) {
            fill(in[i], i, round);
            fill(out[i], i + ALL, round);
        }
        /* Each rank in an order of its own, with others in between. */
        for (int i = 0; i < n; i++) {
            const int which = first + (rank % 2 == 0 ? i : n - 1 - i);
            EQUAL(MPI_Start(&request[which]), MPI_SUCCESS);
        }
        CLASS(MPI_Start(&request[first]), MPI_ERR_REQUEST);
        for (int i = first; i < last; i++) {
            fill(here, i, round);
            fill(want, i + ALL, round);
            EQUAL(call(i, &later, here, want, NULL), MPI_SUCCESS);
            EQUAL(MPI_Wait(&request[i], MPI_STATUS_IGNORE), MPI_SUCCESS);
            EQUAL(request[i] != MPI_REQUEST_NULL, 1);
            EQUAL(memcmp(out[i], want, sizeof(want)), 0);
            EQUAL(memcmp(in[i], here, sizeof(here)), 0);
        }
    }
    /* All at once, and freed while they are under way or not. */
    EQUAL(MPI_Startall(n, request + first), MPI_SUCCESS);
    EQUAL(MPI_Waitall(n, request + first, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    EQUAL(MPI_Start(&request[first]), MPI_SUCCESS);
    for (int i = first; i < last; i++) {
        EQUAL(MPI_Request_free(&request[i]), MPI_SUCCESS);
        EQUAL(request[i] == MPI_REQUEST_NULL, 1);
    }
    MPI_Type_free(&later.pair);
    MPI_Op_free(&later.op);
    MPI_Barrier(comm);
}

static void within(void)
{
    MPI_Comm ring;
    const int periodic = 1;

    run(MPI_COMM_WORLD, size / 2, size, 0, WITHIN);
    run(MPI_COMM_SELF, 0, 1, 0, WITHIN);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
    run(ring, 0, 2, WITHIN, ALL);
    MPI_Comm_free(&ring);
}

/* The lower half, and the upper one, whose first rank is the root. */
static void between(void)
{
    MPI_Comm half, both;
    const int low = size / 2, upper = rank >= low;

    MPI_Comm_split(MPI_COMM_WORLD, upper, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, upper ? 0 : low, 1, &both);
    MPI_Comm_set_errhandler(both, MPI_ERRORS_RETURN);
    if (size % 2 == 0) { /* reductions that scatter have as many elements on both sides */
        run(both, upper ? (rank == low ? MPI_ROOT : MPI_PROC_NULL) : 0, low, 0, BETWEEN_GROUPS);
    } else {
        run(both, upper ? (rank == low ? MPI_ROOT : MPI_PROC_NULL) : 0, upper ? low : size - low, 0,
            REDUCE_SCATTER);
    }
    MPI_Comm_free(&both);
    MPI_Comm_free(&half);
}

/* What is wrong is said when the request would be made. */
static void wrong(void)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int x = 0, y = 0;

    CLASS(MPI_Barrier_init(MPI_COMM_NULL, MPI_INFO_NULL, &request), MPI_ERR_COMM);
    CLASS(MPI_Bcast_init(&x, 1, MPI_INT, size, MPI_COMM_WORLD, MPI_INFO_NULL, &request),
          MPI_ERR_ROOT);
    CLASS(MPI_Allreduce_init(&x, &y, -1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request),
          MPI_ERR_COUNT);
    CLASS(MPI_Allreduce_init(&x, &y, 1, MPI_INT, MPI_OP_NULL, MPI_COMM_WORLD, MPI_INFO_NULL,
                             &request),
          MPI_ERR_OP);
    CLASS(MPI_Gather_init(&x, 1, MPI_DATATYPE_NULL, &y, 1, MPI_INT, 0, MPI_COMM_SELF, MPI_INFO_NULL,
                          &request),
          MPI_ERR_TYPE);
    CLASS(MPI_Neighbor_allgather_init(&x, 1, MPI_INT, &y, 1, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL,
                                      &request),
          MPI_ERR_TOPOLOGY);
    EQUAL(request == MPI_REQUEST_NULL, 1);
}

/* ---- exchanges ------------------------------------------------------------------------------- */

static void exchanges(void)
{
    const int next = (rank + 1) % size, before = (rank + size - 1) % size;
    static int out[4096], in[4096], same[4096];
    MPI_Request request[3];
    MPI_Status status[3];
    MPI_Datatype every_second;
    int count, flag;

    MPI_Type_vector(2048, 1, 2, MPI_INT, &every_second);
    MPI_Type_commit(&every_second);
    for (int i = 0; i < 4096; i++) {
        out[i] = i + rank;
        in[i] = -1;
        same[i] = 2 * i + rank;
    }
    EQUAL(MPI_Isendrecv(out, 2048, MPI_INT, next, 5, in, 1, every_second, before, MPI_ANY_TAG,
                        MPI_COMM_WORLD, &request[0]),
          MPI_SUCCESS);
    EQUAL(MPI_Isendrecv_replace(same, 1, every_second, next, 6, MPI_ANY_SOURCE, 6, MPI_COMM_WORLD,
                                &request[1]),
          MPI_SUCCESS);
    EQUAL(MPI_Isendrecv(NULL, 0, MPI_INT, MPI_PROC_NULL, 0, NULL, 0, MPI_INT, MPI_PROC_NULL, 0,
                        MPI_COMM_WORLD, &request[2]),
          MPI_SUCCESS);
    MPI_Type_free(&every_second);
    EQUAL(MPI_Waitall(3, request, status), MPI_SUCCESS);
    EQUAL(request[0] == MPI_REQUEST_NULL && request[1] == MPI_REQUEST_NULL, 1);
    EQUAL(status[0].MPI_SOURCE, before);
    EQUAL(status[0].MPI_TAG, 5);
    EQUAL(status[1].MPI_SOURCE, before);
    EQUAL(status[2].MPI_SOURCE, MPI_PROC_NULL);
    MPI_Get_count(&status[0], MPI_INT, &count);
    EQUAL(count, 2048);
    for (int i = 0; i < 4096; i++) {
        EQUAL(in[i], i % 2 == 0 ? i / 2 + before : -1);
        EQUAL(same[i], 2 * i + (i % 2 == 0 ? before : rank));
    }
    /* What is too long is an error of the request. */
    MPI_Isendrecv(out, 10, MPI_INT, next, 7, in, 5, MPI_INT, before, 7, MPI_COMM_WORLD,
                  &request[0]);
    CLASS(MPI_Wait(&request[0], &status[0]), MPI_ERR_TRUNCATE);
    CLASS(
        MPI_Isendrecv(out, 1, MPI_INT, size, 7, in, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, &request[0]),
        MPI_ERR_RANK);
    CLASS(MPI_Isendrecv(out, 1, MPI_INT, 0, 7, in, -1, MPI_INT, 0, 7, MPI_COMM_WORLD, &request[0]),
          MPI_ERR_COUNT);
    /* One that is freed takes place, and so does one that is tested for. */
    MPI_Isendrecv(&out[rank], 1, MPI_INT, next, 8, in, 1, MPI_INT, before, 8, MPI_COMM_WORLD,
                  &request[0]);
    MPI_Request_free(&request[0]);
    MPI_Isendrecv(&out[1], 1, MPI_INT, next, 9, &in[1], 1, MPI_INT, before, 9, MPI_COMM_WORLD,
                  &request[0]);
    do {
        MPI_Test(&request[0], &flag, MPI_STATUS_IGNORE);
    } while (!flag);
    EQUAL(in[1], 1 + before);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* ---- infos ----------------------------------------------------------------------------------- */

static void infos(MPI_Info env)
{
    MPI_Info info, known;
    MPI_Comm copy;
    MPI_Request request;
    char text[MPI_MAX_INFO_VAL + 1] = "unchanged";
    int length = 0, flag = -1;

    MPI_Info_create(&info);
    MPI_Info_set(info, "colour", "green");
    EQUAL(MPI_Info_get_string(info, "colour", &length, text, &flag), MPI_SUCCESS);
    EQUAL(flag, 1);
    EQUAL(length, 6);
    EQUAL(strcmp(text, "unchanged"), 0);
    length = 3;
    MPI_Info_get_string(info, "colour", &length, text, &flag);
    EQUAL(strcmp(text, "gr"), 0);
    EQUAL(length, 6);
    MPI_Info_get_string(info, "colour", &length, text, &flag);
    EQUAL(strcmp(text, "green"), 0);
    length = 9;
    MPI_Info_get_string(info, "taste", &length, text, &flag);
    EQUAL(flag, 0);
    EQUAL(length, 9);
    length = -1;
    CLASS(MPI_Info_get_string(info, "colour", &length, text, &flag), MPI_ERR_ARG);
    CLASS(MPI_Info_get_string(MPI_INFO_NULL, "colour", &length, text, &flag), MPI_ERR_INFO);

    EQUAL(MPI_Comm_idup_with_info(MPI_COMM_WORLD, info, &copy, &request), MPI_SUCCESS);
    EQUAL(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    MPI_Info_free(&info);
    for (int i = 0; i < 2; i++) { /* and its own copy has it, too */
        MPI_Comm next;
        MPI_Comm_get_info(copy, &known);
        MPI_Info_get(known, "colour", MPI_MAX_INFO_VAL, text, &flag);
        EQUAL(flag == 1 && strcmp(text, "green") == 0, 1);
        MPI_Info_free(&known);
        MPI_Comm_idup(copy, &next, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Comm_free(&copy);
        copy = next;
    }
    MPI_Comm_free(&copy);
    CLASS(MPI_Comm_idup_with_info(MPI_COMM_NULL, MPI_INFO_NULL, &copy, &request), MPI_ERR_COMM);

    length = sizeof(text);
    MPI_Info_get_string(env, "command", &length, text, &flag);
    EQUAL(flag == 1 && strcmp(text, "program") == 0, 1);
    length = sizeof(text);
    MPI_Info_get_string(env, "argv", &length, text, &flag);
    EQUAL(flag == 1 && strcmp(text, "-n 3") == 0, 1);
    MPI_Info_get_string(env, "host", &length, text, &flag);
    EQUAL(flag, 1);
    MPI_Info_free(&env);
    MPI_Info_create_env(0, NULL, &env);
    MPI_Info_get_string(env, "command", &length, text, &flag);
    EQUAL(flag, 0);
    MPI_Info_free(&env);
}

int main(int argc, char **argv)
{
    char *words[] = {"program", "-n", "3", NULL};
    MPI_Info env = MPI_INFO_NULL;

    MPI_Info_create_env(3, words, &env); /* also before MPI_Init */
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    if (size > MOST) {
        fprintf(stderr, "mpi_persistent: at most %d ranks\n", MOST);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    wrong();
    within();
    if (size > 1) {
        between();
    }
    exchanges();
    infos(env);
    if (rank == 0) {
        printf("MT-OK mpi_persistent ranks=%d checks=%d\n", size, checks);
    }
    MPI_Finalize();
    return 0;
}
