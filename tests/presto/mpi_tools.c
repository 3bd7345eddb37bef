/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: mpi/tool.c mpi/tool_control.c mpi/tool_pvar.c core/stats.c core/environment.c */
/*
 * Threads of a tool, which are no ranks: one samples statistics from before MPI_Init until after
 * MPI_Finalize, some make and free handles of one session, some open and close the interface. A
 * plain MPI program for any number of ranks. With the argument "threads" and PRESTO_THREADS=2 the
 * ranks are two threads, beside which the main thread is a tool.
 */
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, ROUNDS = 2000, BEHIND = 100, TRAFFIC = 50 };

#define EXPECT(yes)                                                                       \
    do {                                                                                  \
        atomic_fetch_add_explicit(&checks, 1, memory_order_relaxed);                      \
        if (!(yes)) {                                                                     \
            fprintf(stderr, "%s:%d: this does not hold: %s\n", __FILE__, __LINE__, #yes); \
            exit(1);                                                                      \
        }                                                                                 \
    } while (0)

static atomic_int checks;
static MPI_T_pvar_session session;

/* ---- one that samples ---- */

enum phase { BEFORE, DURING, AFTER };

static _Atomic enum phase phase; /* release, and acquire in sample */
static atomic_int samples;       /* while the rank is there */

static void *sample(void *unused)
{
    MPI_T_pvar_handle handles[1024];
    int count, values, behind = 0;

    EXPECT(MPI_T_pvar_get_num(&count) == MPI_SUCCESS && count > 0 && count <= 1024);
    for (int i = 0; i < count; i++) {
        EXPECT(MPI_T_pvar_handle_alloc(session, i, NULL, &handles[i], &values) == MPI_SUCCESS);
    }
    while (behind < BEHIND) {
        enum phase now = atomic_load_explicit(&phase, memory_order_acquire);
        unsigned long long value, sum = 0;
        for (int i = 0; i < count; i++) {
            EXPECT(MPI_T_pvar_read(session, handles[i], &value) == MPI_SUCCESS);
            sum += value;
        }
        EXPECT(now != AFTER || sum == 0);
        if (now == DURING && sum > 0) {
            atomic_fetch_add_explicit(&samples, 1, memory_order_relaxed);
        }
        behind += now == AFTER;
        sched_yield();
    }
    return unused;
}

/* ---- several that share a session ---- */

static void *handle(void *unused)
{
    for (int i = 0; i < ROUNDS; i++) {
        MPI_T_pvar_handle mine[3];
        unsigned long long value;
        int values;
        for (int k = 0; k < 3; k++) {
            EXPECT(MPI_T_pvar_handle_alloc(session, k, NULL, &mine[k], &values) == MPI_SUCCESS);
        }
        EXPECT(MPI_T_pvar_read(session, mine[i % 3], &value) == MPI_SUCCESS);
        for (int k = 0; k < 3; k++) {
            EXPECT(MPI_T_pvar_handle_free(session, &mine[(k + i) % 3]) == MPI_SUCCESS);
        }
    }
    return unused;
}

/* ---- several that end what others have begun ---- */

static atomic_int ended;

static void *end(void *unused)
{
    int code;
    while ((code = MPI_T_finalize()) == MPI_SUCCESS) {
        atomic_fetch_add_explicit(&ended, 1, memory_order_relaxed);
    }
    EXPECT(code == MPI_T_ERR_NOT_INITIALIZED);
    return unused;
}

static void together(void *(*what)(void *))
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        EXPECT(pthread_create(&threads[i], NULL, what, NULL) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        EXPECT(pthread_join(threads[i], NULL) == 0);
    }
}

