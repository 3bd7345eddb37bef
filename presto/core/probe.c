/* SPDX-License-Identifier: BSD-3-Clause */
/* Looking at messages that nobody has received. */
#include "core/rank.h"

/* Look, and if there is nothing make progress and look again: a program that calls this in a loop
 * need not call anything else. NI_OK, NI_PTL_NO_MATCH or an error. */
static int look(struct pri_rank *self, struct pri_where from, enum ni_search_op op,
                struct ni_event *event)
{
    struct ni_me me = {.length = SIZE_MAX, .options = NI_ME_OP_PUT};
    int result;

    if (!pri_criteria(self, from, &me)) {
        return PRI_ERR_RANK;
    }
    if (pri_is_revoked(self, from.context, from.tag)) {
        return PRI_ERR_REVOKED;
    }
    result = ni_me_probe(self->ni, PRI_PT, &me, op, event);
    if (result == NI_PTL_NO_MATCH) {
        bool in_vain = pri_in_vain(self, from); /* before the last look */

        pri_look(self);
        result = ni_me_probe(self->ni, PRI_PT, &me, op, event);
        if (result == NI_PTL_NO_MATCH && in_vain) {
            return PRI_ERR_PEER;
        }
    }
    return result == NI_PTL_NO_MATCH || result == NI_OK ? result : pri_error_of(result);
}

static int iprobe(struct pri_rank *self, struct pri_where from, enum ni_search_op op, bool *found,
                  struct ni_event *event)
{
    int result = look(self, from, op, event);

    *found = result == NI_OK;
    return result == NI_PTL_NO_MATCH ? PRI_OK : result;
}

int pri_iprobe(struct pri_rank *self, struct pri_where from, bool *found, struct pri_status *status)
{
    struct ni_event event;
    int error = iprobe(self, from, NI_SEARCH_ONLY, found, &event);

    if (*found && status != NULL) {
        pri_status_of(status, &event, event.rlength, PRI_OK);
    }
    return error;
}

int pri_improbe(struct pri_rank *self, struct pri_where from, bool *found,
                struct pri_message *message)
{
    struct ni_event event;
    int error = iprobe(self, from, NI_SEARCH_DELETE, found, &event);

    if (*found) {
        message->handle = event.unexpected;
        message->peer = pri_peer_of(self, &event);
        message->context = from.context;
        pri_status_of(&message->status, &event, event.rlength, PRI_OK);
    }
    return error;
}

void pri_wanted_tell(const void *object, char *text, size_t size)
{
    const struct pri_wanted *wanted = object;

    pri_message_tell(wanted->self, "a message", wanted->from, text, size);
}

int pri_probe(struct pri_rank *self, struct pri_where from, struct pri_status *status)
{
    const struct pri_wanted wanted = {self, from};
    unsigned spins = 0;
    bool found;
    int error;

    while ((error = pri_iprobe(self, from, &found, status)) == PRI_OK && !found) {
        pri_relax_for(self, &spins, pri_wanted_tell, &wanted);
    }
    return error;
}

int pri_mprobe(struct pri_rank *self, struct pri_where from, struct pri_message *message)
{
    const struct pri_wanted wanted = {self, from};
    unsigned spins = 0;
    bool found;
    int error;

    while ((error = pri_improbe(self, from, &found, message)) == PRI_OK && !found) {
        pri_relax_for(self, &spins, pri_wanted_tell, &wanted);
    }
    return error;
}
