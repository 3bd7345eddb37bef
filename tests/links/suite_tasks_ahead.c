/* SPDX-License-Identifier: BSD-3-Clause */
#include <unistd.h>

#include "suite.h"

/*
 * How many tasks a worker of a central pool asks for ahead. The pool's queue is kept full, so that
 * each request is served at once: what was put, is not done and not in the queue is the worker's.
 */

enum { WORKER, OWNER, CAPACITY = 512, SLICE = 100, WORK = 2000, LONG_US = 300, LONG_TASKS = 40 };

struct pool {
    unsigned window;
    struct ni_rkey rkey;
    struct ni_tasks *tasks[2];
    _Atomic uint64_t put, got;
    bool stopping;
    _Atomic bool closed;
};

static void open_queue(struct suite_ni *ni, void *arg)
{
    struct pool *pool = arg;

    CHECK(ni_region_multi_queue(ni->ni, sizeof(uint64_t), CAPACITY, 0,
                                NI_ACCESS_READ | NI_ACCESS_WRITE, &pool->rkey) == NI_OK);
}

static void open_pool(struct suite_ni *ni, void *arg)
{
    struct pool *pool = arg;
    struct ni_tasks_queue queue = {.peer = ni->index == OWNER ? NULL : ni->peers[OWNER],
                                   .rkey = pool->rkey};

    CHECK(ni_tasks_central(ni->ni, &queue, sizeof(uint64_t),
                           ni->index == OWNER ? NI_TASKS_PUT : NI_TASKS_GET, pool->window,
                           &pool->tasks[ni->index]) == NI_OK);
}

static struct pool *new_pool(struct suite *suite, unsigned window)
{
    struct pool *pool = suite_alloc(suite, sizeof(*pool));

    pool->window = window;
    suite_call(suite, OWNER, open_queue, pool);
    suite_call(suite, OWNER, open_pool, pool);
    suite_call(suite, WORKER, open_pool, pool);
    return pool;
}

/* Until it is full, also of what the worker asks for meanwhile. */
static void fill(struct suite_ni *ni, void *arg)
{
    struct pool *pool = arg;

    for (unsigned i = 0; i < SLICE; i++) {
        uint64_t task = atomic_load(&pool->put);

        while (ni_tasks_put(pool->tasks[OWNER], &task) == NI_OK) {
            task = atomic_fetch_add(&pool->put, 1) + 1;
        }
        suite_turn(ni);
    }
}

static bool get(struct pool *pool)
{
    uint64_t task;
    ni_status status = ni_tasks_get(pool->tasks[WORKER], &task);

    CHECK(status == NI_OK || status == NI_AGAIN || (status == NI_ERR_CLOSED && pool->stopping));
    if (status == NI_OK) {
        CHECK(task == atomic_fetch_add(&pool->got, 1));
    }
    return status == NI_OK;
}

static void work(struct suite_ni *ni, void *arg)
{
    for (unsigned i = 0; i < WORK; i++) {
        if (!get(arg)) {
            suite_turn(ni);
        }
    }
}

static void work_once(struct suite_ni *ni, void *arg)
{
    while (!get(arg)) {
        suite_turn(ni);
    }
}

static void work_long(struct suite_ni *ni, void *arg)
{
    for (unsigned i = 0; i < LONG_TASKS;) {
        if (get(arg)) {
            usleep(LONG_US);
            i++;
        }
        suite_turn(ni);
    }
}

static void rest(struct suite_ni *ni, void *arg)
{
    (void)arg;
    for (unsigned i = 0; i < SLICE; i++) {
        suite_turn(ni);
    }
}

static void together(struct suite *suite, suite_fn worker, struct pool *pool)
{
    suite_begin(suite, OWNER, fill, pool);
    suite_begin(suite, WORKER, worker, pool);
    suite_end(suite, OWNER);
    suite_end(suite, WORKER);
}

static uint64_t ahead(struct suite *suite, struct pool *pool)
{
    uint64_t before;

    do {
        before = atomic_load(&pool->put);
        together(suite, rest, pool);
    } while (before == 0 || atomic_load(&pool->put) != before);
    return before - atomic_load(&pool->got) - CAPACITY;
}

static void leave(struct suite_ni *ni, void *arg)
{
    struct pool *pool = arg;

    if (!pool->stopping) {
        pool->stopping = ni_tasks_stop(pool->tasks[WORKER]) == NI_OK;
    }
    for (unsigned i = 0; i < SLICE; i++) {
        (void)get(pool);
        suite_turn(ni);
    }
    atomic_store(&pool->closed, ni_tasks_close(pool->tasks[WORKER]) == NI_OK);
}

/* What is left in the queue goes with it. */
static void leave_owner(struct suite_ni *ni, void *arg)
{
    struct pool *pool = arg;

    CHECK(ni_tasks_close(pool->tasks[OWNER]) == NI_OK);
    CHECK(ni_region_deregister(ni->ni, pool->rkey.handle) == NI_OK);
}

static void close_pool(struct suite *suite, struct pool *pool)
{
    while (!atomic_load(&pool->closed)) {
        suite_begin(suite, OWNER, rest, pool);
        suite_begin(suite, WORKER, leave, pool);
        suite_end(suite, OWNER);
        suite_end(suite, WORKER);
    }
    suite_call(suite, OWNER, leave_owner, pool);
}

/* More and more of short ones; then fewer and fewer of long ones. */
static void finds_itself(struct suite *suite)
{
    struct pool *pool = new_pool(suite, 0);
    uint64_t now = ahead(suite, pool);

    CHECK(now == 0); /* nobody has asked */
    together(suite, work_once, pool);
    CHECK(ahead(suite, pool) == 7);
    for (unsigned tries = 0; now <= 32 && tries < 1000; tries++) {
        together(suite, work, pool);
        now = ahead(suite, pool);
        CHECK(now <= 256);
    }
    CHECK(now > 32); /* how far depends on the machine */
    for (unsigned tries = 0; now > 4 && tries < 100; tries++) {
        together(suite, work_long, pool);
        now = ahead(suite, pool);
    }
    CHECK(now >= 1 && now <= 4);
    close_pool(suite, pool);
}

/* Long or short, one that was chosen stays. */
static void stays(struct suite *suite)
{
    struct pool *pool = new_pool(suite, 20);

    for (unsigned tries = 0; tries < 5; tries++) {
        uint64_t now;

        together(suite, tries < 4 ? work : work_long, pool);
        now = ahead(suite, pool);
        CHECK(now > 10 && now <= 20);
    }
    close_pool(suite, pool);
}

int main(int argc, char **argv)
{
    static const struct suite_case cases[] = {
        {"finds_itself", 2, 0, finds_itself},
        {"stays", 2, 0, stays},
    };

    return suite_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
