/* SPDX-License-Identifier: BSD-3-Clause */
/* Arguments that make no sense: each gives the class that MPI names for it. With the name of one of
 * the mistakes as its argument the program makes that one, and the default error handler ends the
 * job. A plain MPI program for one or more ranks. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static int rank, size, checks;

static void fail(int line, const char *what, int got, int want)
{
    fprintf(stderr, "mpi_wrong.c:%d: rank %d: %s: class %d instead of %d\n", line, rank, what, got,
            want);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void check(int line, const char *what, int code, int want)
{
    int class = MPI_SUCCESS;
    if (code != MPI_SUCCESS) {
        MPI_Error_class(code, &class);
    }
    checks++;
    if (class != want) {
        fail(line, what, class, want);
    }
}

#define CLASS(call, want) check(__LINE__, #call, call, want)

static int word;
static MPI_Comm world;

/* ---- messages ---- */

static void messages(void)
{
    MPI_Request request;
    MPI_Status status;
    MPI_Datatype raw;
    MPI_Type_contiguous(2, MPI_INT, &raw);
    CLASS(MPI_Send(NULL, 1, MPI_INT, rank, 0, world), MPI_ERR_BUFFER);
    CLASS(MPI_Ssend(NULL, 1, MPI_INT, rank, 0, world), MPI_ERR_BUFFER);
    CLASS(MPI_Recv(NULL, 1, MPI_INT, rank, 0, world, &status), MPI_ERR_BUFFER);
    CLASS(MPI_Isend(NULL, 1, MPI_INT, rank, 0, world, &request), MPI_ERR_BUFFER);
    CLASS(MPI_Irecv(NULL, 1, MPI_INT, rank, 0, world, &request), MPI_ERR_BUFFER);
    CLASS(MPI_Sendrecv(&word, 1, MPI_INT, size, 0, &word, 1, MPI_INT, rank, 0, world, &status),
          MPI_ERR_RANK);
    CLASS(MPI_Sendrecv(&word, 1, MPI_INT, rank, 0, &word, 1, raw, rank, 0, world, &status),
          MPI_ERR_TYPE);
    CLASS(MPI_Probe(size, 0, world, &status), MPI_ERR_RANK);
    CLASS(MPI_Send_init(&word, 1, MPI_INT, rank, -2, world, &request), MPI_ERR_TAG);
    /* No data is no mistake. */
    CLASS(MPI_Isend(NULL, 0, MPI_INT, rank, 1, world, &request), MPI_SUCCESS);
    CLASS(MPI_Recv(NULL, 0, MPI_INT, rank, 1, world, &status), MPI_SUCCESS);
    CLASS(MPI_Wait(&request, &status), MPI_SUCCESS);
    MPI_Type_free(&raw);
}

/* ---- collective operations ---- */

static void collectives(void)
{
    int *counts = calloc((size_t)size, sizeof(int)), out;
    int *parts = calloc((size_t)size, sizeof(int));
    MPI_Datatype raw;
    MPI_Type_contiguous(2, MPI_INT, &raw);
    CLASS(MPI_Bcast(&word, 1, MPI_INT, -1, world), MPI_ERR_ROOT);
    CLASS(MPI_Bcast(&word, 1, raw, 0, world), MPI_ERR_TYPE);
    CLASS(MPI_Bcast(&word, -1, MPI_INT, 0, world), MPI_ERR_COUNT);
    CLASS(MPI_Barrier(MPI_COMM_NULL), MPI_ERR_COMM);
    CLASS(MPI_Alltoallv(parts, NULL, counts, MPI_INT, parts, counts, counts, MPI_INT, world),
          MPI_ERR_ARG);
    CLASS(MPI_Reduce(&word, &out, 1, MPI_DOUBLE_INT, MPI_SUM, 0, world), MPI_ERR_OP);
    CLASS(MPI_Reduce_local(MPI_IN_PLACE, &out, 1, MPI_INT, MPI_SUM), MPI_ERR_BUFFER);
    CLASS(MPI_Reduce_local(&out, MPI_IN_PLACE, 1, MPI_INT, MPI_SUM), MPI_ERR_BUFFER);
    CLASS(MPI_Reduce_local(&out, &out, 1, MPI_INT, MPI_SUM), MPI_ERR_BUFFER);
    counts[size - 1] = -4;
    CLASS(MPI_Allgatherv(&word, 0, MPI_INT, parts, counts, counts, MPI_INT, world), MPI_ERR_COUNT);
    /* What only the root says does not matter elsewhere. */
    if (rank == 0) {
        CLASS(MPI_Gather(&word, 1, MPI_INT, parts, 1, MPI_INT, 0, world), MPI_SUCCESS);
    } else {
        CLASS(MPI_Gather(&word, 1, MPI_INT, NULL, -1, MPI_DATATYPE_NULL, 0, world), MPI_SUCCESS);
    }
    MPI_Type_free(&raw);
    free(counts);
    free(parts);
}

