/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranks that are threads of one process: their interfaces share a fabric. The process holds one job
 * at a time; it begins with the first thread that joins, and is over when the last one has left.
 */
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "core/launch.h"

enum { MAX_THREADS = 4096, UNREADABLE = -1 };

/* The job. Under lock, all of it. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t moved;
    bool asked; /* the environment has been read */
    int wanted; /* ranks; 0: ranks are processes; UNREADABLE: nobody can start */
    struct ni_fabric *fabric;
    struct pri_blob *blobs;
    bool *taken;    /* numbers of ranks */
    unsigned cores; /* that the process may use; 0: not known */
    int joined, given, left;
    bool broken; /* one could not start: nobody can */
} job = {.lock = PTHREAD_MUTEX_INITIALIZER, .moved = PTHREAD_COND_INITIALIZER};

static _Thread_local int my_number = -1;

/* ---- before ---------------------------------------------------------------------------------- */

/* The lock is held. */
static int wanted(void)
{
    long n;

    if (!job.asked) {
        job.asked = true;
        if (pri_environment("PRESTO_THREADS", 1, MAX_THREADS, &n)) {
            job.wanted = (int)n;
        } else if (getenv("PRESTO_THREADS") != NULL) {
            job.wanted = UNREADABLE; /* as said: a job of one rank is not what was meant */
        }
    }
    return job.wanted;
}

bool pri_threads_wanted(void)
{
    bool yes;

    pthread_mutex_lock(&job.lock);
    yes = wanted() != 0;
    pthread_mutex_unlock(&job.lock);
    return yes;
}

int pri_threads(int n)
{
    int error = PRI_OK;

    if (n < 1 || n > MAX_THREADS) {
        return PRI_ERR_ARG;
    }
    pthread_mutex_lock(&job.lock);
    if (job.joined != 0 || pri_self() != NULL) {
        error = PRI_ERR_STATE;
    } else {
        job.asked = true;
        job.wanted = n;
    }
    pthread_mutex_unlock(&job.lock);
    return error;
}

void pri_thread_rank(int rank)
{
    my_number = rank;
}

/* ---- join ------------------------------------------------------------------------------------ */

/* The processors on which any thread of the process may run: each may be bound to its own. */
static unsigned count_cores(void)
{
    DIR *threads = opendir("/proc/self/task");
    const struct dirent *thread;
    cpu_set_t all, one;

    CPU_ZERO(&all);
    while (threads != NULL && (thread = readdir(threads)) != NULL) {
        pid_t id = (pid_t)strtol(thread->d_name, NULL, 10);

        if (id > 0 && sched_getaffinity(id, sizeof(one), &one) == 0) {
            CPU_OR(&all, &all, &one);
        }
    }
    if (threads != NULL) {
        closedir(threads);
    }
    return (unsigned)CPU_COUNT(&all);
}

static bool open_job(void)
{
    if (ni_fabric_create(NULL, &job.fabric) != NI_OK) {
        return false;
    }
    job.blobs = calloc((size_t)job.wanted, sizeof(*job.blobs));
    job.taken = calloc((size_t)job.wanted, sizeof(*job.taken));
    job.cores = count_cores();
    job.given = 0;
    job.left = 0;
    job.broken = false;
    return job.blobs != NULL && job.taken != NULL;
}

static void close_job(void)
{
    ni_fabric_destroy(job.fabric);
    free(job.blobs);
    free(job.taken);
    job.fabric = NULL;
    job.blobs = NULL;
    job.taken = NULL;
    job.joined = 0;
}

/* The number that this thread asked for, or the first that is free; -1: none. */
static int take_number(void)
{
    if (my_number >= 0) {
        return my_number < job.wanted && !job.taken[my_number] ? my_number : -1;
    }
    for (int i = 0; i < job.wanted; i++) {
        if (!job.taken[i]) {
            return i;
        }
    }
    return -1;
}

static int join_locked(struct pri_rank *self)
{
    int number;

    if (job.wanted == UNREADABLE) {
        return PRI_ERR_ARG;
    }
    if (job.joined == 0 && !open_job()) {
        close_job();
        return PRI_ERR_NOMEM;
    }
    number = take_number();
    if (number < 0) {
        fprintf(stderr, "presto: no rank left for this thread: the job has %d, and %d are taken\n",
                job.wanted, job.joined);
        if (job.joined == 0) {
            close_job();
        }
        return PRI_ERR_START;
    }
    job.taken[number] = true;
    job.joined++;
    self->rank = number;
    self->size = job.wanted;
    return PRI_OK;
}

static int join(struct pri_rank *self)
{
    int error;

    pthread_mutex_lock(&job.lock);
    error = join_locked(self);
    pthread_mutex_unlock(&job.lock);
    return error;
}

static void describe(struct pri_rank *self, struct ni_open_attr *attr)
{
    attr->fabric = job.fabric;
    attr->host_processes = (unsigned)self->size;
    attr->host_cores = job.cores;
}

