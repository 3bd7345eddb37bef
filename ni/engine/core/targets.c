/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/core/targets.h"

#include <apeni/command.h>
#include <apeni/qp.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "engine/core/peer.h"
#include "engine/core/progress_lock.h"

enum { TARGETS_MIN = 8, TARGETS_MAX = UINT16_MAX + 1 };

_Static_assert((int)TARGETS_MAX == (int)NI_COMMAND_TARGETS &&
                   (int)TARGETS_MAX == (int)NI_QP_TARGETS,
               "what the headers promise");

static ni_status add_target(struct ni_targets *targets, struct ni_peer *peer,
                            const struct ni_rkey *rkey, uint16_t *number)
{
    uint32_t count = targets->count;

    if (count == TARGETS_MAX) {
        return NI_ERR_LIMIT;
    }
    if (count == 0 || (count >= TARGETS_MIN && ni_is_pow2(count))) {
        size_t room = count == 0 ? TARGETS_MIN : 2 * (size_t)count;
        struct ni_target *list = ni_realloc(targets->list, room * sizeof(*list));

        if (list == NULL) {
            return NI_ERR_NOMEM;
        }
        targets->list = list;
    }
    ni_peer_name(peer);
    targets->list[count] = (struct ni_target){.peer = peer, .rkey = *rkey};
    targets->count = count + 1;
    *number = (uint16_t)count;
    return NI_OK;
}

static ni_status remove_one(struct ni_targets *targets, uint16_t number)
{
    if (ni_targets_find(targets, number) == NULL) {
        return NI_ERR_NOTFOUND;
    }
    targets->list[number].peer = NULL;
    return NI_OK;
}

ni_status ni_targets_add(struct ni *ni, ni_handle handle, ni_targets_of_fn of, struct ni_peer *peer,
                         const struct ni_rkey *rkey, uint16_t *number)
{
    struct ni_targets *targets;
    ni_status status = ni_usable(ni);
    bool taken;

    if (status != NI_OK) {
        return status;
    }
    if (peer == NULL || rkey == NULL || number == NULL) {
        return NI_ERR_INVALID;
    }
    taken = ni_progress_lock_take(ni);
    targets = of(ni, handle);
    status = targets != NULL ? add_target(targets, peer, rkey, number) : NI_ERR_REGION;
    ni_progress_lock_give(ni, taken);
    return status;
}

ni_status ni_targets_remove(struct ni *ni, ni_handle handle, ni_targets_of_fn of, uint16_t number)
{
    struct ni_targets *targets;
    ni_status status = ni_usable(ni);
    bool taken;

    if (status != NI_OK) {
        return status;
    }
    taken = ni_progress_lock_take(ni);
    targets = of(ni, handle);
    status = targets != NULL ? remove_one(targets, number) : NI_ERR_REGION;
    ni_progress_lock_give(ni, taken);
    return status;
}

void ni_targets_free(struct ni_targets *targets)
{
    ni_free(targets->list);
}