/* What is sent and what is received begin at the same byte. A rank that is not the root may give
 * the same address twice, since it receives nothing. */
static void aliases_of_roots(int *data, int *counts, int *places)
{
    MPI_Comm alone;
    MPI_Request request;
    MPI_Comm_dup(MPI_COMM_SELF, &alone);
    MPI_Comm_set_errhandler(alone, MPI_ERRORS_RETURN);
    counts[0] = 1;
    CLASS(MPI_Reduce(data, data, 1, MPI_INT, MPI_SUM, 0, alone), MPI_ERR_BUFFER);
    CLASS(MPI_Gather(data, 1, MPI_INT, data, 1, MPI_INT, 0, alone), MPI_ERR_BUFFER);
    CLASS(MPI_Gatherv(data, 1, MPI_INT, data, counts, places, MPI_INT, 0, alone), MPI_ERR_BUFFER);
    CLASS(MPI_Scatter(data, 1, MPI_INT, data, 1, MPI_INT, 0, alone), MPI_ERR_BUFFER);
    CLASS(MPI_Scatterv(data, counts, places, MPI_INT, data, 1, MPI_INT, 0, alone), MPI_ERR_BUFFER);
    CLASS(MPI_Igather(data, 1, MPI_INT, data, 1, MPI_INT, 0, alone, &request), MPI_ERR_BUFFER);
    CLASS(MPI_Gather(data, 0, MPI_INT, data, 0, MPI_INT, 0, alone), MPI_SUCCESS);
    CLASS(MPI_Gather(MPI_IN_PLACE, 1, MPI_INT, data, 1, MPI_INT, 0, alone), MPI_SUCCESS);
    CLASS(MPI_Scatter(data, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, 0, alone), MPI_SUCCESS);
    MPI_Comm_free(&alone);
    int *root = rank == 0 ? &word : data;
    CLASS(MPI_Reduce(data, root, 1, MPI_INT, MPI_SUM, 0, world), MPI_SUCCESS);
    CLASS(MPI_Gather(root, 1, MPI_INT, data, 1, MPI_INT, 0, world), MPI_SUCCESS);
}

