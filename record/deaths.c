/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes that have ended without MPI_Finalize. */
#include "record/deaths.h"

#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "record/account.h"
#include "record/clock.h"
#include "record/names.h"
#include "record/others.h"
#include "record/process.h"

enum { AT_ONCE = 16, NAMED = 8 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct record_head watcher; /* of the process that looks for all, as it was last known */
static bool somebody_waits;        /* when this process last looked for all */

struct look {
    uint64_t before;           /* the stamp of the look before */
    bool waiting;              /* somebody has been in a call since then */
    struct record_head lowest; /* of the living ones; magic is 0 if there is none */
    size_t dead_count;
    struct record_seen dead[AT_ONCE]; /* not spoken of yet */
};

/* ---- words ------------------------------------------------------------------------------------
 */

struct text {
    size_t used;
    char line[1024];
};

static void append(struct text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void append(struct text *text, const char *format, ...)
{
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(text->line + text->used, sizeof(text->line) - text->used, format, arguments);
    va_end(arguments);
    if (length > 0 && (size_t)length < sizeof(text->line) - text->used) {
        text->used += (size_t)length;
    }
}

/* A call, with whom, and the tag. */
static void append_call(struct text *text, const struct record_call_entry *call)
{
    if (call->tag < 0 && call->tag != RECORD_ANY) {
        append(text, "in a collective (%s)", record_call_name(call->kind));
        return;
    }
    append(text, "in %s", record_call_name(call->kind));
    if (call->kind >= RECORD_WIN_CREATE) {
        append(text, call->peer >= 0 ? " (rank %" PRId32 ", " : " (", call->peer);
        append(text, "window %" PRIu32 " of communicator %" PRIu32 ")", call->window,
               call->context);
    } else if (call->peer >= 0) {
        append(text, " (rank %" PRId32 ", tag ", call->peer);
        append(text, call->tag == RECORD_ANY ? "any)" : "%" PRId32 ")", call->tag);
    } else if (call->kind < RECORD_WAIT) {
        append(text, " (any rank)");
    }
}

/* ---- who waits --------------------------------------------------------------------------------
 */

struct waiting {
    const struct record_head *dead;
    size_t count;
    struct text text;
};

static bool is_with(uint32_t job, int32_t rank, const struct record_head *dead)
{
    return rank == RECORD_ANY || ((uint32_t)rank == dead->rank && job == dead->job);
}

/* Whether an operation under way may be with it. */
static bool has_pending(const struct record_seen *seen, const struct record_head *dead)
{
    const struct record_part *part = record_parts() + 4;
    struct record_pending entries[64];
    size_t count = record_part_count(&seen->head, part), room = sizeof(entries) / part->stride;

    for (size_t first = 0; first < count && first < RECORD_PENDING; first += room) {
        ssize_t bytes =
            pread(seen->fd, entries, sizeof(entries), (off_t)(part->offset + first * part->stride));

        for (size_t i = 0; bytes > 0 && i < (size_t)bytes / part->stride; i++) {
            if (entries[i].kind != RECORD_FREE && entries[i].kind != RECORD_PENDING_LOCK &&
                is_with(entries[i].peer_job, entries[i].peer, dead)) {
                return true;
            }
        }
    }
    return false;
}

/* What the first of its threads has just ended with an error, NULL if that is none. */
static const struct record_call_entry *failed_call(const struct record_seen *seen)
{
    const struct record_call_entry *call = &seen->calls[0];

    return seen->head.call_count > 0 && call->failed != 0 && call->failed == call->since ? call
                                                                                         : NULL;
}

/* Whether a process waits for it in this call, or has done so until that ended with an error. */
static bool waits_in(const struct record_seen *seen, const struct record_call_entry *call,
                     const struct record_head *dead)
{
    bool names_it =
        call->kind < RECORD_WAIT || (call->kind >= RECORD_WIN_CREATE && call->peer != RECORD_ANY);

    return !names_it && call->depth > 0 ? has_pending(seen, dead)
                                        : is_with(call->peer_job, call->peer, dead);
}

static void add_waiting(struct record_seen *seen, void *arg)
{
    const struct record_call_entry *call = record_current_call(seen);
    struct waiting *waiting = arg;

    call = call != NULL ? call : failed_call(seen);
    if (call == NULL || !(seen->lives || seen->head.ended_by == RECORD_ENDED_ABORT) ||
        seen->head.state != RECORD_RUNNING || !waits_in(seen, call, waiting->dead)) {
        return;
    }
    if (waiting->count++ < NAMED) {
        append(&waiting->text, "%srank %" PRIu32 " ", waiting->count > 1 ? ", " : "",
               seen->head.rank);
        append_call(&waiting->text, call);
    }
}

/* ---- who has died -----------------------------------------------------------------------------
 */

/* The head of a record, to be written; NULL if it cannot be. */
static struct record_head *open_head(const struct record_seen *seen)
{
    int fd = open(seen->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    struct record_head *head = MAP_FAILED;

    if (fd >= 0) {
        head = mmap(NULL, sizeof(*head), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        (void)close(fd);
    }
    return head == MAP_FAILED ? NULL : head;
}

/* Whether nobody else has spoken of it: its record says so from now on. */
static bool claim(const struct record_seen *dead)
{
    struct record_head *head = open_head(dead);
    bool first;

    if (head == NULL) {
        return false;
    }
    first = __atomic_exchange_n(&head->death_seen, record_stamp(), __ATOMIC_RELAXED) == 0;
    (void)munmap(head, sizeof(*head));
    return first;
}

/* The records of those who live tell them that there are so many more. */
static void tell(struct record_seen *seen, void *arg)
{
    struct record_head *head = seen->lives ? open_head(seen) : NULL;
    const size_t *more = arg;

    if (head != NULL) {
        /* Pairs with the acquire of who looks for them: the dead have been marked. */
        (void)__atomic_fetch_add(&head->deaths, (uint32_t)*more, __ATOMIC_RELEASE);
        (void)munmap(head, sizeof(*head));
    }
}

static void say(const char *who, const struct record_seen *dead)
{
    const struct record_call_entry *call = record_current_call(dead);
    struct waiting waiting = {.dead = &dead->head};
    struct text text = {0};

    append(&text, "rank %" PRIu32 " (pid %" PRIu32 " on %s) has ended without MPI_Finalize, ",
           dead->head.rank, dead->head.pid, dead->head.host);
    if (dead->head.state == RECORD_FINALIZING) {
        append(&text, "within it");
    } else if (call != NULL) {
        append_call(&text, call);
    } else {
        append(&text, "not in MPI");
    }
    if (dead->head.ended_by == RECORD_ENDED_EXIT) {
        append(&text, ", by exit");
    } else if (dead->head.ended_by != 0) {
        append(&text, ", by signal %" PRIu32 " (%s)", dead->head.ended_by,
               strsignal((int)dead->head.ended_by));
    }
    record_each(add_waiting, &waiting);
    if (waiting.count > NAMED) {
        append(&waiting.text, " and %zu more", waiting.count - NAMED);
    }
    fprintf(stderr, "%s: %s; %s%s\n", who, text.line,
            waiting.count > 0 ? "waiting for it: " : "nobody waits for it", waiting.text.line);
}

/* The process that ends the job says so, and ends all of us. */
static bool ended_with_us(const struct record_head *head)
{
    return head->ended_by == RECORD_ENDED_ABORT ||
           (head->ended_by == SIGTERM && RECORD_READ(record_own.head->ended_by) == SIGTERM);
}

static void sort_out(struct record_seen *seen, void *arg)
{
    const struct record_head *head = &seen->head;
    struct look *look = arg;

    if (seen->lives) {
        const struct record_call_entry *call = record_current_call(seen);

        look->waiting = look->waiting || (call != NULL && call->since < look->before);
        if (!seen->stopped && head->state == RECORD_RUNNING &&
            (look->lowest.magic == 0 || head->rank < look->lowest.rank)) {
            look->lowest = *head;
        }
    } else if (!seen->elsewhere && head->state != RECORD_FINALIZED && head->death_seen == 0 &&
               record_is_of_our_time(head) && !ended_with_us(head) && look->dead_count < AT_ONCE &&
               claim(seen)) {
        look->dead[look->dead_count++] = *seen;
    }
}

/* Look at all; under the lock. How many have died, and their ranks. */
static size_t look_at_all(const char *who, uint32_t ranks[AT_ONCE])
{
    static struct look look;

    static uint64_t now;

    look.before = now;
    now = record_stamp();
    look.waiting = false;
    look.lowest.magic = 0;
    look.dead_count = 0;
    record_each(sort_out, &look);
    watcher = look.lowest;
    somebody_waits = look.waiting;
    if (look.dead_count > 0) {
        record_each(tell, &look.dead_count);
    }
    for (size_t i = 0; i < look.dead_count; i++) {
        say(who, &look.dead[i]);
        ranks[i] = look.dead[i].head.rank;
    }
    return look.dead_count;
}

bool record_deaths_is_watcher(void)
{
    bool is;

    (void)pthread_mutex_lock(&lock);
    is = watcher.magic != 0 && watcher.pid == record_own.head->pid;
    (void)pthread_mutex_unlock(&lock);
    return is;
}

bool record_deaths_somebody_waits(void)
{
    bool waits;

    (void)pthread_mutex_lock(&lock);
    waits = somebody_waits;
    (void)pthread_mutex_unlock(&lock);
    return waits;
}

void record_deaths_elsewhere(const char *who, uint32_t rank, const char *host)
{
    struct record_head dead = {.job = record_own.head->job, .rank = rank};
    struct waiting waiting = {.dead = &dead};
    size_t more = 1;

    record_each(tell, &more);
    record_each(add_waiting, &waiting);
    if (waiting.count > NAMED) {
        append(&waiting.text, " and %zu more", waiting.count - NAMED);
    }
    if (waiting.count > 0) {
        fprintf(stderr, "%s: rank %" PRIu32 " on %s has ended; waiting for it on %s: %s\n", who,
                rank, host, record_own.head->host, waiting.text.line);
    }
}

void record_deaths_look(const char *who, void (*died)(uint32_t rank))
{
    uint32_t ranks[AT_ONCE];
    size_t count = 0;
    bool stopped = false;

    (void)pthread_mutex_lock(&lock);
    if (watcher.magic == 0 || watcher.pid == record_own.head->pid ||
        !record_process_lives(&watcher, &stopped) || stopped) {
        count = look_at_all(who, ranks);
    }
    (void)pthread_mutex_unlock(&lock);
    /* That may wait for the runtime, and who ends the job does not wait for that. */
    for (size_t i = 0; i < count && died != NULL; i++) {
        died(ranks[i]);
    }
}

void record_deaths_last_look(const char *who)
{
    uint32_t ranks[AT_ONCE];

    (void)pthread_mutex_lock(&lock);
    (void)look_at_all(who, ranks);
    (void)pthread_mutex_unlock(&lock);
}
