/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Contexts that are of no use any more (User-Level Failure Mitigation). Who revokes one, or hears
 * that it has been, tells all its ranks, once: so all that live hear of it, also if it dies
 * meanwhile.
 *
 * In a rank that knows, receives in the context fail, those that are posted and those to come; what
 * has come for it and what will come is dropped by an entry behind all receives, so that its
 * senders do not wait for them. Messages go the long way then (pri_rank.direct), where that is
 * looked at.
 *
 * The mark is set where it is heard; what calls the NI is a task, outside of the NI's callbacks.
 *
 * The entry goes when this rank has closed the context, and all others have told it or are gone:
 * what they sent before they knew has come before that, and what they send now fails. What is known
 * of the context stays until its leader's number is another rank's.
 */
#include <stdio.h>
#include <stdlib.h>

#include "core/recorder.h"

bool pri_context_revoked(struct pri_rank *self, uint32_t context)
{
    const struct pri_members *members;
    bool revoked;

    pri_lock(self);
    members = pri_members_of(self, context);
    revoked = members != NULL && members->revoked;
    pri_unlock(self);
    return revoked;
}

/* ---- what follows ---------------------------------------------------------------------------- */

/* ni_me_choose_fn: the receives of the context, but for those of an agreement. */
static bool is_of_context(void *arg, void *user_ptr, ni_initiator source)
{
    const struct pri_members *members = arg;
    const struct pri_request *request = user_ptr;

    (void)source;
    return request != NULL && (request->context & ~(uint32_t)PRI_COLL) == members->context &&
           !pri_is_of_agreement(request->status.tag);
}

/* What has come and will come, in both planes, with the tags of the program and of collectives. */
static int drop_messages(struct pri_members *members)
{
    struct pri_rank *self = members->self;
    const struct ni_me me = {
        .match_bits = (uint64_t)members->context << 32,
        .ignore_bits = (uint64_t)PRI_COLL << 32 | PRI_ANY_TAG_BITS,
        .match_id = NI_INITIATOR_ANY,
        .options = NI_ME_OP_PUT | NI_ME_EVENT_SUCCESS_DISABLE | NI_ME_EVENT_UNLINK_DISABLE,
    };

    ni_me_handle drop;
    int error = pri_error_of(ni_me_append(self->ni, PRI_PT, &me, NI_PRIORITY_LIST, NULL, &drop));

    if (error == PRI_OK) {
        pri_lock(self);
        members->drop = drop;
        pri_unlock(self);
    }
    return error;
}

static bool has_told(const struct pri_members *members, int rank)
{
    const struct pri_rank *self = members->self;

    return rank == self->rank || (members->told[rank / 64] >> (rank % 64) & 1) != 0 ||
           atomic_load_explicit(&self->peers[rank].down, memory_order_relaxed) != 0;
}

void pri_revoke_gone(struct pri_rank *self, int rank)
{
    pri_lock(self);
    for (int i = 0; i < PRI_MEMBERS_BUCKETS; i++) {
        for (struct pri_members *m = self->cold->members[i]; m != NULL; m = m->next) {
            if (m->told != NULL) {
                m->told[rank / 64] |= UINT64_C(1) << (rank % 64);
            }
        }
    }
    pri_unlock(self);
}

/* Whether its entry takes nothing any more. The lock is held. */
static bool is_settled(const struct pri_members *members)
{
    bool settled = members->drop != 0 && !members->open;

    for (int i = 0; settled && i < members->size; i++) {
        settled = has_told(members, pri_member(members, i));
    }
    return settled;
}

/* One such entry, which is the caller's from now on; 0: there is none. */
static ni_me_handle take_settled(struct pri_rank *self)
{
    ni_me_handle drop = 0;

    pri_lock(self);
    for (int i = 0; drop == 0 && i < PRI_MEMBERS_BUCKETS; i++) {
        for (struct pri_members *m = self->cold->members[i]; drop == 0 && m != NULL; m = m->next) {
            if (is_settled(m)) {
                drop = m->drop;
                m->drop = 0;
            }
        }
    }
    pri_unlock(self);
    return drop;
}

NI_COLD void pri_revoke_settle(struct pri_rank *self)
{
    ni_me_handle drop;

    while ((drop = take_settled(self)) != 0) {
        (void)ni_me_unlink(self->ni, drop);
    }
}

