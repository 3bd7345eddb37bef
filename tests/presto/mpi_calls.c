/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI's functions that the programs in tests/mpi do not call: errors and their classes, attributes,
 * infos, groups, grids, names, what datatypes say of themselves. A plain MPI program for one or
 * more ranks. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size, checks;

static void fail(int line, const char *what, long long got, long long want)
{
    fprintf(stderr, "mpi_calls.c:%d: rank %d: %s: %lld instead of %lld\n", line, rank, what, got,
            want);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

#define EQUAL(got, want)                 \
    do {                                 \
        long long g = (got), w = (want); \
        checks++;                        \
        if (g != w) {                    \
            fail(__LINE__, #got, g, w);  \
        }                                \
    } while (0)

static int class_of(int code)
{
    int class;
    MPI_Error_class(code, &class);
    return class;
}

#define CLASS(call, want) EQUAL(class_of(call), want)

static int handled;

static void on_error(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    handled = class_of(*code);
}

/* ---- errors ---- */

static void errors_of_messages(void)
{
    int x = 0, buf[4] = {0};
    MPI_Datatype raw;
    MPI_Request request;
    MPI_Type_contiguous(2, MPI_INT, &raw);
    CLASS(MPI_Send(&x, 1, MPI_INT, size, 0, MPI_COMM_WORLD), MPI_ERR_RANK);
    CLASS(MPI_Send(&x, 1, MPI_INT, -7, 0, MPI_COMM_WORLD), MPI_ERR_RANK);
    CLASS(MPI_Send(&x, 1, MPI_INT, 0, -3, MPI_COMM_WORLD), MPI_ERR_TAG);
    CLASS(MPI_Send(&x, -1, MPI_INT, 0, 0, MPI_COMM_WORLD), MPI_ERR_COUNT);
    CLASS(MPI_Send(&x, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD), MPI_ERR_TYPE);
    CLASS(MPI_Send(&x, 1, raw, 0, 0, MPI_COMM_WORLD), MPI_ERR_TYPE);
    CLASS(MPI_Send(&x, 1, MPI_INT, 0, 0, MPI_COMM_NULL), MPI_ERR_COMM);
    CLASS(MPI_Irecv(&x, 1, MPI_INT, size, 0, MPI_COMM_WORLD, &request), MPI_ERR_RANK);
    CLASS(MPI_Recv(&x, 1, MPI_INT, 0, -9, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_ERR_TAG);
    CLASS(MPI_Bsend(&x, 1, MPI_INT, rank, 0, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    request = MPI_REQUEST_NULL;
    CLASS(MPI_Start(&request), MPI_ERR_REQUEST);
    MPI_Type_free(&raw);

    MPI_Isend(buf, 4, MPI_INT, rank, 5, MPI_COMM_WORLD, &request);
    CLASS(MPI_Recv(&x, 1, MPI_INT, rank, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void errors_of_others(void)
{
    int x = 0, y;
    MPI_Comm comm;
    MPI_Group group;
    MPI_Comm_group(MPI_COMM_WORLD, &group);
    CLASS(MPI_Bcast(&x, 1, MPI_INT, size, MPI_COMM_WORLD), MPI_ERR_ROOT);
    CLASS(MPI_Allreduce(&x, &y, 1, MPI_FLOAT, MPI_BAND, MPI_COMM_WORLD), MPI_ERR_OP);
    CLASS(MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_OP_NULL, MPI_COMM_WORLD), MPI_ERR_OP);
    CLASS(MPI_Allreduce(&x, &y, -1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_ERR_COUNT);
    CLASS(MPI_Comm_split(MPI_COMM_WORLD, -5, 0, &comm), MPI_ERR_ARG);
    CLASS(MPI_Group_incl(group, 1, &size, &group), MPI_ERR_RANK);
    CLASS(MPI_Cart_coords(MPI_COMM_WORLD, 0, 1, &x), MPI_ERR_TOPOLOGY);
    CLASS(MPI_Comm_set_attr(MPI_COMM_WORLD, MPI_KEYVAL_INVALID, NULL), MPI_ERR_KEYVAL);
    CLASS(MPI_Type_vector(-1, 1, 1, MPI_INT, &(MPI_Datatype){0}), MPI_ERR_COUNT);
    MPI_Group_free(&group);
}

static void error_handlers(void)
{
    MPI_Errhandler handler, back;
    MPI_Comm copy;
    char text[MPI_MAX_ERROR_STRING];
    int length, class, code;
    MPI_Comm_create_errhandler(on_error, &handler);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_set_errhandler(copy, handler);
    MPI_Comm_get_errhandler(copy, &back);
    EQUAL(back == handler, 1);
    MPI_Errhandler_free(&back);
    MPI_Errhandler_free(&handler);
    EQUAL(handler == MPI_ERRHANDLER_NULL, 1);
    MPI_Send(&length, 1, MPI_INT, size, 0, copy);
    EQUAL(handled, MPI_ERR_RANK);
    MPI_Comm_free(&copy);
    EQUAL(copy == MPI_COMM_NULL, 1);

    MPI_Error_string(MPI_ERR_TRUNCATE, text, &length);
    EQUAL(strstr(text, "MPI_ERR_TRUNCATE") != NULL && length == (int)strlen(text), 1);
    MPI_Add_error_class(&class);
    MPI_Add_error_code(class, &code);
    MPI_Add_error_string(code, "out of coffee");
    MPI_Error_string(code, text, &length);
    EQUAL(strcmp(text, "out of coffee"), 0);
    EQUAL(class_of(code), class);
}

/* ---- attributes and infos ---- */

static int copied, deleted;

static int copy_attr(MPI_Comm comm, int keyval, void *extra, void *in, void *out, int *flag)
{
    (void)comm;
    (void)keyval;
    copied += *(int *)extra;
    *(void **)out = (char *)in + 1;
    *flag = 1;
    return MPI_SUCCESS;
}

static int delete_attr(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void)comm;
    (void)keyval;
    (void)value;
    deleted += *(int *)extra;
    return MPI_SUCCESS;
}

static void attributes(void)
{
    int keyval, extra = 3, flag, *bound;
    char array[2], *value = NULL;
    MPI_Comm copy, another;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &bound, &flag);
    EQUAL(flag && *bound >= 32767, 1);
    MPI_Comm_create_keyval(copy_attr, delete_attr, &keyval, &extra);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_get_attr(copy, keyval, &value, &flag);
    EQUAL(flag, 0);
    MPI_Comm_set_attr(copy, keyval, array);
    MPI_Comm_dup(copy, &another);
    MPI_Comm_get_attr(another, keyval, &value, &flag);
    EQUAL(flag && value == array + 1, 1);
    EQUAL(copied, 3);
    MPI_Comm_free_keyval(&keyval);
    EQUAL(keyval, MPI_KEYVAL_INVALID);
    MPI_Comm_free(&another);
    MPI_Comm_free(&copy);
    EQUAL(deleted, 6);
}

static void infos(void)
{
    MPI_Info info, copy;
    char value[MPI_MAX_INFO_VAL + 1], key[MPI_MAX_INFO_KEY + 1];
    int flag, n;
    MPI_Info_create(&info);
    MPI_Info_set(info, "one", "1");
    MPI_Info_set(info, "two", "zwei");
    MPI_Info_set(info, "one", "eins");
    MPI_Info_dup(info, &copy);
    MPI_Info_delete(info, "one");
    MPI_Info_get(info, "one", MPI_MAX_INFO_VAL, value, &flag);
    EQUAL(flag, 0);
    CLASS(MPI_Info_delete(info, "one"), MPI_ERR_INFO_NOKEY);
    MPI_Info_get(copy, "one", 2, value, &flag);
    EQUAL(flag && strcmp(value, "ei") == 0, 1);
    MPI_Info_get_nkeys(copy, &n);
    EQUAL(n, 2);
    MPI_Info_get_nthkey(copy, 1, key);
    EQUAL(strcmp(key, "two"), 0);
    MPI_Info_get_valuelen(copy, "two", &n, &flag);
    EQUAL(n, 4);
    MPI_Info_free(&info);
    MPI_Info_free(&copy);
}

/* ---- groups, names, grids ---- */

static void groups(void)
{
    MPI_Group world, all, none, back;
    MPI_Comm comm;
    int range[1][3] = {{size - 1, 0, -1}}, n, result, first = 0, place;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_range_incl(world, 1, range, &back);
    MPI_Group_rank(back, &n);
    EQUAL(n, size - 1 - rank);
    MPI_Group_compare(world, back, &result);
    EQUAL(result, size == 1 ? MPI_IDENT : MPI_SIMILAR);
    MPI_Group_union(back, world, &all);
    MPI_Group_size(all, &n);
    EQUAL(n, size);
    MPI_Group_difference(all, world, &none);
    EQUAL(none == MPI_GROUP_EMPTY, 1);
    MPI_Group_translate_ranks(back, 1, &first, world, &place);
    EQUAL(place, size - 1);
    MPI_Comm_create(MPI_COMM_WORLD, back, &comm);
    MPI_Comm_compare(MPI_COMM_WORLD, comm, &result);
    EQUAL(result, size == 1 ? MPI_CONGRUENT : MPI_SIMILAR);
    MPI_Comm_free(&comm);
    MPI_Comm_create_group(MPI_COMM_WORLD, back, 4, &comm);
    MPI_Comm_rank(comm, &n);
    EQUAL(n, size - 1 - rank);
    MPI_Comm_free(&comm);
    MPI_Group_free(&world);
    MPI_Group_free(&all);
    MPI_Group_free(&none);
    MPI_Group_free(&back);
}

static void names(void)
{
    char text[MPI_MAX_OBJECT_NAME];
    int length, kind;
    MPI_Comm copy;
    MPI_Comm_get_name(MPI_COMM_WORLD, text, &length);
    EQUAL(strcmp(text, "MPI_COMM_WORLD"), 0);
    MPI_Comm_dup(MPI_COMM_SELF, &copy);
    MPI_Comm_set_name(copy, "a copy");
    MPI_Comm_get_name(copy, text, &length);
    EQUAL(length, 6);
    MPI_Topo_test(copy, &kind);
    EQUAL(kind, MPI_UNDEFINED);
    MPI_Comm_free(&copy);
    MPI_Type_get_name(MPI_DOUBLE, text, &length);
    EQUAL(strcmp(text, "MPI_DOUBLE"), 0);
}

static void grids(void)
{
    int dims[3] = {0, 0, 0}, periods[3] = {1, 0, 1}, coords[3], n, source, dest, back;
    int remains[3] = {1, 0, 1};
    MPI_Comm cart, part;
    MPI_Dims_create(12, 3, dims);
    EQUAL(dims[0] * 100 + dims[1] * 10 + dims[2], 322);
    dims[0] = dims[2] = 0;
    dims[1] = 1;
    MPI_Dims_create(size, 3, dims);
    EQUAL(dims[0] * dims[2], size);
    MPI_Cart_create(MPI_COMM_WORLD, 3, dims, periods, 1, &cart);
    MPI_Cart_coords(cart, rank, 3, coords);
    MPI_Cart_rank(cart, coords, &n);
    EQUAL(n, rank);
    MPI_Cart_shift(cart, 1, 1, &source, &dest);
    EQUAL(source == MPI_PROC_NULL && dest == MPI_PROC_NULL, 1);
    MPI_Cart_shift(cart, 0, 1, &source, &dest);
    MPI_Sendrecv(&rank, 1, MPI_INT, dest, 0, &back, 1, MPI_INT, source, 0, cart, MPI_STATUS_IGNORE);
    EQUAL(back, source);
    MPI_Cart_sub(cart, remains, &part);
    MPI_Cartdim_get(part, &n);
    EQUAL(n, 2);
    MPI_Comm_size(part, &n);
    EQUAL(n, size);
    MPI_Comm_free(&part);
    MPI_Comm_free(&cart);
}

/* A ring in which each rank has two neighbours. */
static void graphs(void)
{
    int *index = malloc((size_t)size * sizeof(int)),
        *edges = malloc(2 * (size_t)size * sizeof(int));
    int nodes, n, two[2], got[2];
    MPI_Comm ring;
    for (int i = 0; i < size; i++) {
        index[i] = 2 * (i + 1);
        edges[2 * i] = (i + size - 1) % size;
        edges[2 * i + 1] = (i + 1) % size;
    }
    MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 0, &ring);
    MPI_Graphdims_get(ring, &nodes, &n);
    EQUAL(nodes * 2, n);
    MPI_Graph_neighbors_count(ring, size - 1, &n);
    EQUAL(n, 2);
    MPI_Graph_neighbors(ring, rank, 2, two);
    MPI_Neighbor_allgather(&rank, 1, MPI_INT, got, 1, MPI_INT, ring);
    EQUAL(got[0] * 100 + got[1], two[0] * 100 + two[1]);
    MPI_Topo_test(ring, &n);
    EQUAL(n, MPI_GRAPH);
    MPI_Comm_free(&ring);
    edges[0] = size;
    CLASS(MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 0, &ring), MPI_ERR_RANK);
    free(index);
    free(edges);
}

/* ---- datatypes ---- */

static void contents(void)
{
    int integers, addresses, types, combiner, value[3];
    MPI_Datatype vector, inner;
    MPI_Status status;
    MPI_Type_vector(3, 2, 4, MPI_SHORT, &vector);
    MPI_Type_get_envelope(vector, &integers, &addresses, &types, &combiner);
    EQUAL(combiner == MPI_COMBINER_VECTOR && integers == 3 && addresses == 0 && types == 1, 1);
    MPI_Type_get_contents(vector, 3, 0, 1, value, NULL, &inner);
    EQUAL(value[0] * 100 + value[1] * 10 + value[2], 324);
    EQUAL(inner == MPI_SHORT, 1);
    memset(&status, 0, sizeof(status));
    MPI_Type_commit(&vector);
    MPI_Status_set_elements(&status, MPI_SHORT, 7);
    MPI_Get_count(&status, vector, &integers);
    EQUAL(integers, MPI_UNDEFINED);
    MPI_Get_elements(&status, vector, &integers);
    EQUAL(integers, 7);
    MPI_Type_free(&vector);
    EQUAL(vector == MPI_DATATYPE_NULL, 1);
}

static int asked;

static int query(void *extra, MPI_Status *status)
{
    asked += *(int *)extra;
    MPI_Status_set_elements(status, MPI_INT, 2);
    MPI_Status_set_cancelled(status, 0);
    return MPI_SUCCESS;
}

static int release(void *extra)
{
    asked += *(int *)extra;
    return MPI_SUCCESS;
}

static int cancel(void *extra, int complete)
{
    (void)extra;
    (void)complete;
    return MPI_SUCCESS;
}

static void general_requests(void)
{
    MPI_Request request;
    MPI_Status status;
    int extra = 5, flag, n;
    MPI_Grequest_start(query, release, cancel, &extra, &request);
    MPI_Test(&request, &flag, &status);
    EQUAL(flag, 0);
    MPI_Grequest_complete(request);
    MPI_Wait(&request, &status);
    MPI_Get_count(&status, MPI_INT, &n);
    EQUAL(n, 2);
    EQUAL(asked, 10);
}

static void later(void)
{
    MPI_Comm copy, host;
    MPI_Request request;
    int n, sum, one = 1, flag;
    MPI_Comm_idup(MPI_COMM_WORLD, &copy, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, copy);
    EQUAL(sum, size);
    MPI_Comm_split_type(copy, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    MPI_Comm_size(host, &n);
    MPI_Comm_rank(host, &one);
    if (getenv("APELINK_HOST") == NULL) {
        EQUAL(n, size);
    }
    n = one == 0 ? n : 0; /* the parts make up the whole */
    MPI_Allreduce(&n, &sum, 1, MPI_INT, MPI_SUM, copy);
    EQUAL(sum, size);
    MPI_Comm_free(&host);
    MPI_Comm_free(&copy);
    MPI_Waitany(1, &request, &n, MPI_STATUS_IGNORE);
    EQUAL(n, MPI_UNDEFINED);
    MPI_Testall(1, &request, &flag, MPI_STATUSES_IGNORE);
    EQUAL(flag, 1);
}

int main(int argc, char **argv)
{
    int flag;
    MPI_Initialized(&flag);
    EQUAL(flag, 0);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc > 1) { /* on purpose: the default handler ends the job */
        MPI_Send(&size, 1, MPI_INT, size, 0, MPI_COMM_WORLD);
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    errors_of_messages();
    errors_of_others();
    error_handlers();
    attributes();
    infos();
    groups();
    names();
    grids();
    graphs();
    contents();
    general_requests();
    later();
    if (rank == 0) {
        printf("MT-OK mpi_calls checks=%d\n", checks);
    }
    PMPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    MPI_Finalized(&flag);
    return !flag;
}