static void aliases_of_all(int *data, int *counts, int *places, MPI_Datatype *types)
{
    MPI_Request request;
    for (int i = 0; i < size; i++) {
        counts[i] = 1;
        places[i] = i;
        types[i] = MPI_INT;
    }
    CLASS(MPI_Allreduce(data, data, 1, MPI_INT, MPI_SUM, world), MPI_ERR_BUFFER);
    CLASS(MPI_Iallreduce(data, data, 1, MPI_INT, MPI_SUM, world, &request), MPI_ERR_BUFFER);
    CLASS(MPI_Scan(data, data, 1, MPI_INT, MPI_SUM, world), MPI_ERR_BUFFER);
    CLASS(MPI_Exscan(data, data, 1, MPI_INT, MPI_SUM, world), MPI_ERR_BUFFER);
    CLASS(MPI_Reduce_scatter(data, data, counts, MPI_INT, MPI_SUM, world), MPI_ERR_BUFFER);
    CLASS(MPI_Reduce_scatter_block(data, data, 1, MPI_INT, MPI_SUM, world), MPI_ERR_BUFFER);
    CLASS(MPI_Allgather(data + rank, 1, MPI_INT, data, 1, MPI_INT, world), MPI_ERR_BUFFER);
    CLASS(MPI_Allgatherv(data + rank, 1, MPI_INT, data, counts, places, MPI_INT, world),
          MPI_ERR_BUFFER);
    CLASS(MPI_Alltoall(data, 1, MPI_INT, data, 1, MPI_INT, world), MPI_ERR_BUFFER);
    CLASS(MPI_Ialltoall(data, 1, MPI_INT, data, 1, MPI_INT, world, &request), MPI_ERR_BUFFER);
    CLASS(MPI_Alltoallv(data, counts, places, MPI_INT, data, counts, places, MPI_INT, world),
          MPI_ERR_BUFFER);
    CLASS(MPI_Alltoallw(data, counts, places, types, data, counts, places, types, world),
          MPI_ERR_BUFFER);
    CLASS(MPI_Allreduce(data, data, 0, MPI_INT, MPI_SUM, world), MPI_SUCCESS);
    CLASS(MPI_Allreduce(MPI_IN_PLACE, data, 1, MPI_INT, MPI_SUM, world), MPI_SUCCESS);
    CLASS(MPI_Alltoall(MPI_IN_PLACE, 0, NULL, data, 1, MPI_INT, world), MPI_SUCCESS);
}

/* One array has what is sent as well as what is received, next to each other. */
static void no_aliases(int *data, int *counts, int *places)
{
    int *behind = calloc((size_t)size, sizeof(int));
    for (int i = 0; i < size; i++) {
        behind[i] = size + i;
    }
    CLASS(MPI_Alltoallv(data, counts, places, MPI_INT, data, counts, behind, MPI_INT, world),
          MPI_SUCCESS);
    CLASS(MPI_Allgather(data + size + rank, 1, MPI_INT, data, 1, MPI_INT, world), MPI_SUCCESS);
    free(behind);
}

/* The same address, by way of MPI_BOTTOM. */
static void alias_by_type(void)
{
    MPI_Aint place;
    MPI_Datatype type;
    MPI_Get_address(&word, &place);
    MPI_Type_create_hindexed_block(1, 1, &place, MPI_INT, &type);
    MPI_Type_commit(&type);
    CLASS(MPI_Alltoall(MPI_BOTTOM, 1, type, &word, 1, MPI_INT, MPI_COMM_SELF), MPI_ERR_BUFFER);
    MPI_Type_free(&type);
}

static void aliases(void)
{
    int *data = calloc(2 * (size_t)size, sizeof(int)), *counts = calloc((size_t)size, sizeof(int));
    int *places = calloc((size_t)size, sizeof(int));
    MPI_Datatype *types = calloc((size_t)size, sizeof(MPI_Datatype));
    aliases_of_roots(data, counts, places);
    aliases_of_all(data, counts, places, types);
    no_aliases(data, counts, places);
    alias_by_type();
    free(types);
    free(places);
    free(counts);
    free(data);
}

/* ---- groups and communicators ---- */

