/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/tasks/central.c ni/tasks/distributed.c ni/tasks/mutex.c ni/tasks/tasks.c. */
#include "base/bits.h"
#include "suite.h"

/*
 * Locks and task pools: one holder at a time, in turn; each task done once, by any putters and
 * getters, in pools with one queue and with many.
 */

enum { OWNER = 1, ROUNDS = 15, TASKS = 90, CAPACITY = 8, SLICE = 25 };

/* ---- locks ----------------------------------------------------------------------------------- */

struct locking {
    struct ni_rkey rkey;
    struct ni_mutex mutexes[SUITE_NIS];
    unsigned rounds[SUITE_NIS];
    uint64_t last[SUITE_NIS]; /* turn that each has seen */
    unsigned held[SUITE_NIS]; /* looks at it while it is held, left */
    uint64_t count;           /* guarded by the lock alone */
    _Atomic uint64_t inside, done;
};

static void create_lock(struct suite_ni *ni, void *arg)
{
    CHECK(ni_mutex_create(ni->ni, &((struct locking *)arg)->rkey) == NI_OK);
}

static void open_lock(struct suite_ni *ni, void *arg)
{
    struct locking *locking = arg;
    struct ni_mutex *mutex = &locking->mutexes[ni->index];

    ni_mutex_open(ni->ni, ni->index == OWNER ? NULL : ni->peers[OWNER], &locking->rkey, mutex);
    CHECK(ni_mutex_test(mutex) == NI_ERR_INVALID && ni_mutex_unlock(mutex) == NI_ERR_INVALID);
}

static struct locking *new_locking(struct suite *suite)
{
    struct locking *locking = suite_alloc(suite, sizeof(*locking));

    suite_call(suite, OWNER, create_lock, locking);
    for (unsigned i = 0; i < suite->n; i++) {
        suite_call(suite, i, open_lock, locking);
    }
    return locking;
}

/* One step of somebody who locks, looks a few times, and unlocks, ROUNDS times. */
static void lock_step(struct suite_ni *ni, struct locking *locking)
{
    struct ni_mutex *mutex = &locking->mutexes[ni->index];
    ni_status status = NI_OK;

    if (locking->held[ni->index] == 0 && mutex->locked) {
        atomic_fetch_sub(&locking->inside, 1);
        while ((status = ni_mutex_unlock(mutex)) == NI_AGAIN) {
            (void)ni_progress(ni->ni);
        }
        CHECK(status == NI_OK);
        locking->rounds[ni->index]++;
        atomic_fetch_add(&locking->done, 1);
    } else if (mutex->locked) {
        CHECK(atomic_load(&locking->inside) == 1);
        locking->held[ni->index]--;
    } else if (mutex->asked) {
        status = ni_mutex_test(mutex);
        CHECK(status == NI_INPROGRESS || status == NI_OK);
        if (status == NI_OK) {
            CHECK(atomic_fetch_add(&locking->inside, 1) == 0);
            CHECK(mutex->turn == ++locking->count);
            CHECK(mutex->turn > locking->last[ni->index]);
            locking->last[ni->index] = mutex->turn;
            locking->held[ni->index] = 3;
        }
    } else if (locking->rounds[ni->index] < ROUNDS) {
        CHECK(ni_mutex_ask(mutex) == NI_OK);
        CHECK(ni_mutex_ask(mutex) == NI_ERR_INVALID);
    }
}

static void lock_steps(struct suite_ni *ni, void *arg)
{
    for (int i = 0; i < SLICE; i++) {
        lock_step(ni, arg);
        suite_turn(ni);
    }
}

static void everybody(struct suite *suite, suite_fn fn, void *arg)
{
    for (unsigned i = 0; i < suite->n; i++) {
        suite_begin(suite, i, fn, arg);
    }
    for (unsigned i = 0; i < suite->n; i++) {
        suite_end(suite, i);
    }
}

static void one_holder(struct suite *suite)
{
    struct locking *locking = new_locking(suite);

    while (atomic_load(&locking->done) < (uint64_t)ROUNDS * suite->n) {
        everybody(suite, lock_steps, locking);
    }
    CHECK(locking->count == (uint64_t)ROUNDS * suite->n);
}

static void lock_for_good(struct suite_ni *ni, void *arg)
{
    CHECK(ni_mutex_lock(&((struct locking *)arg)->mutexes[ni->index], UINT64_MAX) == NI_OK);
}

static void try_lock(struct suite_ni *ni, void *arg)
{
    struct ni_mutex *mutex = &((struct locking *)arg)->mutexes[ni->index];

    CHECK(ni_mutex_lock(mutex, 0) == NI_ERR_TIMEOUT);
    CHECK(ni_mutex_lock(mutex, 2000) == NI_ERR_TIMEOUT);
}

