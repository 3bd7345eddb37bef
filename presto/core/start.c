/* SPDX-License-Identifier: BSD-3-Clause */
/* A rank: how it comes to be, how it ends. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/launch.h"
#include "core/recorder.h"
#include "core/wire_up.h"

_Thread_local struct pri_rank *pri_self_cached __attribute__((tls_model("initial-exec")));

/* The rank that the process is; its memory stays for good, because threads keep its address. */
static struct pri_process {
    pthread_mutex_t lock;            /* over starting and stopping */
    _Atomic(struct pri_rank *) rank; /* NULL while it is not started */
    struct pri_rank memory;
    struct pri_cold cold;
    _Atomic bool stopped;
} process = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local bool thread_stopped; /* a rank that was this thread */

struct pri_rank *pri_self_find(void)
{
    /* acquire, with the release in pri_start */
    pri_self_cached = atomic_load_explicit(&process.rank, memory_order_acquire);
    return pri_self_cached;
}

void pri_adopt(struct pri_rank *self)
{
    pri_self_cached = self;
}

bool pri_stopped(void)
{
    return thread_stopped || atomic_load_explicit(&process.stopped, memory_order_relaxed);
}

static void close_interface(struct pri_rank *self)
{
    /* Other threads keep the address of the process' rank alone. */
    pri_interface_close(self, self == &process.memory);
}

/* ---- start ----------------------------------------------------------------------------------- */

void pri_start_failed(const struct pri_rank *self, int error)
{
    fprintf(stderr, "presto: rank %d cannot join the job: %s\n", self->rank, pri_error_text(error));
}

static const struct pri_launcher *launcher_of_process(void)
{
    static const struct pri_launcher *const all[] = {&pri_launch_prestorun, &pri_launch_pmix,
                                                     &pri_launch_pmi2, &pri_launch_alone};
    size_t i = 0;

    while (!all[i]->applies()) {
        i++;
    }
    return all[i];
}

/* All but the launcher. */
static void init(struct pri_rank *self, struct pri_cold *cold, enum pri_thread_level level,
                 const struct pri_launcher *launcher)
{
    *self = (struct pri_rank){.level = level,
                              .threads = level == PRI_THREAD_MULTIPLE,
                              .launch = launcher->launch,
                              .parent = -1,
                              .cold = cold};
    *cold = (struct pri_cold){.launcher = launcher, .self = self};
    pthread_mutex_init(&cold->advance, NULL);
    pthread_mutex_init(&cold->knowing, NULL);
    pthread_mutex_init(&cold->lock, NULL);
    ni_list_init(&cold->incoming);
    ni_list_init(&cold->active);
    ni_list_init(&cold->unwaited);
}

static void fini(struct pri_rank *self)
{
    pthread_mutex_destroy(&self->cold->advance);
    pthread_mutex_destroy(&self->cold->knowing);
    pthread_mutex_destroy(&self->cold->lock);
}

/* Before the others have been told that this rank is through, or without telling them. */
static void give_up(struct pri_rank *self)
{
    close_interface(self);
    self->cold->launcher->leave(self, false);
    fini(self);
}

static int join(struct pri_rank *self)
{
    int error = self->cold->launcher->join(self);

    if (error != PRI_OK) {
        fini(self);
        return error;
    }
    error =
        pri_hang_read(self) && pri_recorder_read(self) ? pri_interface_open(self) : PRI_ERR_START;
    if (error == PRI_OK) {
        error = pri_interface_connect(self);
    }
    if (error != PRI_OK) {
        give_up(self);
    }
    return error;
}

static int start(struct pri_rank *self)
{
    int error = join(self);

    if (error != PRI_OK && error != PRI_ERR_START) {
        pri_start_failed(self, error);
    }
    return error;
}

/* A thread that was a rank has ended, and cannot leave the job any more: others would wait for it
 * for good. The same as for a process, of which prestorun tells. */
static _Noreturn void thread_ended(void *memory)
{
    struct pri_rank *self = memory;

    fprintf(stderr,
            "presto: rank %d was a thread that has ended without pr_fini (MPI_Finalize), for which "
            "others may wait\n",
            self->rank);
    pri_abort(self, 1);
}

static pthread_key_t thread_key; /* the thread's rank, while it has one */

static void make_key(void)
{
    (void)pthread_key_create(&thread_key, thread_ended);
}

/* Have it noticed, from now on, when the calling thread ends; NULL: no longer. */
static void watch_thread(struct pri_rank *self)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    (void)pthread_once(&once, make_key);
    (void)pthread_setspecific(thread_key, self);
}