static void groups(void)
{
    MPI_Group all, out;
    int twice[2] = {0, 0}, range[1][3] = {{0, 0, 0}}, beyond = size;
    MPI_Comm_group(world, &all);
    CLASS(MPI_Group_size(all, NULL), MPI_ERR_ARG);
    CLASS(MPI_Group_size(MPI_GROUP_NULL, &word), MPI_ERR_GROUP);
    CLASS(MPI_Group_rank(all, NULL), MPI_ERR_ARG);
    CLASS(MPI_Group_compare(all, all, NULL), MPI_ERR_ARG);
    CLASS(MPI_Group_incl(all, 2, twice, &out), MPI_ERR_RANK);
    CLASS(MPI_Group_incl(all, 1, &beyond, &out), MPI_ERR_RANK);
    CLASS(MPI_Group_incl(all, 1, NULL, &out), MPI_ERR_ARG);
    CLASS(MPI_Group_excl(all, -1, twice, &out), MPI_ERR_ARG);
    CLASS(MPI_Group_range_incl(all, 1, NULL, &out), MPI_ERR_ARG);
    CLASS(MPI_Group_range_excl(all, 1, range, NULL), MPI_ERR_ARG);
    CLASS(MPI_Group_union(all, all, NULL), MPI_ERR_ARG);
    CLASS(MPI_Group_difference(all, MPI_GROUP_NULL, &out), MPI_ERR_GROUP);
    CLASS(MPI_Group_translate_ranks(all, 1, NULL, all, &word), MPI_ERR_ARG);
    CLASS(MPI_Group_translate_ranks(all, 1, &beyond, all, &word), MPI_ERR_RANK);
    CLASS(MPI_Group_translate_ranks(all, 0, NULL, all, NULL), MPI_SUCCESS);
    CLASS(MPI_Group_free(NULL), MPI_ERR_ARG);
    MPI_Group_free(&all);
    CLASS(MPI_Group_free(&all), MPI_ERR_GROUP);
}

static void communicators(void)
{
    MPI_Group all, own;
    MPI_Comm alone, out;
    MPI_Request request;
    MPI_Comm_group(world, &all);
    MPI_Comm_dup(MPI_COMM_SELF, &alone);
    MPI_Comm_set_errhandler(alone, MPI_ERRORS_RETURN);
    CLASS(MPI_Comm_size(world, NULL), MPI_ERR_ARG);
    CLASS(MPI_Comm_rank(world, NULL), MPI_ERR_ARG);
    CLASS(MPI_Comm_size(MPI_COMM_NULL, &word), MPI_ERR_COMM);
    CLASS(MPI_Comm_group(world, NULL), MPI_ERR_ARG);
    CLASS(MPI_Comm_get_info(world, NULL), MPI_ERR_ARG);
    CLASS(MPI_Comm_dup(world, NULL), MPI_ERR_ARG);
    CLASS(MPI_Comm_idup(world, NULL, &request), MPI_ERR_ARG);
    CLASS(MPI_Comm_split(world, 0, 0, NULL), MPI_ERR_ARG);
    CLASS(MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, NULL), MPI_ERR_ARG);
    CLASS(MPI_Comm_split_type(world, 4711, 0, MPI_INFO_NULL, &out), MPI_ERR_ARG);
    CLASS(MPI_Comm_create(world, all, NULL), MPI_ERR_ARG);
    CLASS(MPI_Comm_create(world, MPI_GROUP_NULL, &out), MPI_ERR_GROUP);
    CLASS(MPI_Comm_create_group(world, all, -1, &out), MPI_ERR_TAG);
    CLASS(MPI_Comm_create_group(world, all, 0, NULL), MPI_ERR_ARG);
    if (size > 1) { /* ranks that the communicator does not have */
        CLASS(MPI_Comm_create(alone, all, &out), MPI_ERR_GROUP);
        CLASS(MPI_Comm_create_group(alone, all, 0, &out), MPI_ERR_GROUP);
    }
    MPI_Comm_group(alone, &own);
    CLASS(MPI_Comm_create(alone, own, &out), MPI_SUCCESS);
    MPI_Comm_free(&out);
    CLASS(MPI_Intercomm_create(alone, 1, world, 0, 0, &out), MPI_ERR_RANK);
    CLASS(MPI_Intercomm_create(alone, 0, world, 0, 0, NULL), MPI_ERR_ARG);
    CLASS(MPI_Intercomm_merge(alone, 0, &out), MPI_ERR_COMM);
    MPI_Comm_free(&alone);
    MPI_Group_free(&all);
    MPI_Group_free(&own);
}

/* ---- datatypes and attributes ---- */

