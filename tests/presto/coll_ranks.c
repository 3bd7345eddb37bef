/* SPDX-License-Identifier: BSD-3-Clause */
/* The operations of coll_cases over the network interface, with ranks that are threads: blocking and not, mixed, several
 * at once. coll_ranks [SEED] */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "coll_cases.h"

enum { AT_ONCE = 4 };

/* Shared by the ranks, written by the first one between two barriers. */
static struct {
    pthread_barrier_t barrier;
    struct coll_case cases[AT_ONCE];
    bool blocking[AT_ONCE];
    int operations, n, rounds;
    uint64_t seed;
    _Atomic int failures;
} job;

static void fail(const char *what, int rank, int error)
{
    fprintf(stderr, "coll_ranks: rank %d of %d: %s: %s\n", rank, job.n, what,
            pri_error_text(error));
    atomic_fetch_add_explicit(&job.failures, 1, memory_order_relaxed);
}

static void draw_round(void)
{
    job.operations = 1 + (int)coll_random(&job.seed, AT_ONCE);
    for (int i = 0; i < job.operations; i++) {
        coll_case_make(&job.cases[i], &job.seed, job.n);
        job.blocking[i] = coll_random(&job.seed, 2) == 0;
    }
}

static void check_round(void)
{
    for (int i = 0; i < job.operations; i++) {
        if (!coll_case_check(&job.cases[i])) {
            fail(job.blocking[i] ? "blocking" : "not blocking", 0, 0);
        }
        coll_case_free(&job.cases[i]);
    }
}

static void run_round(struct pri_team *team)
{
    struct pri_request requests[AT_ONCE];

    for (int i = 0; i < job.operations; i++) {
        struct pri_request *request = job.blocking[i] ? NULL : &requests[i];
        int error = coll_case_start(&job.cases[i], team->rank, team, request);

        if (error != PRI_OK) {
            fail("an operation", team->rank, error);
        }
    }
    for (int i = job.operations - 1; i >= 0; i--) {
        int error = job.blocking[i] ? PRI_OK : pri_wait(&requests[i]);

        if (error != PRI_OK) {
            fail("waiting", team->rank, error);
        }
    }
}

static void *rank_main(void *arg)
{
    struct pri_rank *self;
    struct pri_team team;

    pri_thread_rank((int)(intptr_t)arg);

    int error = pri_start(PRI_THREAD_SINGLE, &self);

    if (error == PRI_OK) {
        error = pri_team_init(&team, self, PRI_CONTEXT_WORLD, self->rank, self->size, NULL);
    }
    if (error != PRI_OK) {
        fprintf(stderr, "coll_ranks: the ranks do not start: %s\n", pri_error_text(error));
        exit(1);
    }
    for (int i = 0; i < job.rounds; i++) {
        if (self->rank == 0) {
            draw_round();
        }
        pthread_barrier_wait(&job.barrier);
        run_round(&team);
        pthread_barrier_wait(&job.barrier);
        if (self->rank == 0) {
            check_round();
        }
    }
    pri_stop(self);
    return NULL;
}

static void run_job(int n, int rounds)
{
    pthread_t threads[COLL_CASE_RANKS];

    job.n = n;
    job.rounds = rounds;
    pthread_barrier_init(&job.barrier, NULL, (unsigned)n);
    if (pri_threads(n) != PRI_OK) {
        fail("pri_threads", 0, PRI_ERR_STATE);
        exit(1);
    }
    for (int i = 0; i < n; i++) {
        if (pthread_create(&threads[i], NULL, rank_main, (void *)(intptr_t)i) != 0) {
            perror("coll_ranks: pthread_create");
            exit(1);
        }
    }
    for (int i = 0; i < n; i++) {
        pthread_join(threads[i], NULL);
    }
    pthread_barrier_destroy(&job.barrier);
}

int main(int argc, char **argv)
{
    static const struct {
        int n, rounds;
        const char *allreduce_short; /* low: short data takes the ways of long data */
    } jobs[] = {{1, 30, "4K"},  {2, 120, "4K"}, {3, 60, "64"},
                {4, 60, "256"}, {7, 20, "64"},  {16, 8, "256"}};

    job.seed = (argc > 1 ? strtoull(argv[1], NULL, 0) : 1) * 0x9e3779b97f4a7c15u + 1;
    setenv("PRESTO_COLL_SEGMENT", "512", 1);
    setenv("PRESTO_COLL_BCAST_SHORT", "256", 1);
    setenv("PRESTO_COLL_BCAST_CHAIN", "2K", 1);
    setenv("PRESTO_COLL_REDUCE_SHORT", "256", 1);
    setenv("PRESTO_COLL_REDUCE_CHAIN", "1K", 1);
    setenv("PRESTO_COLL_ALLREDUCE_RING", "1K", 1);
    if (!coll_cases_begin()) {
        return 1;
    }
    for (size_t i = 0; i < NI_ARRAY_LENGTH(jobs); i++) {
        setenv("PRESTO_COLL_ALLREDUCE_SHORT", jobs[i].allreduce_short, 1);
        run_job(jobs[i].n, jobs[i].rounds);
    }
    coll_cases_end();
    return job.failures == 0 ? 0 : 1;
}
