/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PRI_COLL_STATE_H
#define PRI_COLL_STATE_H

/* What all teams of one rank share: thresholds, and schedules that are not in use. */

#include <pthread.h>

#include <apeni/param.h>

#include "coll/coll.h"

struct pri_sched;

struct pri_coll_params {
#define PRI_COLL_PARAM(field, default_text, min, max, unit, help) size_t field;
#include "coll/params.def"
#undef PRI_COLL_PARAM
};

struct pri_coll_state {
    struct pri_coll_params params;
    pthread_mutex_t lock; /* of what follows; taken only when the rank has threads */
    struct pri_sched *idle;
    struct pri_counters *counters; /* of all teams */
};

static inline void pri_coll_lock(struct pri_coll_state *state, const struct pri_rank *self)
{
    if (self->threads) {
        pthread_mutex_lock(&state->lock);
    }
}

static inline void pri_coll_unlock(struct pri_coll_state *state, const struct pri_rank *self)
{
    if (self->threads) {
        pthread_mutex_unlock(&state->lock);
    }
}

static inline struct pri_coll_state *pri_coll_state(const struct pri_team *team)
{
    return team->self->user[PRI_USER_COLL];
}

static inline const struct pri_coll_params *pri_coll_params(const struct pri_team *team)
{
    return &pri_coll_state(team)->params;
}

/* Sets all from the environment. PRI_ERR_ARG: one is not understood, and a message says which. */
int pri_coll_params_read(struct pri_coll_params *params);

/* The same as rows, for who names them: a value as the environment has it or, where that makes no
 * sense, the default; and to have the environment say another, before the first team is made. 0 or
 * PRI_ERR_ARG. */
extern const struct ni_param pri_coll_param_rows[];
extern const size_t pri_coll_param_count;
uint64_t pri_coll_param_value(const struct ni_param *row);
int pri_coll_param_set(const struct ni_param *row, const char *text);

#endif
