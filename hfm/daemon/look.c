/* SPDX-License-Identifier: BSD-3-Clause */
/* The status of the host on a thread of its own. */
#include "hfm/daemon/look.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include <apeni/log.h>

#include "base/bits.h"
#include "base/clock.h"
#include "dnp/lofamo/fault.h"
#include "dnp/board/realtime.h"

enum { MS = 1000000, STUCK_LOOKS = 10, STUCK_MS = 5000 /* at least */, LATE_MS = 1000 };

/* What was found is for the loop. Returns whether it wants to know at once. */
static bool show(struct look_thread *look, uint64_t began)
{
    bool changed = look->host.fault != look->found.fault || look->seen == 0;

    look->found = look->host;
    look->seen = look->began;
    look->began = began;
    look->fresh = true;
    return changed;
}

static void *run(void *arg)
{
    struct look_thread *look = arg;
    uint64_t period = look->host.limits.look_ms * (uint64_t)MS;

    pthread_mutex_lock(&look->lock);
    while (!look->ends) {
        uint64_t began = ni_now_ns(), due = began + period, one = 1;
        bool changed;
        struct timespec until = {.tv_sec = (time_t)(due / 1000000000U),
                                 .tv_nsec = (long)(due % 1000000000U)};

        pthread_mutex_unlock(&look->lock);
        (void)hfm_host_look(&look->host, began);
        pthread_mutex_lock(&look->lock);
        changed = show(look, began);
        pthread_mutex_unlock(&look->lock);
        if (changed) {
            (void)!write(look->wake, &one, sizeof one);
        }
        pthread_mutex_lock(&look->lock);
        while (!look->ends && pthread_cond_timedwait(&look->ended, &look->lock, &until) == 0) {
        }
    }
    pthread_mutex_unlock(&look->lock);
    return NULL;
}

bool look_thread_start(struct look_thread *look, const struct hfm_host_limits *limits)
{
    pthread_condattr_t clock;
    int error;

    memset(look, 0, sizeof *look);
    hfm_host_init(&look->host, limits);
    hfm_host_init(&look->found, limits);
    look->began = ni_now_ns();
    look->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&look->ended, &clock);
    pthread_condattr_destroy(&clock);
    board_realtime_lock(&look->lock);
    error = look->wake < 0 ? errno : board_thread_start(&look->thread, run, look, true);
    look->started = error == 0;
    if (error != 0) {
        ni_log(NI_LOG_ERROR, "apelink-hfm: no thread for the host's files: %s", strerror(error));
        if (look->wake >= 0) {
            close(look->wake);
        }
    }
    return error == 0;
}

bool look_thread_take(struct look_thread *look, struct hfm_host *host, uint64_t now, uint64_t *seen)
{
    uint64_t patience = ni_max_u64(STUCK_LOOKS * look->host.limits.look_ms, STUCK_MS) * MS;
    bool fresh, stuck;

    if (now > look->took + LATE_MS * (uint64_t)MS) {
        look->excused = now; /* the whole process was away */
    }
    look->took = now;
    pthread_mutex_lock(&look->lock);
    stuck = now > ni_max_u64(look->began, look->excused) + patience;
    fresh = look->fresh || stuck;
    if (fresh) {
        *host = look->found;
        *seen = look->fresh ? look->seen : look->began;
        look->fresh = false;
    }
    pthread_mutex_unlock(&look->lock);
    if (stuck) {
        host->fault = dnp_fault_worst(host->fault, (uint32_t)DNP_SICK << 4);
        snprintf(host->why, sizeof host->why, "the host's files or sensors do not answer");
    }
    return fresh;
}

bool look_thread_stop(struct look_thread *look)
{
    if (!look->started) {
        return true;
    }
    pthread_mutex_lock(&look->lock);
    look->ends = true;
    pthread_cond_signal(&look->ended);
    pthread_mutex_unlock(&look->lock);
    if (!board_thread_end(look->thread)) {
        return false;
    }
    look->started = false;
    close(look->wake);
    pthread_cond_destroy(&look->ended);
    pthread_mutex_destroy(&look->lock);
    return true;
}
