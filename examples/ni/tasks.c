/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A task pool: one process hands out ranges of numbers, three others count the primes in them.
 * Tasks wait in a multi-reader queue, or workers do; results go to queue number 1 of the master,
 * whichever process that is. What all workers have done together is written down under a lock.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <apeni/apeni.h>

enum {
    WORKERS = 3,
    LIMIT = 200000,
    PRIMES = 17984, /* below it */
    RANGE = 1000,
    TASKS = LIMIT / RANGE,
    RESULTS = 1, /* number of the queue for results */
};

struct task {
    uint32_t begin, end; /* begin == end: there are no more */
};

/* What the processes tell each other before their NIs can: in memory that they share. */
struct notes {
    uint8_t blob[NI_BLOB_MAX];
    size_t blob_len;
    struct ni_rkey pool, lock;
    uint64_t ranges_done; /* guarded by the lock */
};

static void must(ni_status status, const char *what)
{
    if (status != NI_OK) {
        fprintf(stderr, "tasks: %s: %s\n", what, ni_status_text(status));
        exit(1);
    }
}

/* ---- a worker -------------------------------------------------------------------------------- */

static uint32_t count_primes(struct task task)
{
    uint32_t count = 0;

    for (uint32_t n = task.begin < 2 ? 2 : task.begin; n < task.end; n++) {
        uint32_t d = 2;

        while (d * d <= n && n % d != 0) {
            d++;
        }
        count += d * d > n;
    }
    return count;
}

static void note_range(struct ni *ni, struct ni_mutex *lock, struct notes *notes)
{
    ni_status status;

    must(ni_mutex_lock(lock, UINT64_MAX), "lock");
    notes->ranges_done++;
    while ((status = ni_mutex_unlock(lock)) == NI_AGAIN) {
        (void)ni_progress(ni);
    }
    must(status, "unlock");
}

static void send_result(struct ni *ni, uint32_t count)
{
    ni_status status;

    while ((status = ni_queue_send(ni, RESULTS, &count, sizeof(count), NULL)) == NI_AGAIN) {
        (void)ni_progress(ni);
    }
    must(status, "send a result");
}

static void work_at(struct ni *ni, struct ni_tasks *tasks, struct ni_mutex *lock,
                    struct notes *notes)
{
    struct task task;

    for (;;) {
        must(ni_tasks_get_wait(tasks, &task, UINT64_MAX), "get a task");
        if (task.begin == task.end) {
            return;
        }
        send_result(ni, count_primes(task));
        note_range(ni, lock, notes);
    }
}

/* The end of another worker, asked for ahead. */
static void give_back(struct ni *ni, const struct ni_tasks_queue *pool, const struct task *task)
{
    ni_status status;

    while ((status = ni_enqueue(ni, pool->peer, &pool->rkey, task, sizeof(*task), NULL)) ==
           NI_AGAIN) {
        (void)ni_progress(ni);
    }
    must(status, "give a task back");
}

static void run_worker(struct notes *notes)
{
    struct ni_tasks_queue pool = {.rkey = notes->pool};
    struct ni_rkey results = {.handle = ni_queue_handle(RESULTS)}; /* by its number there */
    struct ni_tasks *tasks;
    struct ni_mutex lock;
    struct task task;
    struct ni *ni;
    ni_status status;

    must(ni_open(NULL, &ni), "open an NI");
    must(ni_connect(ni, notes->blob, notes->blob_len, &pool.peer), "connect to the master");
    must(ni_queue_name(ni, RESULTS, pool.peer, &results, 0, 0), "name the queue of results");
    /* Ranges differ: one is asked for ahead, no more, so that the last ones are spread well. */
    must(ni_tasks_central(ni, &pool, sizeof(task), NI_TASKS_GET, 2, &tasks), "join the pool");
    ni_mutex_open(ni, pool.peer, &notes->lock, &lock);
    work_at(ni, tasks, &lock, notes);
    must(ni_tasks_stop(tasks), "stop");
    while ((status = ni_tasks_get(tasks, &task)) == NI_AGAIN || status == NI_OK) {
        if (status == NI_OK) {
            give_back(ni, &pool, &task);
        }
    }
    must(ni_tasks_close(tasks), "leave the pool");
    send_result(ni, 0); /* the last thing that the master waits for */
    ni_close(ni);
}

/* ---- the master ------------------------------------------------------------------------------ */

/* Put all tasks and take results meanwhile; returns the sum. */
static uint64_t hand_out(struct ni *ni, struct ni_tasks *tasks, ni_handle results)
{
    uint64_t sum = 0;
    uint32_t put = 0, done = 0, count;
    size_t len;

    while (done < TASKS + WORKERS) {
        struct task task = {.begin = put * RANGE, .end = (put + 1) * RANGE};

        if (put >= TASKS) {
            task.end = task.begin;
        }
        if (put < TASKS + WORKERS && ni_tasks_put(tasks, &task) == NI_OK) {
            put++;
        } else if (ni_queue_pop(ni, results, &count, sizeof(count), &len) == NI_OK) {
            sum += count;
            done++;
        } else {
            (void)ni_wait(ni, 1000);
        }
    }
    return sum;
}

static void open_master(struct notes *notes, struct ni **ni, struct ni_tasks **tasks,
                        struct ni_rkey *results)
{
    struct ni_tasks_queue pool = {.peer = NULL};

    must(ni_open(NULL, ni), "open an NI");
    must(ni_region_multi_queue(*ni, sizeof(struct task), 16, 0, NI_ACCESS_READ | NI_ACCESS_WRITE,
                               &notes->pool),
         "make the pool");
    must(ni_region_queue(*ni, sizeof(uint32_t), 64, results), "make a queue of results");
    must(ni_queue_name(*ni, RESULTS, NULL, results, NI_ACCESS_WRITE, 0), "name it");
    must(ni_mutex_create(*ni, &notes->lock), "make a lock");
    pool.rkey = notes->pool;
    must(ni_tasks_central(*ni, &pool, sizeof(struct task), NI_TASKS_PUT, 0, tasks),
         "join the pool");
    notes->blob_len = ni_address(*ni, notes->blob, sizeof(notes->blob));
}

int main(void)
{
    struct notes *notes =
        mmap(NULL, sizeof(*notes), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int start[2], status = 0;
    struct ni_tasks *tasks;
    struct ni_rkey results;
    uint64_t sum;
    struct ni *ni;
    char go = 0;

    if (notes == MAP_FAILED || pipe(start) != 0) {
        perror("tasks");
        return 1;
    }
    for (unsigned i = 0; i < WORKERS; i++) {
        if (fork() == 0) {
            if (close(start[1]) != 0 || read(start[0], &go, 1) != 1) {
                return 1; /* the master has failed */
            }
            run_worker(notes);
            return 0;
        }
    }
    open_master(notes, &ni, &tasks, &results);
    if (write(start[1], "ready", WORKERS) != WORKERS) {
        perror("tasks");
        return 1;
    }
    sum = hand_out(ni, tasks, results.handle);
    must(ni_tasks_close(tasks), "leave the pool");
    ni_close(ni);
    while (wait(&status) > 0 && status == 0) {
    }
    printf("%llu primes below %d, in %llu ranges\n", (unsigned long long)sum, LIMIT,
           (unsigned long long)notes->ranges_done);
    return status != 0 || sum != PRIMES || notes->ranges_done != TASKS;
}
