/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A thread that keeps the record's clocks, and sees when nothing moves, or a process dies. It calls
 * no MPI and takes no lock of the program's. Of the processes of a job on a host the living one of
 * the lowest rank speaks: it has apelink-report print who waits for whom, and why.
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/account.h"
#include "record/clock.h"
#include "record/deaths.h"
#include "record/others.h"
#include "record/sweep.h"
#include "record/watch.h"

extern char **environ;

static struct record_watch how;
static pthread_t thread;
static bool running, stop;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake;

/* What others tell may be older than what they do by a second and two periods. */
enum { PERIOD_MS = 500, CONFIRMED = 1 + 2000 / PERIOD_MS };

/* ---- looking ----------------------------------------------------------------------------------
 */

/* What the records of this job on this host say together. */
struct look {
    uint64_t last_event; /* the latest of all */
    uint32_t lowest;     /* rank whose process lives, and watches */
    bool waiting;        /* somebody is in a call that waits */
    bool off;            /* somebody does not record: what moves there is not known */
    bool running;        /* somebody is not in MPI_Finalize */
    uint64_t calls;      /* changes when somebody has been in a call for a second, or leaves it */
};

/* Nanoseconds between two stamps, by what the clocks said since the begin. */
static uint64_t in_nanoseconds(uint64_t ticks)
{
    const struct record_head *head = record_own.head;

    return (uint64_t)((double)ticks * (double)(head->clock_last - head->clock_start) /
                      (double)(head->stamp_last - head->stamp_start));
}

static bool is_within_second(uint64_t stamp)
{
    const uint64_t now = record_own.head->stamp_last;

    return stamp >= now || in_nanoseconds(now - stamp) < UINT64_C(1000000000);
}

/* The sum of when calls began that have lasted for a second: shorter ones come and go where
 * somebody polls. */
static uint64_t sum_of_calls(const struct record_seen *seen)
{
    uint64_t sum = 0;

    if (record_own.head->stamp_last == record_own.head->stamp_start) {
        return 0;
    }
    for (uint32_t i = 0; i < seen->head.call_count && i < RECORD_CALLS; i++) {
        const struct record_call_entry *call = &seen->calls[i];

        if (call->depth > 0 && !is_within_second(call->since)) {
            sum += call->since;
        }
    }
    return sum;
}

/* Whether it looks for messages, in a call that is not followed: it has none, had none within the
 * last second, as one that polls has, and makes progress. */
static bool waits_unseen(const struct record_seen *seen)
{
    if (record_own.head->stamp_last == record_own.head->stamp_start || seen->head.progressed == 0 ||
        !is_within_second(seen->head.progressed)) {
        return false;
    }
    for (uint32_t i = 0; i < seen->head.call_count && i < RECORD_CALLS; i++) {
        if (seen->calls[i].depth > 0 || is_within_second(seen->calls[i].since)) {
            return false;
        }
    }
    return true;
}

static void look_at(struct record_seen *seen, void *arg)
{
    const struct record_head *head = &seen->head;
    struct look *look = arg;

    if (!seen->lives) {
        return;
    }
    look->last_event = head->last_event > look->last_event ? head->last_event : look->last_event;
    if (head->rank < look->lowest && !seen->stopped && head->state == RECORD_RUNNING) {
        look->lowest = head->rank;
    }
    look->off = look->off || head->enabled == 0;
    look->waiting = look->waiting || record_current_call(seen) != NULL || waits_unseen(seen);
    look->running = look->running || head->state == RECORD_RUNNING;
    look->calls += sum_of_calls(seen);
}

static struct look look_around(void)
{
    struct look look = {.lowest = UINT32_MAX};

    record_each(look_at, &look);
    return look;
}

bool record_others_run(void)
{
    return look_around().running;
}

/* ---- speaking ---------------------------------------------------------------------------------
 */

/* Files in memory with the records of other hosts, which the report is to read. */
enum { OTHERS = 4096 };
static int others[OTHERS];
static size_t other_count;

