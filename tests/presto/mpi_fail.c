/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rank 1 is killed while the others are in an operation of MPI, which is the argument. With
 * MPI_ERRORS_RETURN each of them gets an error whose text names the rank, and a communicator
 * without the rank still works; with a second argument, fatal, the default error handler ends the
 * job.
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROW = 10, DIES_AT = 3, MOST = 64 };

static int rank, size;
static MPI_File file;

static void must(int holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "mpi_fail: rank %d: %s\n", rank, what);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

/* Waits for it; what comes out is what started it, or how it ended. */
static int waited(int started, MPI_Request *request)
{
    return started != MPI_SUCCESS ? started : MPI_Wait(request, MPI_STATUS_IGNORE);
}

/* A file of integers, in turns those of each rank: they go by others. */
static MPI_File open_file(void)
{
    char path[4096];
    int pid = (int)getpid();
    MPI_Datatype type;
    MPI_Info info;
    MPI_File opened;

    MPI_Bcast(&pid, 1, MPI_INT, 0, MPI_COMM_WORLD);
    snprintf(path, sizeof(path), "%s/mpi_fail.%d", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp",
             pid);
    must(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                       &opened) == MPI_SUCCESS,
         "a file");
    MPI_Barrier(MPI_COMM_WORLD);
    unlink(path);
    MPI_Info_create(&info);
    MPI_Info_set(info, "romio_cb_write", "enable");
    MPI_Info_set(info, "romio_cb_read", "enable");
    MPI_Type_vector(MOST, 1, size, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_File_set_view(opened, rank * (MPI_Offset)sizeof(int), MPI_INT, type, "native", info);
    MPI_Type_free(&type);
    MPI_Info_free(&info);
    return opened;
}

static int call(const char *name)
{
    int in[MOST] = {0}, out[MOST];
    MPI_Request request;

    if (strcmp(name, "barrier") == 0) {
        return MPI_Barrier(MPI_COMM_WORLD);
    }
    if (strcmp(name, "allreduce") == 0) {
        return MPI_Allreduce(in, out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    if (strcmp(name, "alltoall") == 0) {
        return MPI_Alltoall(in, 1, MPI_INT, out, 1, MPI_INT, MPI_COMM_WORLD);
    }
    if (strcmp(name, "ibarrier") == 0) {
        return waited(MPI_Ibarrier(MPI_COMM_WORLD, &request), &request);
    }
    if (strcmp(name, "iallgather") == 0) {
        return waited(MPI_Iallgather(in, 1, MPI_INT, out, 1, MPI_INT, MPI_COMM_WORLD, &request),
                      &request);
    }
    if (strcmp(name, "write_all") == 0) {
        return MPI_File_write_at_all(file, 0, in, MOST, MPI_INT, MPI_STATUS_IGNORE);
    }
    if (strcmp(name, "read_all") == 0) {
        return MPI_File_read_at_all(file, 0, out, MOST, MPI_INT, MPI_STATUS_IGNORE);
    }
    if (strcmp(name, "ordered") == 0) {
        return MPI_File_write_ordered(file, in, MOST, MPI_INT, MPI_STATUS_IGNORE);
    }
    if (strcmp(name, "ssend") == 0) {
        return rank == 1 ? MPI_SUCCESS : MPI_Ssend(in, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
    }
    if (strcmp(name, "any") == 0) {
        return rank == 1
                   ? MPI_SUCCESS
                   : MPI_Recv(in, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    must(0, "an operation is needed: barrier, allreduce and so on");
    return MPI_SUCCESS;
}

static int row(const char *name)
{
    int all = strcmp(name, "ssend") != 0 && strcmp(name, "any") != 0, code = MPI_SUCCESS;

    for (int i = 0; i < ROW && (all || code == MPI_SUCCESS); i++) {
        if (rank == 1 && (!all || i == DIES_AT)) {
            raise(SIGKILL);
        }
        code = call(name);
    }
    return code;
}

static void go_on(MPI_Comm rest)
{
    int self, n, word, sum = 0, one = 1;
    MPI_Status status;

    MPI_Comm_rank(rest, &self);
    MPI_Comm_size(rest, &n);
    must(n == size - 1, "the size of the rest");
    must(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, rest) == MPI_SUCCESS && sum == n,
         "an allreduce of the rest");
    for (int i = 1; self == 0 && i < n; i++) {
        must(MPI_Recv(&word, 1, MPI_INT, MPI_ANY_SOURCE, 0, rest, &status) == MPI_SUCCESS &&
                 word == status.MPI_SOURCE,
             "a receive from any of the rest");
    }
    must(self == 0 || MPI_Send(&self, 1, MPI_INT, 0, 0, rest) == MPI_SUCCESS, "a send to the rest");
}

int main(int argc, char **argv)
{
    char text[MPI_MAX_ERROR_STRING];
    MPI_Group world, others;
    MPI_Comm rest;
    int length, code, gone = 1;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    must(argc > 1 && size > 2 && size <= MOST, "an argument, and 3 to 64 ranks");
    if (argc == 2) {
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    }
    if (strstr("write_all read_all ordered", argv[1]) != NULL) {
        file = open_file();
    }
    MPI_Barrier(MPI_COMM_WORLD);
    code = row(argv[1]);
    must(code != MPI_SUCCESS, "nothing has failed");
    MPI_Error_string(code, text, &length);
    must(strstr(text, "rank 1 of the job has died") != NULL, text);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_excl(world, 1, &gone, &others);
    must(MPI_Comm_create_group(MPI_COMM_WORLD, others, 0, &rest) == MPI_SUCCESS,
         "a communicator of the rest");
    go_on(rest);
    MPI_Group_free(&world);
    MPI_Group_free(&others);
    MPI_Comm_free(&rest);
    MPI_Finalize();
    return 0;
}
