/* SPDX-License-Identifier: BSD-3-Clause */
/* The barrier at the end: by dissemination, in steps of 1, 2, 4, ... ranks, so that what was sent to a
 * rank has come there before anybody closes. Who has died is not waited for. */
#include "core/rank.h"

static void step(struct pri_rank *self, int distance)
{
    struct pri_where to = {.peer = (self->rank + distance) % self->size,
                           .as = self->rank,
                           .tag = distance,
                           .context = PRI_CONTEXT_CORE};
    struct pri_where from = to;
    struct pri_request sent, received;
    bool is_sent, is_received;

    from.peer = (self->rank - distance + self->size) % self->size;
    is_received = pri_irecv(self, NULL, 0, from, &received) == PRI_OK;
    is_sent = pri_isend(self, NULL, 0, to, PRI_STANDARD, &sent) == PRI_OK;
    if (is_received) {
        (void)pri_wait(&received);
    }
    if (is_sent) {
        (void)pri_wait(&sent);
    }
}

void pri_meet(struct pri_rank *self)
{
    for (int distance = 1; distance < self->size; distance *= 2) {
        step(self, distance);
    }
}