/* Run apelink-report with `output` as its output; false if it cannot be run. */
static bool run_report(char *const arguments[], int output)
{
    posix_spawn_file_actions_t actions;
    pid_t pid;
    int rc, status = 0;

    (void)posix_spawn_file_actions_init(&actions);
    (void)posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    for (size_t i = 0; i < other_count; i++) {
        (void)posix_spawn_file_actions_adddup2(&actions, others[i], others[i]); /* stays open */
    }
    rc = posix_spawnp(&pid, arguments[0], &actions, NULL, arguments, environ);
    (void)posix_spawn_file_actions_destroy(&actions);
    if (rc != 0) {
        return false;
    }
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool record_watch_add(const char *text)
{
    size_t length = strlen(text), done = 0;
    int fd = other_count < OTHERS ? memfd_create("apelink-hooks", MFD_CLOEXEC) : -1;

    if (fd < 0) {
        return false;
    }
    others[other_count++] = fd;
    while (done < length) {
        ssize_t written = write(fd, text + done, length - done);

        if (written <= 0) {
            return false;
        }
        done += (size_t)written;
    }
    return true;
}

static void forget_others(void)
{
    while (other_count > 0) {
        (void)close(others[--other_count]);
    }
}

char *record_watch_report(void)
{
    char job[16], folder[sizeof(record_own.path)];
    char json[] = "--json", directory[] = "--directory", *text = NULL;
    char *arguments[] = {how.report, json, directory, folder, job, NULL};
    int fd = memfd_create("apelink-hooks", MFD_CLOEXEC);
    off_t length;

    if (fd < 0) {
        return NULL;
    }
    (void)snprintf(job, sizeof(job), "%" PRIu32, record_own.head->job);
    record_folder(folder, sizeof(folder));
    length = run_report(arguments, fd) ? lseek(fd, 0, SEEK_END) : 0;
    text = length > 0 ? malloc((size_t)length + 1) : NULL;
    if (text != NULL && pread(fd, text, (size_t)length, 0) == length) {
        text[length] = '\0';
    } else {
        free(text);
        text = NULL;
    }
    (void)close(fd);
    return text;
}

/* Have the report say why; false if it cannot. */
static bool say_why(char *job)
{
    enum { FIXED = 6 };
    char folder[sizeof(record_own.path)], why[] = "--why", directory[] = "--directory";
    char with[] = "--with", (*paths)[32] = calloc(other_count + 1, sizeof(*paths));
    char **arguments = calloc(FIXED + 2 * other_count, sizeof(*arguments));
    size_t count = 0;
    bool said = false;

    record_folder(folder, sizeof(folder));
    if (paths != NULL && arguments != NULL) {
        arguments[count++] = how.report;
        arguments[count++] = why;
        arguments[count++] = directory;
        arguments[count++] = folder;
        arguments[count++] = job;
        for (size_t i = 0; i < other_count; i++) {
            (void)snprintf(paths[i], sizeof(paths[i]), "/dev/fd/%d", others[i]);
            arguments[count++] = with;
            arguments[count++] = paths[i];
        }
        said = run_report(arguments, STDERR_FILENO);
    }
    free(arguments);
    free(paths);
    return said;
}

static void speak(uint64_t still_ns)
{
    const struct record_head *head = record_own.head;
    char job[16], where[sizeof(head->host)];

    (void)snprintf(job, sizeof(job), "%" PRIu32, head->job);
    (void)snprintf(where, sizeof(where), "%zu hosts", other_count + 1);
    fprintf(stderr, "%s: nothing has completed on %s for %.0f s (%s):\n", how.who,
            other_count > 0 ? where : head->host, (double)still_ns * 1e-9, how.hang_name);
    if (!say_why(job)) {
        fprintf(stderr, "%s: cannot run %s (%s); apelink-report --live %s says more\n", how.who,
                how.report, how.report_name, job);
    }
    if (how.spoken != NULL) {
        how.spoken();
    }
}

/* ---- the thread -------------------------------------------------------------------------------
 */

static void update_clocks(void)
{
    struct record_head *head = record_own.head;
    uint64_t clock, stamp;

    record_read_clocks(&clock, &stamp);
    head->clock_last = clock;
    head->stamp_last = stamp;
    record_slice_next(head->stamp_last);
    record_look_soon();
}

/* Whether nothing has moved on this host for so long, and this is the process that speaks. */
static bool is_still(struct look *look, uint64_t limit, uint64_t *still)
{
    const struct record_head *head = record_own.head;

    if (in_nanoseconds(head->stamp_last - RECORD_READ(head->last_event)) < limit) {
        return false;
    }
    *look = look_around();
    *still = in_nanoseconds(head->stamp_last - look->last_event);
    return look->last_event <= head->stamp_last && *still >= limit && !look->off &&
           look->lowest == head->rank;
}

/* Look whether nothing moves, and speak once for each time that it is so. */
static void look_for_hang(void)
{
    static uint64_t spoken_of; /* the event since which nothing moved when we spoke */
    static bool was_still;
    static uint64_t calls;     /* what was said elsewhere is of these */
    static unsigned confirmed; /* looks at which all were still, one after another */
    uint64_t limit = how.hang_s * UINT64_C(1000000000), still = 0;
    enum record_elsewhere answer = RECORD_NOT_KNOWN;
    struct look look;

    if (limit == 0) {
        return;
    }
    if (!is_still(&look, limit, &still)) {
        if (was_still && how.elsewhere != NULL) {
            (void)how.elsewhere(false, false);
        }
        was_still = false;
        confirmed = 0;
        return;
    }
    /* To enter a call is no event: what was told of this host is old then, and is told anew. */
    if (was_still && look.calls != calls && how.elsewhere != NULL) {
        (void)how.elsewhere(false, false);
        confirmed = 0;
    }
    calls = look.calls;
    was_still = true;
    if (look.last_event == spoken_of) {
        return;
    }
    if (how.elsewhere != NULL) {
        answer = how.elsewhere(true, look.waiting);
        confirmed = answer == RECORD_ALL_STILL ? confirmed + 1 : 0;
        if (answer != RECORD_ALL_STILL) {
            forget_others();
        } else if (confirmed < CONFIRMED) {
            answer = RECORD_SOME_MOVE;
        }
    }
    if (answer == RECORD_ALL_STILL || (answer == RECORD_NOT_KNOWN && look.waiting)) {
        spoken_of = look.last_event;
        speak(still);
    }
    forget_others();
}

/* Of a job's processes on a host one removes what other jobs have left long ago. */
static void sweep(void)
{
    enum { A_DAY = 24 * 60 * 60 };
    char folder[sizeof(record_own.path)];

    if (look_around().lowest == record_own.head->rank) {
        record_folder(folder, sizeof(folder));
        (void)record_sweep(folder, A_DAY);
    }
}

static void *watch(void *unused)
{
    struct timespec until;
    bool swept = false;

    (void)unused;
    (void)pthread_mutex_lock(&lock);
    (void)clock_gettime(CLOCK_MONOTONIC, &until);
    while (!stop) {
        until.tv_nsec += PERIOD_MS * 1000000L;
        until.tv_sec += until.tv_nsec / 1000000000L;
        until.tv_nsec %= 1000000000L;
        while (!stop && pthread_cond_timedwait(&wake, &lock, &until) != ETIMEDOUT) {
        }
        (void)pthread_mutex_unlock(&lock);
        update_clocks();
        if (how.each != NULL) {
            how.each();
        }
        if (how.deaths) {
            record_deaths_look(how.who, how.died);
        }
        look_for_hang();
        if (!swept) {
            swept = true;
            sweep();
        }
        (void)pthread_mutex_lock(&lock);
    }
    (void)pthread_mutex_unlock(&lock);
    return NULL;
}

void record_watch_begin(const struct record_watch *watch_how)
{
    pthread_attr_t attributes;
    pthread_condattr_t clock;
    sigset_t all, before;

    how = *watch_how;
    stop = false;
    (void)pthread_condattr_init(&clock);
    (void)pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&wake, &clock);
    (void)pthread_condattr_destroy(&clock);
    /* Signals are the program's. */
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    (void)pthread_attr_init(&attributes);
    (void)pthread_attr_setstacksize(&attributes, 256 * 1024);
    running = pthread_create(&thread, &attributes, watch, NULL) == 0;
    (void)pthread_attr_destroy(&attributes);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void record_watch_end(void)
{
    if (!running) {
        return;
    }
    (void)pthread_mutex_lock(&lock);
    stop = true;
    (void)pthread_cond_signal(&wake);
    (void)pthread_mutex_unlock(&lock);
    (void)pthread_join(thread, NULL);
    running = false;
}
