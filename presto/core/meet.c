/* SPDX-License-Identifier: BSD-3-Clause */
/* The barrier at the end: by dissemination, in steps of 1, 2, 4, ... ranks, so that what was sent
 * to a rank has come there before anybody closes. Who has died is not waited for, nor are those of
 * which only that one would have told. */
#include <stdio.h>

#include "core/rank.h"

void pri_leave_check(struct pri_rank *self, int error)
{
    if (NI_UNLIKELY(error != PRI_OK && error != PRI_ERR_PEER && error != PRI_ERR_FORKED)) {
        fprintf(stderr, "presto: rank %d cannot leave the job, for which others wait: %s\n",
                self->rank, pri_error_text(error));
        pri_abort(self, 1);
    }
}

static void step(struct pri_rank *self, int distance)
{
    struct pri_where to = {.peer = (self->rank + distance) % self->size,
                           .as = self->rank,
                           .tag = distance,
                           .context = PRI_CONTEXT_CORE};
    struct pri_where from = to;
    struct pri_request sent, received;
    int error_received, error_sent;

    from.peer = (self->rank - distance + self->size) % self->size;
    error_received = pri_irecv(self, NULL, 0, from, &received);
    error_sent = pri_isend(self, NULL, 0, to, PRI_STANDARD, &sent);
    pri_leave_check(self, error_received);
    pri_leave_check(self, error_sent);
    if (error_received == PRI_OK) {
        (void)pri_wait(&received);
    }
    if (error_sent == PRI_OK) {
        pri_leave_check(self, pri_wait(&sent));
    }
}

void pri_meet(struct pri_rank *self)
{
    for (int distance = 1; distance < self->size; distance *= 2) {
        step(self, distance);
    }
}
