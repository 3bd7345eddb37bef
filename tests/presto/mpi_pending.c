/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: presto/mpi/wait.c presto/core/recv.c presto/core/request.c
 *
 * Receives from any source when the last rank dies: those that are pending stay, however they are
 * waited for, until the death is acknowledged; then they take what comes. All ranks that end print
 * a line. */
#include <mpi.h>
#include <mpi-ext.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static int rank, size;

static void must(int holds, const char *what, int line)
{
    if (!holds) {
        fprintf(stderr, "mpi_pending: rank %d, line %d: not so: %s\n", rank, line, what);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}
#define MUST(holds) must(holds, #holds, __LINE__)

static int class_of(int code)
{
    int class;

    MPI_Error_class(code, &class);
    return class;
}
#define FAILED(code)  (class_of(code) == MPIX_ERR_PROC_FAILED)
#define PENDING(code) (class_of(code) == MPIX_ERR_PROC_FAILED_PENDING)
#define SEVERAL(code) (class_of(code) == MPI_ERR_IN_STATUS)

enum { ANY = 2, NAMED = 2, COUNT = 3, GO = 9 };

/* All that wait or test say it, and nothing is taken away. */
static void say(MPI_Request *all, int n)
{
    MPI_Request before[COUNT];
    MPI_Status statuses[COUNT];
    char text[MPI_MAX_ERROR_STRING];
    int index, indices[COUNT], flag = 7, found = 7, length;

    memcpy(before, all, sizeof before);
    MUST(PENDING(MPI_Wait(&all[1], MPI_STATUS_IGNORE)));
    MUST(PENDING(MPI_Test(&all[0], &flag, MPI_STATUS_IGNORE)) && flag == 0);
    MUST(PENDING(MPI_Request_get_status(all[0], &flag, MPI_STATUS_IGNORE)) && flag == 0);
    MUST(PENDING(MPI_Waitany(n, all, &index, MPI_STATUS_IGNORE)) && index == 0);
    MUST(PENDING(MPI_Testany(n, all, &index, &flag, MPI_STATUS_IGNORE)) && index == 0 && flag == 0);
    MUST(PENDING(MPI_Testall(n, all, &flag, MPI_STATUSES_IGNORE)) && flag == 0);
    MUST(SEVERAL(MPI_Waitsome(n, all, &found, indices, statuses)) && found == 1);
    MUST(indices[0] == 0 && PENDING(statuses[0].MPI_ERROR));
    MUST(SEVERAL(MPI_Testsome(n, all, &found, indices, statuses)) && found == 1);
    MUST(indices[0] == 0 && PENDING(statuses[0].MPI_ERROR));
    MUST(SEVERAL(MPI_Waitall(n, all, statuses)));
    MUST(PENDING(statuses[0].MPI_ERROR) && PENDING(statuses[1].MPI_ERROR));
    MUST(n == ANY || class_of(statuses[NAMED].MPI_ERROR) == MPI_ERR_PENDING);
    MUST(memcmp(before, all, sizeof before) == 0);
    MPI_Error_string(MPIX_ERR_PROC_FAILED_PENDING, text, &length);
    MUST(strstr(text, "has died") != NULL);
}

int main(int argc, char **argv)
{
    int value[COUNT] = {-1, -1, -1}, late, go = 0, count, cancelled, left, right, n;
    MPI_Request all[COUNT], other;
    MPI_Status status;
    MPI_Comm comm, living;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    n = size - 1; /* that live */
    right = (rank + 1) % (n > 0 ? n : 1);
    left = (rank + n - 1) % (n > 0 ? n : 1);
    MUST(MPI_Comm_split(comm, rank == n ? MPI_UNDEFINED : 0, 0, &living) == MPI_SUCCESS);
    if (rank == n) {
        for (int i = 0; i < n; i++) {
            MUST(MPI_Recv(&go, 1, MPI_INT, i, GO, comm, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        }
        raise(SIGKILL);
    }
    MUST(MPI_Irecv(&value[0], 1, MPI_INT, MPI_ANY_SOURCE, 1, comm, &all[0]) == MPI_SUCCESS);
    MUST(MPI_Recv_init(&value[1], 1, MPI_INT, MPI_ANY_SOURCE, 2, comm, &all[1]) == MPI_SUCCESS);
    MUST(MPI_Start(&all[1]) == MPI_SUCCESS);
    MUST(MPI_Irecv(&value[NAMED], 1, MPI_INT, left, 3, comm, &all[NAMED]) == MPI_SUCCESS);
    MUST(MPI_Send(&go, 1, MPI_INT, n, GO, comm) == MPI_SUCCESS);
    say(all, COUNT);
    MUST(MPI_Barrier(living) == MPI_SUCCESS);

    /* What begins now is the same: it is cancelled, or freed, when it ends. */
    MUST(FAILED(MPI_Recv(&late, 1, MPI_INT, MPI_ANY_SOURCE, 4, comm, MPI_STATUS_IGNORE)));
    MUST(MPI_Irecv(&late, 1, MPI_INT, MPI_ANY_SOURCE, 4, comm, &other) == MPI_SUCCESS);
    MUST(PENDING(MPI_Wait(&other, &status)));
    MUST(MPI_Cancel(&other) == MPI_SUCCESS && MPI_Wait(&other, &status) == MPI_SUCCESS);
    MUST(MPI_Test_cancelled(&status, &cancelled) == MPI_SUCCESS && cancelled);
    MUST(MPI_Irecv(&late, 1, MPI_INT, MPI_ANY_SOURCE, 4, comm, &other) == MPI_SUCCESS);
    MUST(MPI_Request_free(&other) == MPI_SUCCESS);

    /* What comes is taken without an acknowledgement, too. */
    MUST(MPI_Send(&rank, 1, MPI_INT, right, 3, comm) == MPI_SUCCESS);
    MUST(MPI_Wait(&all[NAMED], MPI_STATUS_IGNORE) == MPI_SUCCESS && value[NAMED] == left);
    say(all, ANY);
    MUST(MPI_Barrier(living) == MPI_SUCCESS);
    MUST(MPI_Send(&rank, 1, MPI_INT, right, 1, comm) == MPI_SUCCESS);
    while (PENDING(MPI_Wait(&all[0], &status))) {
    }
    MUST(value[0] == left && status.MPI_SOURCE == left && all[0] == MPI_REQUEST_NULL);

    MUST(MPIX_Comm_ack_failed(comm, 1, &count) == MPI_SUCCESS && count == 1);
    MUST(MPI_Test(&all[1], &count, MPI_STATUS_IGNORE) == MPI_SUCCESS && count == (value[1] != -1));
    MUST(MPI_Send(&rank, 1, MPI_INT, right, 2, comm) == MPI_SUCCESS);
    MUST(MPI_Wait(&all[1], MPI_STATUS_IGNORE) == MPI_SUCCESS && value[1] == left);
    MUST(MPI_Request_free(&all[1]) == MPI_SUCCESS);
    MUST(MPI_Barrier(living) == MPI_SUCCESS && MPI_Comm_free(&living) == MPI_SUCCESS);
    MUST(MPIX_Comm_revoke(comm) == MPI_SUCCESS && MPI_Comm_free(&comm) == MPI_SUCCESS);
    printf("rank %d ends\n", rank);
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
