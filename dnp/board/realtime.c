/* SPDX-License-Identifier: BSD-3-Clause */
/* Being in time. */
#include "dnp/board/realtime.h"

#include <errno.h>
#include <malloc.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

#include <apeni/log.h>

/* The stack of a thread is kept as a whole. Of what is free again so much stays. */
enum { STACK = 512 << 10, HEAP = 32 << 20 };

void board_realtime_begin(const char *program, uint32_t priority)
{
    const struct sched_param parameter = {.sched_priority = (int)priority};
    const struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY};

    if (priority == 0) {
        return;
    }
    if (sched_setscheduler(0, SCHED_RR, &parameter) != 0) {
        ni_log(NI_LOG_WARN,
               "%s: no real-time priority %u: %s; on a busy host it will be late: give it "
               "CAP_SYS_NICE, or set realtime 0",
               program, priority, strerror(errno));
    }
    (void)setrlimit(RLIMIT_MEMLOCK, &all); /* which who has no right to it may have already */
    (void)mallopt(M_TRIM_THRESHOLD, HEAP);
    (void)mallopt(M_MMAP_THRESHOLD, HEAP);
}

void board_realtime_keep_memory(const char *program, uint32_t priority)
{
    struct rlimit most = {0, 0};

    if (priority == 0) {
        return;
    }
    if (mlockall(MCL_CURRENT) != 0) {
        ni_log(NI_LOG_WARN,
               "%s: its memory cannot be locked: %s; where memory is short it will be late: let it "
               "lock all (RLIMIT_MEMLOCK), or set realtime 0",
               program, strerror(errno));
        return;
    }
    (void)getrlimit(RLIMIT_MEMLOCK, &most);
    if (most.rlim_cur == RLIM_INFINITY) { /* with less there would be none beyond */
        (void)mlockall(MCL_FUTURE | MCL_ONFAULT);
    }
}

void board_realtime_lock(pthread_mutex_t *lock)
{
    pthread_mutexattr_t how;

    pthread_mutexattr_init(&how);
    (void)pthread_mutexattr_setprotocol(&how, PTHREAD_PRIO_INHERIT);
    pthread_mutex_init(lock, &how);
    pthread_mutexattr_destroy(&how);
}

int board_thread_start(pthread_t *thread, void *(*run)(void *), void *arg, bool ordinary)
{
    const struct sched_param usual = {0};
    pthread_attr_t how;
    sigset_t all, before;
    int error = pthread_attr_init(&how);

    if (error != 0) {
        return error;
    }
    (void)pthread_attr_setstacksize(&how, STACK);
    if (ordinary) {
        (void)pthread_attr_setinheritsched(&how, PTHREAD_EXPLICIT_SCHED);
        (void)pthread_attr_setschedpolicy(&how, SCHED_OTHER);
        (void)pthread_attr_setschedparam(&how, &usual);
    }
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    error = pthread_create(thread, &how, run, arg);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&how);
    return error;
}

bool board_thread_end(pthread_t thread)
{
    const struct timespec moment = {0, 1000000};
    bool ended = pthread_tryjoin_np(thread, NULL) == 0;

    for (int i = 0; i < 1000 && !ended; i++) { /* ThreadSanitizer knows no join with a clock */
        nanosleep(&moment, NULL);
        ended = pthread_tryjoin_np(thread, NULL) == 0;
    }
    return ended;
}
