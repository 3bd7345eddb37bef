/* SPDX-License-Identifier: BSD-3-Clause */
/* Waits for words that the other of two ranks stores: fences, exposures and contended locks. Each
 * of the 3 * ROUNDS waits is in vain at first where both share a core.
 *     rma_words [threads]    threads: the ranks are threads of this process */
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>

enum { ROUNDS = 300 };

static void *body(void *arg)
{
    MPI_Group all, other;
    MPI_Win window;
    void *base;
    int rank, peer;

    (void)arg;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    peer = 1 - rank;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &peer, &other);
    MPI_Win_allocate(8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window);
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Win_fence(0, window);
    }
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Win_post(other, 0, window);
        MPI_Win_start(other, 0, window);
        MPI_Win_complete(window);
        MPI_Win_wait(window);
    }
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
        MPI_Win_unlock(0, window);
    }
    MPI_Win_free(&window);
    MPI_Group_free(&other);
    MPI_Group_free(&all);
    MPI_Finalize();
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread[2];

    (void)argv;
    if (argc == 1) {
        body(NULL);
        return 0;
    }
    setenv("PRESTO_THREADS", "2", 1);
    for (int i = 0; i < 2; i++) {
        pthread_create(&thread[i], NULL, body, NULL);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(thread[i], NULL);
    }
    return 0;
}
