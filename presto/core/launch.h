/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PRESTO_CORE_LAUNCH_H
#define PRESTO_CORE_LAUNCH_H

#include "core/later.h"
#include "core/rank.h"

/*
 * How a job is started, and how its ranks come to know each other's addresses. pri_start takes the
 * first launcher that applies: threads, prestorun, PMIx, PMI-2, alone. Then, in this order: join,
 * describe, exchange; at the end leave.
 */
struct pri_launcher {
    enum pri_launch launch;
    /* Whether this process, or this thread, was started by it. */
    bool (*applies)(void);
    /* Set rank, size, app unless it is 0, and cold->launch. Says on stderr why it cannot. */
    int (*join)(struct pri_rank *self);
    /* What the interface is opened with: link, key of the job, processes of the host. */
    void (*describe)(struct pri_rank *self, struct ni_open_attr *attr);
    /* Give mine, get all[size]. Returns when all ranks have given theirs. */
    int (*exchange)(struct pri_rank *self, const struct pri_blob *mine, struct pri_blob *all);
    /* The interface is closed (orderly: pri_stop), or starting failed after join. */
    void (*leave)(struct pri_rank *self, bool orderly);
    /* End all other ranks, with an exit status of 1 to 255; what the process itself does follows.
     */
    void (*abort)(struct pri_rank *self, int status);
    /* Ask it for something, and wait for the answer: later.h, and wire_up.h for the kinds. NULL: it
     * serves nothing. Thread-safe. 0, PRI_ERR_NOMEM, or PRI_ERR_START, as it is gone. */
    int (*ask)(struct pri_rank *self, uint32_t kind, const void *question, size_t length,
               struct pri_answer *answer);
};

extern const struct pri_launcher pri_launch_alone;
extern const struct pri_launcher pri_launch_prestorun;
extern const struct pri_launcher pri_launch_pmi2;
extern const struct pri_launcher pri_launch_pmix;
extern const struct pri_launcher pri_launch_threads;

/* ---- launch_threads.c ------------------------------------------------------------------------ */

/* Whether ranks are threads here. */
bool pri_threads_wanted(void);

/* ---- keys ------------------------------------------------------------------------------------ */

/* The key of a job that has a name: processes of other jobs, which have other names, are refused.
 * FNV-1a. */
static inline uint64_t pri_launch_key(const char *name)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    while (*name != '\0') {
        hash = (hash ^ (uint8_t)*name++) * UINT64_C(0x100000001b3);
    }
    return hash;
}

/* ---- numbers --------------------------------------------------------------------------------- */

/* A number in the environment, all of it, from min to max. False: unset, or it says on stderr what
 * is wrong. */
bool pri_environment(const char *name, long min, long max, long *value);
/* The same of what somebody else says. */
bool pri_environment_silent(const char *name, long min, long max, long *value);
/* A rank begins to start: see pri_parameters_hold. */
void pri_parameters_settle(void);

#endif