static void datatypes(void)
{
    MPI_Datatype out;
    MPI_Aint place = 0;
    MPI_Count large;
    int lengths[2] = {1, -1}, places[2] = {0, 1};
    CLASS(MPI_Type_contiguous(1, MPI_INT, NULL), MPI_ERR_ARG);
    CLASS(MPI_Type_contiguous(-1, MPI_INT, &out), MPI_ERR_COUNT);
    CLASS(MPI_Type_vector(1, 1, 1, MPI_INT, NULL), MPI_ERR_ARG);
    CLASS(MPI_Type_vector(1, 1, 1, MPI_DATATYPE_NULL, &out), MPI_ERR_TYPE);
    CLASS(MPI_Type_indexed(2, lengths, places, MPI_INT, &out), MPI_ERR_ARG);
    CLASS(MPI_Type_size(MPI_INT, NULL), MPI_ERR_ARG);
    CLASS(MPI_Type_size_x(MPI_INT, NULL), MPI_ERR_ARG);
    CLASS(MPI_Type_get_extent(MPI_INT, &place, NULL), MPI_ERR_ARG);
    CLASS(MPI_Type_get_extent_x(MPI_INT, NULL, &large), MPI_ERR_ARG);
    CLASS(MPI_Type_get_true_extent(MPI_INT, NULL, &place), MPI_ERR_ARG);
    CLASS(MPI_Type_get_true_extent_x(MPI_DATATYPE_NULL, &large, &large), MPI_ERR_TYPE);
}

static void attributes(void)
{
    int of_comm, of_type, flag;
    void *value;
    MPI_Datatype type;
    MPI_Type_contiguous(2, MPI_INT, &type);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &of_comm, NULL);
    MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &of_type, NULL);
    CLASS(MPI_Comm_get_attr(world, of_type, &value, &flag), MPI_ERR_KEYVAL);
    CLASS(MPI_Comm_set_attr(world, of_type, &word), MPI_ERR_KEYVAL);
    CLASS(MPI_Type_get_attr(type, of_comm, &value, &flag), MPI_ERR_KEYVAL);
    CLASS(MPI_Comm_get_attr(world, MPI_KEYVAL_INVALID, &value, &flag), MPI_ERR_KEYVAL);
    CLASS(MPI_Comm_get_attr(world, of_comm, &value, &flag), MPI_SUCCESS);
    CLASS(MPI_Comm_free_keyval(&of_comm), MPI_SUCCESS);
    CLASS(MPI_Type_free_keyval(&of_type), MPI_SUCCESS);
    MPI_Type_free(&type);
}

/* ---- windows ---- */

static void windows(void)
{
    MPI_Win win;
    int memory[2] = {0, 0}, of_comm, flag;
    void *value;
    MPI_Win_create(memory, sizeof(memory), sizeof(int), MPI_INFO_NULL, world, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &of_comm, NULL);
    MPI_Win_fence(0, win);
    CLASS(MPI_Put(&word, 1, MPI_INT, size, 0, 1, MPI_INT, win), MPI_ERR_RANK);
    CLASS(MPI_Put(&word, -1, MPI_INT, 0, 0, 1, MPI_INT, win), MPI_ERR_COUNT);
    CLASS(MPI_Get(&word, 1, MPI_INT, 0, 0, 1, MPI_DATATYPE_NULL, win), MPI_ERR_TYPE);
    CLASS(MPI_Get(&word, 1, MPI_INT, 0, 2, 1, MPI_INT, win), MPI_ERR_RMA_RANGE);
    CLASS(MPI_Win_get_attr(win, of_comm, &value, &flag), MPI_ERR_KEYVAL);
    MPI_Win_fence(0, win);
    MPI_Comm_free_keyval(&of_comm);
    MPI_Win_free(&win);
}

