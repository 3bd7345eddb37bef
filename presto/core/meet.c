/* SPDX-License-Identifier: BSD-3-Clause */
/* The barrier at the end: an agreement on nothing, so that it is one of all that live, whenever the
 * others have died. */
#include <stdio.h>
#include <stdlib.h>

#include "core/rank.h"

void pri_leave_check(struct pri_rank *self, int error)
{
    if (NI_UNLIKELY(error != PRI_OK && error != PRI_ERR_PEER && error != PRI_ERR_FORKED)) {
        fprintf(stderr, "presto: rank %d cannot leave the job, for which others wait: %s\n",
                self->rank, pri_error_text(error));
        pri_abort(self, 1);
    }
}

void pri_meet(struct pri_rank *self)
{
    struct pri_vote *vote;

    if (self->size == 1) {
        return;
    }
    vote = calloc(1, PRI_VOTE_BYTES(self->size));
    pri_leave_check(self, vote == NULL ? PRI_ERR_NOMEM : pri_agree(self, PRI_CONTEXT_CORE, vote));
    free(vote);
}