static void unlock(struct suite_ni *ni, void *arg)
{
    CHECK(ni_mutex_unlock(&((struct locking *)arg)->mutexes[ni->index]) == NI_OK);
}

/* Who gives up waiting is not handed the lock. */
static void gives_up(struct suite *suite)
{
    struct locking *locking = new_locking(suite);

    suite_call(suite, 2, lock_for_good, locking);
    suite_call(suite, 0, try_lock, locking);
    suite_call(suite, 2, unlock, locking);
    suite_call(suite, OWNER, lock_for_good, locking);
    suite_call(suite, 0, try_lock, locking);
    suite_call(suite, OWNER, unlock, locking);
    suite_call(suite, 0, lock_for_good, locking);
    CHECK(locking->mutexes[0].turn == 3);
}

/* ---- task pools ------------------------------------------------------------------------------ */

struct task {
    uint32_t master, number;
};

struct pool {
    struct suite *suite;
    bool central;
    unsigned masters, workers; /* bits */
    struct ni_tasks_queue queues[SUITE_NIS];
    struct ni_rkey rkeys[SUITE_NIS];
    struct ni_tasks *tasks[SUITE_NIS];
    uint32_t put[SUITE_NIS];
    uint32_t next[SUITE_NIS][SUITE_NIS]; /* worker, master */
    _Atomic uint32_t came[SUITE_NIS][TASKS];
    _Atomic uint64_t total, closed;
    _Atomic bool over;
    bool stopped[SUITE_NIS];
};

static void open_queue(struct suite_ni *ni, void *arg)
{
    struct pool *pool = arg;

    if (pool->central) {
        CHECK(ni_region_multi_queue(ni->ni, sizeof(struct task), CAPACITY, 0,
                                    NI_ACCESS_READ | NI_ACCESS_WRITE,
                                    &pool->rkeys[ni->index]) == NI_OK);
    } else {
        CHECK(ni_region_queue(ni->ni, sizeof(struct task), CAPACITY, &pool->rkeys[ni->index]) ==
              NI_OK);
    }
}

static struct ni_tasks_queue queue_of(const struct pool *pool, const struct suite_ni *ni,
                                      unsigned of)
{
    return (struct ni_tasks_queue){.peer = of == ni->index ? NULL : ni->peers[of],
                                   .rkey = pool->rkeys[of]};
}

static bool is_in(unsigned set, unsigned i)
{
    return (set & 1U << i) != 0;
}

static void open_central(struct suite_ni *ni, struct pool *pool)
{
    struct ni_tasks_queue queue = queue_of(pool, ni, OWNER);
    unsigned flags = (is_in(pool->masters, ni->index) ? NI_TASKS_PUT : 0) |
                     (is_in(pool->workers, ni->index) ? NI_TASKS_GET : 0);
    struct ni_tasks *unused;

    CHECK(ni_tasks_central(ni->ni, &queue, 8, 0, 0, &unused) == NI_ERR_INVALID);
    CHECK(ni_tasks_central(ni->ni, &queue, 9, flags, 0, &unused) == NI_ERR_INVALID);
    CHECK(ni_tasks_central(ni->ni, &queue, 8, 3, NI_TASKS_WINDOW + 1, &unused) == NI_ERR_INVALID);
    if (flags != 0) {
        CHECK(ni_tasks_central(ni->ni, &queue, sizeof(struct task), flags, 2,
                               &pool->tasks[ni->index]) == NI_OK);
    }
}

static void open_distributed(struct suite_ni *ni, struct pool *pool)
{
    struct ni_tasks_queue queues[SUITE_NIS];
    size_t count = 0;

    for (unsigned i = 0; i < pool->suite->n; i++) {
        if (is_in(pool->workers, i)) {
            queues[count++] = queue_of(pool, ni, i);
        }
    }
    CHECK(ni_tasks_distributed(ni->ni, queues, count,
                               is_in(pool->workers, ni->index) ? pool->rkeys[ni->index].handle : 0,
                               sizeof(struct task), &pool->tasks[ni->index]) == NI_OK);
}

static void open_pool(struct suite_ni *ni, void *arg)
{
    struct pool *pool = arg;

    if (pool->central) {
        open_central(ni, pool);
    } else {
        open_distributed(ni, pool);
    }
}

static void note_task(struct pool *pool, unsigned worker, const struct task *task)
{
    CHECK(task->master < SUITE_NIS && task->number < TASKS);
    CHECK(task->number >= pool->next[worker][task->master]);
    pool->next[worker][task->master] = task->number + 1;
    CHECK(atomic_exchange(&pool->came[task->master][task->number], 1) == 0);
    atomic_fetch_add(&pool->total, 1);
}