static int start_thread(enum pri_thread_level level, struct pri_rank **self)
{
    struct {
        struct pri_rank rank;
        struct pri_cold cold;
    } * memory;
    int error;

    if (pri_self_cached != NULL) {
        return PRI_ERR_STATE;
    }
    memory = calloc(1, sizeof(*memory));
    if (memory == NULL) {
        return PRI_ERR_NOMEM;
    }
    init(&memory->rank, &memory->cold, level, &pri_launch_threads);
    error = start(&memory->rank);
    if (error != PRI_OK) {
        free(memory);
        return error;
    }
    thread_stopped = false;
    watch_thread(&memory->rank);
    *self = pri_self_cached = &memory->rank;
    return PRI_OK;
}

static int start_process(enum pri_thread_level level, struct pri_rank **self)
{
    int error = PRI_ERR_STATE;

    pthread_mutex_lock(&process.lock);
    if (atomic_load_explicit(&process.rank, memory_order_relaxed) == NULL) {
        init(&process.memory, &process.cold, level, launcher_of_process());
        error = start(&process.memory);
    }
    if (error == PRI_OK) {
        atomic_store_explicit(&process.stopped, false, memory_order_relaxed);
        /* release, with the acquire in pri_self_find */
        atomic_store_explicit(&process.rank, &process.memory, memory_order_release);
        *self = pri_self_cached = &process.memory;
    }
    pthread_mutex_unlock(&process.lock);
    return error;
}

int pri_start(enum pri_thread_level level, struct pri_rank **self)
{
    pri_parameters_settle();
    return pri_threads_wanted() ? start_thread(level, self) : start_process(level, self);
}

/* ---- stop ------------------------------------------------------------------------------------ */

int pri_at_stop(struct pri_rank *self, void (*fn)(struct pri_rank *self, void *arg), void *arg)
{
    struct pri_stopper *stopper = malloc(sizeof(*stopper));

    if (stopper == NULL) {
        return PRI_ERR_NOMEM;
    }
    pri_lock(self);
    *stopper = (struct pri_stopper){.next = self->cold->stoppers, .fn = fn, .arg = arg};
    self->cold->stoppers = stopper;
    pri_unlock(self);
    return PRI_OK;
}

static void run_stoppers(struct pri_rank *self)
{
    while (self->cold->stoppers != NULL) {
        struct pri_stopper *stopper = self->cold->stoppers;

        self->cold->stoppers = stopper->next;
        stopper->fn(self, stopper->arg);
        free(stopper);
    }
}

void pri_leave(struct pri_rank *self)
{
    pri_recorder_leave(self);
    pri_peers_keep(self);
    pri_meet(self);
    pri_hang_leaving(self, true);
}

/* What nobody waits for any more ends before the others are told that we are through. */
static void stop(struct pri_rank *self)
{
    if (!atomic_load_explicit(&self->cold->hang.leaving, memory_order_relaxed)) {
        pri_leave(self);
    }
    pri_detached_wait(self);
    pri_tasks_abandon(self);
    run_stoppers(self);
    pri_detached_wait(self);
    pri_hang_leaving(self, false);
    pri_meet(self);
    pri_detached_wait(self);
    pri_stats_print(self);
    close_interface(self);
    self->cold->launcher->leave(self, true);
    fini(self);
}

static void stop_alone(struct pri_rank *self)
{
    run_stoppers(self);
    give_up(self);
}

/* By one of the two above. */
static void end(struct pri_rank *self, void (*how)(struct pri_rank *self))
{
    pri_self_cached = NULL;
    if (self->launch == PRI_LAUNCH_THREADS) {
        thread_stopped = true;
        watch_thread(NULL);
        how(self);
        free(self); /* the first part of what start_thread allocated */
        return;
    }
    pthread_mutex_lock(&process.lock);
    how(self);
    atomic_store_explicit(&process.stopped, true, memory_order_relaxed);
    atomic_store_explicit(&process.rank, NULL, memory_order_relaxed);
    pthread_mutex_unlock(&process.lock);
}

void pri_stop(struct pri_rank *self)
{
    end(self, stop);
}

void pri_start_undo(struct pri_rank *self, int error)
{
    pri_start_failed(self, error);
    end(self, stop_alone);
}

/* ---- abort ----------------------------------------------------------------------------------- */

_Noreturn void pri_abort(struct pri_rank *self, int code)
{
    int status = pri_exit_status(code);

    (void)fflush(NULL);
    if (self != NULL) {
        char differs[40] = "";

        if (status != code) {
            snprintf(differs, sizeof(differs), " (exit status %d)", status);
        }
        fprintf(stderr, "presto: rank %d (pid %d) aborts the job with code %d%s\n", self->rank,
                (int)getpid(), code, differs);
        self->cold->launcher->abort(self, status);
    }
    _exit(status);
}
