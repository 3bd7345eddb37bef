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

/* ---- portal ---------------------------------------------------------------------------------- */

static int open_portal(struct pri_rank *self)
{
    struct pri_cold *cold = self->cold;
    uint32_t index;
    int result = ni_portals_open(self->ni, NULL, NULL);

    if (result == NI_OK) {
        result = ni_eq_alloc_handler(self->ni, self->recorded ? pri_recorder_on_sent : pri_on_sent,
                                     self, &cold->sent);
    }
    if (result == NI_OK) {
        result = ni_eq_alloc_handler(self->ni,
                                     self->recorded ? pri_recorder_on_received : pri_on_received,
                                     self, &cold->received);
    }
    if (result == NI_OK) {
        result = ni_pt_alloc(self->ni, NI_PT_UNEXPECTED, cold->received, PRI_PT, &index);
    }
    if (result == NI_OK) {
        result = pri_control_open(self);
    }
    self->sends =
        (struct ni_md){.length = SIZE_MAX, .options = NI_MD_SENT_BY_RESULT, .eq = cold->sent};
    self->syncs =
        (struct ni_md){.length = SIZE_MAX, .options = NI_MD_EVENT_SEND_DISABLE, .eq = cold->sent};
    return result;
}

void pri_crowd(struct pri_rank *self, bool crowded)
{
    self->crowded = crowded;
    self->spins = crowded ? 1 : 20000;
    self->looks = crowded ? 1 : 400;
}

/* So few that each will most likely talk to all, as soon as the program begins. */
enum { FEW_PROCESSES = 4 };

static int open_ni(struct pri_rank *self)
{
    struct ni_open_attr attr = {.flags = self->threads ? NI_THREADS : 0};
    unsigned cores;
    ni_status status;

    self->cold->launcher->describe(self, &attr);
    cores = attr.host_cores != 0 ? attr.host_cores : (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
    if (attr.host_processes != 0 && attr.host_processes <= FEW_PROCESSES) {
        attr.flags |= NI_LANES_EARLY;
    }
    status = ni_open(&attr, &self->ni);
    if (status != NI_OK) {
        self->ni = NULL;
        fprintf(stderr, "presto: rank %d has no network interface: %s\n", self->rank,
                pri_status_text(status));
        return PRI_ERR_START;
    }
    /* More ranks on this host than cores; or other hosts, towards which a poll takes as long as
     * giving the core to others, who may be more than the ranks: hosts can be parts of a
     * machine. */
    self->cold->cores = cores;
    self->cold->neighbours = attr.host_processes;
    pri_crowd(self, attr.host_processes > cores || ni_reaches_hosts(self->ni));
    self->relax = pri_relax_plain;
    ni_on_peer_down(self->ni, pri_peer_down, self);
    pri_recorder_start(self, attr.job_key);
    return pri_error_of(open_portal(self));
}

/* ---- connect --------------------------------------------------------------------------------- */

static int exchange(struct pri_rank *self)
{
    struct pri_blob mine = {0}, *all = calloc((size_t)self->size, sizeof(*all));
    int error = PRI_ERR_NOMEM;

    if (all != NULL && pri_peers_open(self) == PRI_OK) {
        mine.length = (uint32_t)ni_address(self->ni, mine.bytes, sizeof(mine.bytes));
        error = self->cold->launcher->exchange(self, &mine, all);
    }
    if (error == PRI_OK) {
        error = pri_peers_connect(self, all);
    }
    if (error == PRI_OK) {
        error = pri_context_members(self, pri_context_core(self), NULL, self->size);
    }
    if (error == PRI_OK) {
        pri_recorder_hosts_begin(self);
        pri_map_print(self);
    }
    free(all);
    return error;
}

static void close_ni(struct pri_rank *self)
{
    /* Other threads keep the address of the process' rank alone. */
    bool shared = self == &process.memory;

    self->cold->closing = true;
    pri_stats_close(self, shared);
    pri_peers_free(self);
    pri_buffers_free(self);
    pri_members_free(self);
    pri_meetings_free(self);
    free(self->cold->contexts);
    self->cold->contexts = NULL;
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
    *cold = (struct pri_cold){.launcher = launcher};
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
    close_ni(self);
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
    error = pri_hang_read(self) && pri_recorder_read(self) ? open_ni(self) : PRI_ERR_START;
    if (error == PRI_OK) {
        error = exchange(self);
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
    close_ni(self);
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