static void get_task(struct suite_ni *ni, struct pool *pool)
{
    struct task task;
    ni_status status = ni_tasks_get(pool->tasks[ni->index], &task);

    if (status == NI_OK) {
        note_task(pool, ni->index, &task);
    } else if (status == NI_ERR_CLOSED) {
        CHECK(pool->stopped[ni->index]);
    } else {
        CHECK(status == NI_AGAIN);
    }
    if (atomic_load(&pool->over) && !pool->stopped[ni->index]) {
        CHECK(ni_tasks_stop(pool->tasks[ni->index]) == NI_OK);
        pool->stopped[ni->index] = true;
    }
}

static void put_task(struct suite_ni *ni, struct pool *pool)
{
    struct task task = {.master = ni->index, .number = pool->put[ni->index]};
    ni_status status;

    if (task.number < TASKS) {
        status = ni_tasks_put(pool->tasks[ni->index], &task);
        CHECK(status == NI_OK || status == NI_AGAIN);
        pool->put[ni->index] += status == NI_OK;
    }
}

static void take_part(struct suite_ni *ni, void *arg)
{
    struct pool *pool = arg;

    for (int i = 0; i < SLICE; i++) {
        if (is_in(pool->masters, ni->index)) {
            put_task(ni, pool);
        }
        if (is_in(pool->workers, ni->index)) {
            get_task(ni, pool);
        }
        suite_turn(ni);
    }
}

static void close_pool(struct suite_ni *ni, void *arg)
{
    struct pool *pool = arg;
    struct ni_tasks *tasks = pool->tasks[ni->index];
    struct task task;

    for (int i = 0; tasks != NULL && i < SLICE; i++) {
        if (is_in(pool->workers, ni->index) && !pool->stopped[ni->index]) {
            get_task(ni, pool);
        } else if (is_in(pool->workers, ni->index)) {
            ni_status status = ni_tasks_get(tasks, &task);

            CHECK(status == NI_AGAIN || status == NI_ERR_CLOSED); /* all have come */
        } else {
            CHECK(ni_tasks_get(tasks, &task) == NI_ERR_INVALID);
        }
        if (ni_tasks_close(tasks) == NI_OK) {
            tasks = NULL;
        }
        suite_turn(ni);
    }
    if (pool->tasks[ni->index] != NULL && tasks == NULL) {
        pool->tasks[ni->index] = NULL;
        atomic_fetch_add(&pool->closed, 1);
    }
}

static void run_pool(struct suite *suite, bool central, unsigned masters, unsigned workers)
{
    struct pool *pool = suite_alloc(suite, sizeof(*pool));
    uint64_t all = (uint64_t)TASKS * (unsigned)__builtin_popcount(masters), parties = 0;

    pool->suite = suite;
    pool->central = central;
    pool->masters = masters;
    pool->workers = workers;
    for (unsigned i = 0; i < suite->n; i++) {
        suite_call(suite, i, open_queue, pool);
    }
    for (unsigned i = 0; i < suite->n; i++) {
        suite_call(suite, i, open_pool, pool);
        parties += pool->tasks[i] != NULL;
    }
    while (atomic_load(&pool->total) < all) {
        everybody(suite, take_part, pool);
    }
    atomic_store(&pool->over, true);
    while (atomic_load(&pool->closed) < parties) {
        everybody(suite, close_pool, pool);
    }
    CHECK(atomic_load(&pool->total) == all);
}

static void central_pools(struct suite *suite)
{
    run_pool(suite, true, 1, 2);  /* 1 master, 1 worker that keeps the queue */
    run_pool(suite, true, 2, 13); /* the master keeps it, 3 workers */
    run_pool(suite, true, 13, 2);
    run_pool(suite, true, 5, 10);
}

static void distributed_pools(struct suite *suite)
{
    run_pool(suite, false, 1, 2);
    run_pool(suite, false, 13, 2);
    run_pool(suite, false, 2, 13);
}

/* Everybody puts and gets. */
static void all_do_both(struct suite *suite)
{
    run_pool(suite, true, 15, 15);
    run_pool(suite, false, 15, 15);
}

int main(int argc, char **argv)
{
    static const struct suite_case cases[] = {
        {"one_holder", 3, 0, one_holder},       {"gives_up", 3, SUITE_NEEDS_APART, gives_up},
        {"central_pools", 4, 0, central_pools}, {"distributed_pools", 4, 0, distributed_pools},
        {"all_do_both", 4, 0, all_do_both},
    };

    return suite_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