static void begin_and_end(void)
{
    int provided, count;
    for (int i = 0; i < ROUNDS; i++) {
        EXPECT(MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided) == MPI_SUCCESS);
    }
    together(end);
    EXPECT(atomic_load(&ended) == ROUNDS + 1); /* main has begun it, too */
    EXPECT(MPI_T_pvar_get_num(&count) == MPI_T_ERR_NOT_INITIALIZED);
    EXPECT(MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided) == MPI_SUCCESS);
    EXPECT(MPI_T_pvar_get_num(&count) == MPI_SUCCESS);
    EXPECT(MPI_T_finalize() == MPI_SUCCESS);
}

/* ---- ranks ---- */

static void traffic(void)
{
    for (int i = 0; i < TRAFFIC; i++) {
        int one = 1, all = 0, size;
        MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        EXPECT(all == size);
    }
}

static pthread_barrier_t started, looked;

static void *rank_of_thread(void *unused)
{
    int provided;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_SINGLE, &provided);
    pthread_barrier_wait(&started);
    traffic();
    pthread_barrier_wait(&looked);
    MPI_Finalize();
    return unused;
}

static int write_one(void)
{
    MPI_T_cvar_handle control;
    int index, count, value = 0, code;
    EXPECT(MPI_T_cvar_get_index("apeni_placement", &index) == MPI_SUCCESS);
    EXPECT(MPI_T_cvar_handle_alloc(index, NULL, &control, &count) == MPI_SUCCESS);
    EXPECT(MPI_T_cvar_read(control, &value) == MPI_SUCCESS);
    code = MPI_T_cvar_write(control, &value);
    EXPECT(MPI_T_cvar_handle_free(&control) == MPI_SUCCESS);
    return code;
}

/* The calling thread has no rank, and others have: nothing can be set any more. */
static void beside_threads(void)
{
    pthread_t threads[2];
    pthread_barrier_init(&started, NULL, 3);
    pthread_barrier_init(&looked, NULL, 3);
    for (int i = 0; i < 2; i++) {
        EXPECT(pthread_create(&threads[i], NULL, rank_of_thread, NULL) == 0);
    }
    pthread_barrier_wait(&started);
    EXPECT(write_one() == MPI_T_ERR_CVAR_SET_NOT_NOW);
    pthread_barrier_wait(&looked);
    for (int i = 0; i < 2; i++) {
        EXPECT(pthread_join(threads[i], NULL) == 0);
    }
    EXPECT(write_one() == MPI_T_ERR_CVAR_SET_NOT_NOW);
}

/* The calling thread is the rank. */
static void beside_samples(int *argc, char ***argv)
{
    pthread_t sampler;
    EXPECT(pthread_create(&sampler, NULL, sample, NULL) == 0);
    MPI_Init(argc, argv);
    atomic_store_explicit(&phase, DURING, memory_order_release);
    EXPECT(write_one() == MPI_T_ERR_CVAR_SET_NOT_NOW);
    together(handle);
    traffic();
    while (atomic_load_explicit(&samples, memory_order_relaxed) == 0) {
        MPI_Barrier(MPI_COMM_SELF);
        sched_yield();
    }
    MPI_Finalize();
    atomic_store_explicit(&phase, AFTER, memory_order_release);
    EXPECT(pthread_join(sampler, NULL) == 0);
    EXPECT(write_one() == MPI_T_ERR_CVAR_SET_NOT_NOW);
}

int main(int argc, char **argv)
{
    int provided;
    EXPECT(MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided) == MPI_SUCCESS);
    EXPECT(provided == MPI_THREAD_MULTIPLE);
    EXPECT(MPI_T_pvar_session_create(&session) == MPI_SUCCESS);
    EXPECT(write_one() == MPI_SUCCESS);
    if (argc > 1 && strcmp(argv[1], "threads") == 0) {
        beside_threads();
    } else {
        beside_samples(&argc, &argv);
    }
    EXPECT(MPI_T_pvar_session_free(&session) == MPI_SUCCESS);
    begin_and_end();
    printf("MT-OK mpi_tools checks=%d\n", atomic_load(&checks));
    return 0;
}