/* A rank that cannot be told has died, or will. */
static void tell_all(const struct pri_members *members)
{
    struct pri_rank *self = members->self;

    for (int i = 0; i < members->size; i++) {
        int rank = pri_member(members, i);
        struct ni_peer *peer = self->peers[rank].ni;
        int error = rank == self->rank || peer == NULL
                        ? PRI_OK
                        : pri_control_put(self, peer, members->context, 0, PRI_CONTROL_REVOKE);

        if (error == PRI_ERR_NOMEM) {
            fprintf(stderr, "presto: rank %d cannot tell others of a revoked communicator: %s\n",
                    self->rank, pri_error_text(error));
            pri_abort(self, 1);
        }
    }
}

/* pri_task.advance. */
static bool spread(struct pri_task *task)
{
    struct pri_members *members = ni_container_of(task, struct pri_members, spread);
    struct pri_rank *self = members->self;

    tell_all(members);
    (void)ni_me_fail(self->ni, PRI_PT, is_of_context, members);
    if (drop_messages(members) != PRI_OK) {
        fprintf(stderr, "presto: rank %d cannot revoke a communicator: %s\n", self->rank,
                pri_error_text(PRI_ERR_NOMEM));
        pri_abort(self, 1);
    }
    pri_revoke_settle(self);
    return true;
}

/* pri_task.finished. */
static void has_spread(struct pri_task *task)
{
    struct pri_members *members = ni_container_of(task, struct pri_members, spread);
    struct pri_rank *self = members->self;

    pri_lock(self);
    members->spreads = false;
    pri_unlock(self);
}

/* ---- the mark -------------------------------------------------------------------------------- */

/* One that is open is counted, so that messages look at the mark. The lock is held. */
static void count(struct pri_members *members, int by)
{
    struct pri_rank *self = members->self;

    atomic_fetch_add_explicit(&self->revoked, (unsigned)by, memory_order_relaxed);
    atomic_fetch_add_explicit(&self->rare, (unsigned)by, memory_order_relaxed);
    pri_direct_choose(self);
}

/* It has, if it has not been. False: no memory. The lock is held. */
static bool mark(struct pri_members *members)
{
    if (members->told == NULL) {
        members->told = calloc(((size_t)members->self->cold->slots + 63) / 64, sizeof(uint64_t));
        members->revoked = members->told != NULL;
    }
    return members->revoked;
}

/* 0, also if it has been already, or PRI_ERR_NOMEM. by: who says so, of the job. What has come for
 * a context that is not open, and may never be here, is dropped as well; who its ranks are is not
 * known then, and all are told.
 */
static int revoke(struct pri_rank *self, uint32_t context, int by)
{
    struct pri_members *members;
    bool was, is;

    pri_lock(self);
    members = pri_members_need(self, context);
    was = members != NULL && members->revoked;
    is = members != NULL && mark(members);
    if (is && !was) {
        count(members, members->open ? 1 : 0);
        members->spreads = true;
    }
    if (is) {
        members->told[by / 64] |= UINT64_C(1) << (by % 64);
    }
    pri_unlock(self);
    if (is && !was) {
        members->spread = (struct pri_task){.advance = spread, .finished = has_spread};
        pri_task_add(self, &members->spread);
    }
    return is ? PRI_OK : PRI_ERR_NOMEM;
}

/* A rank that has made the communicator already may revoke it while this one still makes it. */
void pri_revoke_opened(struct pri_members *members)
{
    if (members->revoked) {
        count(members, 1);
    }
}

void pri_revoke_closed(struct pri_members *members)
{
    if (members->revoked) {
        count(members, -1);
    }
}

int pri_context_revoke(struct pri_rank *self, uint32_t context)
{
    int error = revoke(self, context, self->rank);

    pri_tasks_advance(self);
    return error;
}

NI_COLD void pri_on_revoke(struct pri_rank *self, int from, uint32_t context)
{
    if (revoke(self, context, from) != PRI_OK) {
        fprintf(stderr, "presto: rank %d cannot revoke a communicator: %s\n", self->rank,
                pri_error_text(PRI_ERR_NOMEM));
        pri_abort(self, 1);
    }
    pri_revoke_settle(self);
}
