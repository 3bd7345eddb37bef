/* SPDX-License-Identifier: BSD-3-Clause */
/* Teams, and what those of one rank share. */
#include "coll/state.h"

#include "base/alloc.h"
#include "coll/inter.h"

static void state_free(struct pri_rank *self, void *arg)
{
    struct pri_coll_state *state = arg;

    self->user[PRI_USER_COLL] = NULL;
    pri_counters_free_all(state->counters);
    pri_sched_free_all(state->idle);
    pthread_mutex_destroy(&state->lock);
    ni_free(state);
}

static int state_make(struct pri_rank *self)
{
    struct pri_coll_state *state = ni_calloc(1, sizeof *state);

    if (state == NULL) {
        return PRI_ERR_NOMEM;
    }

    int error = pri_coll_params_read(&state->params);

    if (error == 0) {
        error = pri_at_stop(self, state_free, state);
    }
    if (error != 0) {
        ni_free(state);
        return error;
    }
    pthread_mutex_init(&state->lock, NULL);
    self->user[PRI_USER_COLL] = state;
    return 0;
}

int pri_team_init(struct pri_team *team, struct pri_rank *self, uint32_t context, int rank,
                  int size, const int *members)
{
    *team = (struct pri_team){.self = self,
                              .rank = rank,
                              .size = size,
                              .members = members,
                              .context = context | PRI_COLL};

    int error = pri_context_members(self, context, members, size);

    return error != 0 || self->user[PRI_USER_COLL] != NULL ? error : state_make(self);
}

/* The one that counts the operations. */
static struct pri_team *counting(struct pri_team *team)
{
    return team->inter != NULL ? &team->inter->all : team;
}

uint32_t pri_coll_number(struct pri_team *team)
{
    return counting(team)->next_tag++;
}

void pri_persistent_init(struct pri_persistent *persistent, const struct pri_team *team,
                         uint32_t number)
{
    persistent->number = number;
    persistent->team = *team;
    persistent->team.persistent = true;
    if (team->inter != NULL) {
        persistent->inter = *team->inter;
        persistent->team.inter = &persistent->inter;
    }
}

struct pri_team *pri_persistent_team(struct pri_persistent *persistent)
{
    counting(&persistent->team)->next_tag = persistent->number;
    return &persistent->team;
}
