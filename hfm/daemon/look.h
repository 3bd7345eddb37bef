/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HFM_DAEMON_LOOK_H
#define HFM_DAEMON_LOOK_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "hfm/host.h"

/*
 * Looks at the host's files on a thread of its own, with the ordinary priority: some of them ask
 * devices, such as disks for their temperature, and those may take seconds. Files that have not
 * been read for long make the host sick.
 */
struct look_thread {
    pthread_t thread;
    bool started;
    int wake;             /* eventfd: what was found has changed */
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t ended;
    bool ends, fresh;
    struct hfm_host found;
    uint64_t began, seen; /* ns: the last look that is complete; the one before it */

    struct hfm_host host;   /* of the thread */
    uint64_t took, excused; /* of who takes: when last; when it was late */
};

/* Start it; signals stay with the caller's thread. false: logged. */
bool look_thread_start(struct look_thread *look, const struct hfm_host_limits *limits);

/* What was found last goes to host, seen becomes when it may have been otherwise for the last time,
 * in ns. false: nothing new, and both stay as they are. */
bool look_thread_take(struct look_thread *look, struct hfm_host *host, uint64_t now,
                      uint64_t *seen);

/* End the thread. false: it waits for a file, and uses *look until the process ends. */
bool look_thread_stop(struct look_thread *look);

#endif
