/* SPDX-License-Identifier: BSD-3-Clause */
/* One-sided communication where the programs in tests/mpi do not go: errors, attributes, shared and
 * dynamic windows, exposures to some ranks, derived types and unusual ones, contention. A plain MPI
 * program for one or more ranks.
 *     rma_calls [threads N]    N: the ranks are threads of this process */
#include "rma_calls.h"

#include <pthread.h>

_Thread_local int rank, size, checks;

void rma_fail(const char *file, int line, const char *what, long long got, long long want)
{
    fprintf(stderr, "%s:%d: rank %d of %d: %s: %lld instead of %lld\n", file, line, rank, size,
            what, got, want);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void *body(void *arg)
{
    (void)arg;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    rma_attributes();
    rma_errors();
    rma_shared_of(0);
    rma_shared_of(1);
    rma_dynamic();
    rma_pieces();
    rma_exposures();
    rma_types(0);
    rma_types(1);
    rma_locks();
    rma_greed();
    rma_trace(0);
    rma_trace(1);
    rma_long(MPI_WIN_FLAVOR_CREATE);
    rma_long(MPI_WIN_FLAVOR_ALLOCATE);
    rma_long(MPI_WIN_FLAVOR_DYNAMIC);
    rma_large();
    rma_runs(MPI_WIN_FLAVOR_CREATE);
    rma_runs(MPI_WIN_FLAVOR_DYNAMIC);
    rma_requests();
    rma_part_of_the_ranks();
    if (rank == 0) {
        printf("MT-OK rma_calls checks=%d\n", checks);
    }
    MPI_Finalize();
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread[64];
    if (argc < 3 || strcmp(argv[1], "threads") != 0) {
        body(NULL);
        return 0;
    }
    int n = atoi(argv[2]);
    setenv("PRESTO_THREADS", argv[2], 1);
    for (int i = 0; i < n; i++) {
        pthread_create(&thread[i], NULL, body, NULL);
    }
    for (int i = 0; i < n; i++) {
        pthread_join(thread[i], NULL);
    }
    return 0;
}
