/* SPDX-License-Identifier: BSD-3-Clause */
/* When the loop has to come back. */
#include "hfm/daemon/alarm.h"

#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

bool hfm_alarm_open(struct hfm_alarm *alarm, struct event_base *base, event_callback_fn called,
                    void *arg)
{
    *alarm = (struct hfm_alarm){.fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)};
    if (alarm->fd < 0) {
        return false;
    }
    alarm->event = event_new(base, alarm->fd, EV_READ | EV_PERSIST | EV_ET, called, arg);
    return alarm->event != NULL && event_priority_set(alarm->event, 0) == 0 &&
           event_add(alarm->event, NULL) == 0;
}

void hfm_alarm_close(struct hfm_alarm *alarm)
{
    if (alarm->event != NULL) {
        event_free(alarm->event);
    }
    if (alarm->fd >= 0) {
        close(alarm->fd);
    }
}

void hfm_alarm_set(struct hfm_alarm *alarm, uint64_t at, uint64_t now)
{
    struct itimerspec when = {
        .it_value = {.tv_sec = (time_t)(at / 1000000000U), .tv_nsec = (long)(at % 1000000000U)}};

    if (at == alarm->at && at > now) {
        return;
    }
    alarm->at = at;
    (void)timerfd_settime(alarm->fd, TFD_TIMER_ABSTIME, &when, NULL);
}
