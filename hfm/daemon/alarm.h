/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HFM_DAEMON_ALARM_H
#define HFM_DAEMON_ALARM_H

#include <event2/event.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * When the loop of a daemon has to come back if nothing comes: a timer of the kernel that is set
 * when that time changes, and read never. One of libevent's would be set each time that the loop
 * waits.
 */
struct hfm_alarm {
    int fd;
    struct event *event;
    uint64_t at; /* ns; 0: not set yet */
};

/* false: the system has none. hfm_alarm_close also then. */
bool hfm_alarm_open(struct hfm_alarm *alarm, struct event_base *base, event_callback_fn called,
                    void *arg);
void hfm_alarm_close(struct hfm_alarm *alarm);

/* Call at this time, or soon if it has passed. now: ni_now_ns(). */
void hfm_alarm_set(struct hfm_alarm *alarm, uint64_t at, uint64_t now);

#endif
