/* SPDX-License-Identifier: BSD-3-Clause */
/* Which ranks have a context. Asked only when a rank has died, so a list is enough. */
#include <stdlib.h>

#include "core/rank.h"

struct pri_members {
    struct pri_members *next;
    uint32_t context;
    int size;
    int ranks[];
};

int pri_context_members(struct pri_rank *self, uint32_t context, const int *ranks, int size)
{
    struct pri_members *members;

    if (ranks == NULL && size == self->size) {
        return PRI_OK;
    }
    members = malloc(sizeof(*members) + (size_t)size * sizeof(*ranks));
    if (members == NULL) {
        return PRI_ERR_NOMEM;
    }
    members->context = context & ~(uint32_t)PRI_COLL;
    members->size = size;
    for (int i = 0; i < size; i++) {
        members->ranks[i] = ranks != NULL ? ranks[i] : i;
    }
    pri_lock(self);
    members->next = self->cold->members;
    self->cold->members = members;
    pri_unlock(self);
    return PRI_OK;
}

/* The lock is held. */
static struct pri_members **place_of(struct pri_rank *self, uint32_t context)
{
    struct pri_members **place = &self->cold->members;

    while (*place != NULL && (*place)->context != (context & ~(uint32_t)PRI_COLL)) {
        place = &(*place)->next;
    }
    return place;
}

void pri_members_forget(struct pri_rank *self, uint32_t context)
{
    struct pri_members **place, *gone;

    pri_lock(self);
    place = place_of(self, context);
    gone = *place;
    if (gone != NULL) {
        *place = gone->next;
    }
    pri_unlock(self);
    free(gone);
}

void pri_members_free(struct pri_rank *self)
{
    while (self->cold->members != NULL) {
        pri_members_forget(self, self->cold->members->context);
    }
}

static bool is_lost(const struct pri_rank *self, int rank)
{
    int down = atomic_load_explicit(&self->peers[rank].down, memory_order_relaxed);

    return down != 0 && down != NI_ERR_PEER_CLOSED;
}

NI_COLD bool pri_context_lost(struct pri_rank *self, uint32_t context)
{
    const struct pri_members *members;
    bool lost;

    pri_lock(self);
    members = *place_of(self, context);
    lost = members == NULL;
    for (int i = 0; !lost && i < members->size; i++) {
        lost = is_lost(self, members->ranks[i]);
    }
    pri_unlock(self);
    return lost;
}