/* Each call on what is no window. */
static void no_window(void)
{
    const MPI_Win none = MPI_WIN_NULL;
    MPI_Errhandler handler;
    MPI_Group group;
    MPI_Info info;
    MPI_Win win = MPI_WIN_NULL;
    MPI_Aint bytes;
    char name[MPI_MAX_OBJECT_NAME] = "";
    int n;
    void *value;
    CLASS(MPI_Win_free(&win), MPI_ERR_WIN);
    CLASS(MPI_Win_attach(none, &word, sizeof(word)), MPI_ERR_WIN);
    CLASS(MPI_Win_detach(none, &word), MPI_ERR_WIN);
    CLASS(MPI_Win_shared_query(none, 0, &bytes, &n, &value), MPI_ERR_WIN);
    CLASS(MPI_Win_get_group(none, &group), MPI_ERR_WIN);
    CLASS(MPI_Win_set_name(none, name), MPI_ERR_WIN);
    CLASS(MPI_Win_get_name(none, name, &n), MPI_ERR_WIN);
    CLASS(MPI_Win_set_info(none, MPI_INFO_NULL), MPI_ERR_WIN);
    CLASS(MPI_Win_get_info(none, &info), MPI_ERR_WIN);
    CLASS(MPI_Win_set_attr(none, 0, &word), MPI_ERR_WIN);
    CLASS(MPI_Win_get_attr(none, MPI_WIN_BASE, &value, &n), MPI_ERR_WIN);
    CLASS(MPI_Win_delete_attr(none, 0), MPI_ERR_WIN);
    CLASS(MPI_Win_set_errhandler(none, MPI_ERRORS_RETURN), MPI_ERR_WIN);
    CLASS(MPI_Win_get_errhandler(none, &handler), MPI_ERR_WIN);
    CLASS(MPI_Win_call_errhandler(none, MPI_ERR_OTHER), MPI_ERR_WIN);
    CLASS(MPI_Win_fence(0, none), MPI_ERR_WIN);
    CLASS(MPI_Win_post(MPI_GROUP_EMPTY, 0, none), MPI_ERR_WIN);
    CLASS(MPI_Win_start(MPI_GROUP_EMPTY, 0, none), MPI_ERR_WIN);
    CLASS(MPI_Win_complete(none), MPI_ERR_WIN);
    CLASS(MPI_Win_wait(none), MPI_ERR_WIN);
    CLASS(MPI_Win_test(none, &n), MPI_ERR_WIN);
    CLASS(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, none), MPI_ERR_WIN);
    CLASS(MPI_Win_unlock(0, none), MPI_ERR_WIN);
    CLASS(MPI_Win_lock_all(0, none), MPI_ERR_WIN);
    CLASS(MPI_Win_unlock_all(none), MPI_ERR_WIN);
    CLASS(MPI_Win_flush(0, none), MPI_ERR_WIN);
    CLASS(MPI_Win_flush_all(none), MPI_ERR_WIN);
    CLASS(MPI_Win_flush_local(0, none), MPI_ERR_WIN);
    CLASS(MPI_Win_flush_local_all(none), MPI_ERR_WIN);
    CLASS(MPI_Win_sync(none), MPI_ERR_WIN);
    CLASS(MPI_Put(&word, 1, MPI_INT, 0, 0, 1, MPI_INT, none), MPI_ERR_WIN);
    CLASS(MPI_Get(&word, 1, MPI_INT, 0, 0, 1, MPI_INT, none), MPI_ERR_WIN);
    CLASS(MPI_Accumulate(&word, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, none), MPI_ERR_WIN);
    CLASS(MPI_Fetch_and_op(&word, &n, MPI_INT, 0, 0, MPI_SUM, none), MPI_ERR_WIN);
    CLASS(MPI_Compare_and_swap(&word, &n, &n, MPI_INT, 0, 0, none), MPI_ERR_WIN);
}

/* ---- one mistake, and the end ---- */

