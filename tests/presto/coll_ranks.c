/* SPDX-License-Identifier: BSD-3-Clause */
/* The operations of coll_cases over the network interface, with ranks that are threads: blocking
 * and not, mixed, several at once; in the last jobs each rank has two threads, which use a team
 * each. coll_ranks [SEED] */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "coll_cases.h"

enum { AT_ONCE = 4, LANES = 2 };

/* What the ranks' threads number i do with each other: written by the first rank between two
 * barriers. */
struct lane {
    pthread_barrier_t barrier;
    struct coll_case cases[AT_ONCE];
    bool blocking[AT_ONCE];
    int operations;
    uint64_t seed;
};

static struct {
    struct lane lane[LANES];
    int n, rounds, lanes;
    _Atomic int failures;
} job;

/* One thread of a rank. */
struct worker {
    struct lane *lane;
    struct pri_team team;
    bool adopted;
};

static void fail(const char *what, int rank, int error)
{
    fprintf(stderr, "coll_ranks: rank %d of %d: %s: %s\n", rank, job.n, what,
            pri_error_text(error));
    atomic_fetch_add_explicit(&job.failures, 1, memory_order_relaxed);
}

static void draw_round(struct lane *lane)
{
    lane->operations = 1 + (int)coll_random(&lane->seed, AT_ONCE);
    for (int i = 0; i < lane->operations; i++) {
        coll_case_make(&lane->cases[i], &lane->seed, job.n);
        lane->blocking[i] = coll_random(&lane->seed, 2) == 0;
    }
}

static void check_round(struct lane *lane)
{
    for (int i = 0; i < lane->operations; i++) {
        if (!coll_case_check(&lane->cases[i], 0)) {
            fail(lane->blocking[i] ? "blocking" : "not blocking", 0, PRI_ERR_INTERN);
        }
        coll_case_free(&lane->cases[i]);
    }
}

static void run_round(struct lane *lane, struct pri_team *team)
{
    struct pri_request requests[AT_ONCE];

    for (int i = 0; i < lane->operations; i++) {
        struct pri_request *request = lane->blocking[i] ? NULL : &requests[i];
        int error = coll_case_start(&lane->cases[i], team->rank, team, request);

        if (error != PRI_OK) {
            fail("an operation", team->rank, error);
        }
    }
    for (int i = lane->operations - 1; i >= 0; i--) {
        int error = lane->blocking[i] ? PRI_OK : pri_wait(&requests[i]);

        if (error != PRI_OK) {
            fail("waiting", team->rank, error);
        }
    }
}

static void *work(void *arg)
{
    struct worker *w = arg;

    if (w->adopted) {
        pri_adopt(w->team.self);
    }
    for (int i = 0; i < job.rounds; i++) {
        if (w->team.rank == 0) {
            draw_round(w->lane);
        }
        pthread_barrier_wait(&w->lane->barrier);
        run_round(w->lane, &w->team);
        pthread_barrier_wait(&w->lane->barrier);
        if (w->team.rank == 0) {
            check_round(w->lane);
        }
    }
    if (w->adopted) {
        pri_adopt(NULL);
    }
    return NULL;
}

static void start_thread(pthread_t *thread, void *(*fn)(void *), void *arg)
{
    if (pthread_create(thread, NULL, fn, arg) != 0) {
        perror("coll_ranks: pthread_create");
        exit(1);
    }
}

static void *rank_main(void *arg)
{
    struct pri_rank *self;
    struct worker workers[LANES];
    pthread_t other;

    pri_thread_rank((int)(intptr_t)arg);

    int error = pri_start(job.lanes > 1 ? PRI_THREAD_MULTIPLE : PRI_THREAD_SINGLE, &self);

    for (int i = 0; i < job.lanes && error == PRI_OK; i++) {
        workers[i].lane = &job.lane[i];
        workers[i].adopted = i > 0;
        error = pri_team_init(&workers[i].team, self, pri_context_world(self) + 2 * (uint32_t)i,
                              self->rank, self->size, NULL);
    }
    if (error != PRI_OK) {
        fprintf(stderr, "coll_ranks: the ranks do not start: %s\n", pri_error_text(error));
        exit(1);
    }
    if (job.lanes > 1) {
        start_thread(&other, work, &workers[1]);
    }
    work(&workers[0]);
    if (job.lanes > 1) {
        pthread_join(other, NULL);
    }
    pri_stop(self);
    return NULL;
}

static void run_job(int n, int rounds, int lanes)
{
    pthread_t threads[COLL_CASE_RANKS];

    job.n = n;
    job.rounds = rounds;
    job.lanes = lanes;
    for (int i = 0; i < lanes; i++) {
        pthread_barrier_init(&job.lane[i].barrier, NULL, (unsigned)n);
    }
    if (pri_threads(n) != PRI_OK) {
        fail("pri_threads", 0, PRI_ERR_STATE);
        exit(1);
    }
    for (int i = 0; i < n; i++) {
        start_thread(&threads[i], rank_main, (void *)(intptr_t)i);
    }
    for (int i = 0; i < n; i++) {
        pthread_join(threads[i], NULL);
    }
    for (int i = 0; i < lanes; i++) {
        pthread_barrier_destroy(&job.lane[i].barrier);
    }
}

int main(int argc, char **argv)
{
    static const struct {
        int n, rounds, lanes;
        const char *allreduce_short; /* low: short data takes the ways of long data */
    } jobs[] = {{1, 30, 1, "4K"}, {2, 100, 1, "4K"}, {3, 50, 1, "64"}, {4, 40, 1, "256"},
                {7, 15, 1, "64"}, {16, 6, 1, "256"}, {2, 40, 2, "64"}, {3, 20, 2, "4K"}};

    uint64_t seed = (argc > 1 ? strtoull(argv[1], NULL, 0) : 1) * 0x9e3779b97f4a7c15u + 1;
    setenv("PRESTO_COLL_SEGMENT", "512", 1);
    setenv("PRESTO_COLL_BCAST_SHORT", "256", 1);
    setenv("PRESTO_COLL_BCAST_CHAIN", "2K", 1);
    setenv("PRESTO_COLL_REDUCE_SHORT", "256", 1);
    setenv("PRESTO_COLL_REDUCE_CHAIN", "1K", 1);
    setenv("PRESTO_COLL_ALLREDUCE_RING", "1K", 1);
    for (int i = 0; i < LANES; i++) {
        job.lane[i].seed = seed + (uint64_t)i * 0x100000;
    }
    if (!coll_cases_begin()) {
        return 1;
    }
    for (size_t i = 0; i < NI_ARRAY_LENGTH(jobs); i++) {
        setenv("PRESTO_COLL_ALLREDUCE_SHORT", jobs[i].allreduce_short, 1);
        run_job(jobs[i].n, jobs[i].rounds, jobs[i].lanes);
    }
    coll_cases_end();
    return job.failures == 0 ? 0 : 1;
}
