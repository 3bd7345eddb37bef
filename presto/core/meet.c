/* SPDX-License-Identifier: BSD-3-Clause */
/* The barrier at the end: an agreement on nothing, so that it is one of all that live, whenever the
 * others have died. */
#include <stdio.h>
#include <stdlib.h>

#include "core/later.h"
#include "core/rank.h"

void pri_leave_check(struct pri_rank *self, int error)
{
    if (NI_UNLIKELY(error != PRI_OK && error != PRI_ERR_PEER && error != PRI_ERR_FORKED)) {
        fprintf(stderr, "presto: rank %d cannot leave the job, for which others wait: %s\n",
                self->rank, pri_error_text(error));
        pri_abort(self, 1);
    }
}

/* A context with ranks of other jobs. */
struct pri_meeting {
    struct pri_meeting *next;
    uint32_t context;
    int size;
};

int pri_meet_with(struct pri_rank *self, uint32_t context, int size)
{
    struct pri_meeting *meeting = malloc(sizeof(*meeting)), **place;

    if (meeting == NULL) {
        return PRI_ERR_NOMEM;
    }
    pri_lock(self);
    place = &self->cold->meetings;
    while (*place != NULL && (*place)->context < context) {
        place = &(*place)->next;
    }
    *meeting = (struct pri_meeting){.next = *place, .context = context, .size = size};
    *place = meeting;
    pri_unlock(self);
    return PRI_OK;
}

void pri_meet_without(struct pri_rank *self, uint32_t context)
{
    struct pri_meeting **place, *gone;

    pri_lock(self);
    place = &self->cold->meetings;
    while (*place != NULL && (*place)->context != context) {
        place = &(*place)->next;
    }
    gone = *place;
    if (gone != NULL) {
        *place = gone->next;
    }
    pri_unlock(self);
    free(gone);
}

void pri_meetings_free(struct pri_rank *self)
{
    while (self->cold->meetings != NULL) {
        pri_meet_without(self, self->cold->meetings->context);
    }
}

static void meet(struct pri_rank *self, uint32_t context, int size)
{
    struct pri_vote *vote = calloc(1, PRI_VOTE_BYTES(size));

    pri_leave_check(self, vote == NULL ? PRI_ERR_NOMEM : pri_agree(self, context, vote));
    free(vote);
}

/* One after the other in the order of their numbers, which is the same for all: so nobody waits in
 * a circle. */
void pri_meet(struct pri_rank *self)
{
    const uint32_t core = pri_context_core(self);
    bool own = self->size == 1; /* is done */

    for (const struct pri_meeting *m = self->cold->meetings; m != NULL; m = m->next) {
        if (!own && m->context > core) {
            meet(self, core, self->size);
            own = true;
        }
        meet(self, m->context, m->size);
    }
    if (!own) {
        meet(self, core, self->size);
    }
}