/* A message from what is no memory. Where it is the kernel that copies, both sides are told. */
static void no_memory(void)
{
    enum { BYTES = 300000 };
    static char good[BYTES];
    char *bad = mmap(NULL, BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    MPI_Errhandler handlers[2] = {MPI_ERRORS_RETURN, MPI_ERRORS_ARE_FATAL};
    for (int i = 0; i < 2; i++) {
        MPI_Comm_set_errhandler(world, handlers[i]);
        if (rank == 0) {
            CLASS(MPI_Send(bad, BYTES, MPI_CHAR, 1, 0, world), MPI_ERR_BUFFER);
        } else if (rank == 1) {
            CLASS(MPI_Recv(good, BYTES, MPI_CHAR, 0, 0, world, MPI_STATUS_IGNORE), MPI_ERR_BUFFER);
        }
    }
}

/* An access of which a part was not attached. */
static void half_attached(void)
{
    static int both[2];
    MPI_Aint where;
    MPI_Win win;
    MPI_Win_create_dynamic(MPI_INFO_NULL, world, &win);
    MPI_Win_attach(win, &both[0], sizeof(int));
    MPI_Get_address(both, &where);
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
    MPI_Put(&word, 1, MPI_INT, rank, where, 1, MPI_INT, win);
    MPI_Put(both, 2, MPI_INT, rank, where, 2, MPI_INT, win);
}

static void mistake(const char *name)
{
    MPI_Datatype raw;
    MPI_Group all, out;
    MPI_Win win;
    int beyond = size;
    MPI_Type_contiguous(2, MPI_INT, &raw);
    MPI_Comm_group(world, &all);
    if (strcmp(name, "destination") == 0) {
        MPI_Send(&word, 1, MPI_INT, size, 0, world);
    }
    if (strcmp(name, "source") == 0) {
        MPI_Recv(&word, 1, MPI_INT, -7, 0, world, MPI_STATUS_IGNORE);
    }
    if (strcmp(name, "tag") == 0) {
        MPI_Send(&word, 1, MPI_INT, 0, -3, world);
    }
    if (strcmp(name, "count") == 0) {
        MPI_Bcast(&word, -5, MPI_INT, 0, world);
    }
    if (strcmp(name, "type") == 0) {
        MPI_Isend(&word, 1, raw, 0, 0, world, &(MPI_Request){0});
    }
    if (strcmp(name, "root") == 0) {
        MPI_Bcast(&word, 1, MPI_INT, size, world);
    }
    if (strcmp(name, "buffer") == 0) {
        MPI_Send(NULL, 1, MPI_INT, 0, 0, world);
    }
    if (strcmp(name, "op") == 0) {
        MPI_Allreduce(&word, &beyond, 1, MPI_DOUBLE_INT, MPI_SUM, world);
    }
    if (strcmp(name, "alias") == 0) {
        MPI_Allreduce(&word, &word, 1, MPI_INT, MPI_SUM, world);
    }
    if (strcmp(name, "group") == 0) {
        MPI_Group_incl(all, 1, &beyond, &out);
    }
    if (strcmp(name, "result") == 0) {
        MPI_Comm_size(world, NULL);
    }
    if (strcmp(name, "comm") == 0) {
        MPI_Barrier(MPI_COMM_NULL);
    }
    if (strcmp(name, "abort") == 0) {
        MPI_Abort(world, 256);
    }
    if (strcmp(name, "handler") == 0) {
        MPI_Comm_call_errhandler(world, 512);
    }
    if (strcmp(name, "memory") == 0) {
        no_memory();
    }
    if (strcmp(name, "attached") == 0) {
        half_attached();
    }
    if (strcmp(name, "target") == 0) {
        MPI_Win_create(&word, sizeof(word), 1, MPI_INFO_NULL, world, &win);
        MPI_Put(&word, 1, MPI_INT, size, 0, 1, MPI_INT, win);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &world);
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &size);
    if (argc > 1) {
        mistake(argv[1]);
    }
    MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    messages();
    collectives();
    aliases();
    groups();
    communicators();
    datatypes();
    attributes();
    windows();
    no_window();
    MPI_Barrier(world);
    if (rank == 0) {
        printf("MT-OK mpi_wrong checks=%d\n", checks);
    }
    MPI_Comm_free(&world);
    MPI_Finalize();
    return 0;
}