/* ---- wait ------------------------------------------------------------------------------------ */

enum {
    NOTICE_S = 5,   /* nobody has come for so long: who is missing is said */
    TIMEOUT_S = 60, /* unless the environment says otherwise: the job is given up */
    TIMEOUT_MAX_S = 1000000,
    NAMED = 8, /* of those that are missing */
};

/* All of these hold the lock. */

static bool is_here(int rank)
{
    return job.blobs[rank].length != 0;
}

static bool is_first_here(int rank)
{
    for (int i = 0; i < rank; i++) {
        if (is_here(i)) {
            return false;
        }
    }
    return true;
}

/* "1, 2, 3 and 4092 more" */
static void list_missing(char *text, size_t size)
{
    int named = 0;
    size_t used = 0;

    for (int i = 0; i < job.wanted && named < NAMED; i++) {
        if (!is_here(i)) {
            used += (size_t)snprintf(text + used, size - used, "%s%d", named++ == 0 ? "" : ", ", i);
        }
    }
    if (job.wanted - job.given > named) {
        snprintf(text + used, size - used, " and %d more", job.wanted - job.given - named);
    }
}

/* What follows from it is appended. */
static void print_missing(const struct pri_rank *self, long waited_s, const char *consequence)
{
    char missing[NAMED * 8 + 32];

    list_missing(missing, sizeof(missing));
    fprintf(stderr,
            "presto: rank %d of %d: for %ld s no thread has joined as rank %s by pr_init "
            "(MPI_Init); %s\n",
            self->rank, job.wanted, waited_s, missing, consequence);
}

/* Until another has come, or nobody can any more; false: not within so many seconds. */
static bool somebody_comes(long seconds)
{
    const uint64_t end_ns = ni_now_ns() + (uint64_t)seconds * 1000000000U;
    const struct timespec end = {.tv_sec = (time_t)(end_ns / 1000000000U),
                                 .tv_nsec = (long)(end_ns % 1000000000U)};
    const int given = job.given;
    int error = 0;

    while (job.given == given && !job.broken && error != ETIMEDOUT) {
        error = pthread_cond_clockwait(&job.moved, &job.lock, CLOCK_MONOTONIC, &end);
    }
    return job.given != given || job.broken;
}

/* The same, and says meanwhile, for all who wait, who is missing. */
static bool somebody_comes_or_is_named(const struct pri_rank *self, long timeout_s)
{
    if (timeout_s <= NOTICE_S) {
        return somebody_comes(timeout_s);
    }
    if (somebody_comes(NOTICE_S)) {
        return true;
    }
    if (is_first_here(self->rank)) {
        print_missing(self, NOTICE_S, "still waiting");
    }
    return somebody_comes(timeout_s - NOTICE_S);
}

/* A thread that never comes would be waited for in silence, for good. */
static void wait_for_others(const struct pri_rank *self)
{
    long timeout_s = TIMEOUT_S;

    (void)pri_environment("PRESTO_THREADS_TIMEOUT_S", 1, TIMEOUT_MAX_S, &timeout_s);
    while (job.given < job.wanted && !job.broken) {
        if (!somebody_comes_or_is_named(self, timeout_s)) {
            job.broken = true;
            pthread_cond_broadcast(&job.moved);
            print_missing(self, timeout_s,
                          "giving up. Raise PRESTO_THREADS_TIMEOUT_S if they come later; for ranks "
                          "that are processes use prestorun, without PRESTO_THREADS");
        }
    }
}

static int exchange(struct pri_rank *self, const struct pri_blob *mine, struct pri_blob *all)
{
    int error = PRI_OK;

    pthread_mutex_lock(&job.lock);
    job.blobs[self->rank] = *mine;
    job.given++;
    pthread_cond_broadcast(&job.moved);
    wait_for_others(self);
    if (job.broken) {
        error = PRI_ERR_START;
    } else {
        for (int i = 0; i < self->size; i++) {
            all[i] = job.blobs[i];
        }
    }
    pthread_mutex_unlock(&job.lock);
    return error;
}

/* ---- end ------------------------------------------------------------------------------------- */

static void leave(struct pri_rank *self, bool orderly)
{
    (void)self;
    pthread_mutex_lock(&job.lock);
    job.left++;
    if (!orderly) {
        job.broken = true;
        pthread_cond_broadcast(&job.moved);
    }
    if (job.left == job.joined && (job.broken || job.joined == job.wanted)) {
        close_job();
    }
    pthread_mutex_unlock(&job.lock);
}

/* The process ends, and all threads with it. */
static void end(struct pri_rank *self, int status)
{
    (void)self;
    (void)status;
}

const struct pri_launcher pri_launch_threads = {
    .launch = PRI_LAUNCH_THREADS,
    .applies = pri_threads_wanted,
    .join = join,
    .describe = describe,
    .exchange = exchange,
    .leave = leave,
    .abort = end,
};
