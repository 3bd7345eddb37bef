/* SPDX-License-Identifier: BSD-3-Clause */
/* What is known of contexts: asked when a rank has died or a context has been revoked. */
#include <stdlib.h>
#include <string.h>

#include "core/rank.h"

static struct pri_members **bucket_of(struct pri_rank *self, uint32_t context)
{
    return &self->cold->members[context / 2 % PRI_MEMBERS_BUCKETS];
}

struct pri_members *pri_members_of(struct pri_rank *self, uint32_t context)
{
    struct pri_members *members = *bucket_of(self, context);

    while (members != NULL && members->context != (context & ~(uint32_t)PRI_COLL)) {
        members = members->next;
    }
    return members;
}

struct pri_members *pri_members_need(struct pri_rank *self, uint32_t context)
{
    struct pri_members *members = pri_members_of(self, context);
    struct pri_members **bucket = bucket_of(self, context);

    if (members == NULL && (members = calloc(1, sizeof(*members))) != NULL) {
        members->context = context & ~(uint32_t)PRI_COLL;
        members->self = self;
        members->size = atomic_load_explicit(&self->known, memory_order_relaxed);
        members->next = *bucket;
        *bucket = members;
    }
    return members;
}

/* Of all ranks of a job that begins with 0 there is no list. *copy is NULL then. */
static bool copy_ranks(const struct pri_rank *self, const int *ranks, int size, int **copy)
{
    *copy = NULL;
    if (ranks == NULL && size == self->size && self->first == 0) {
        return true;
    }
    *copy = malloc((size_t)size * sizeof(**copy) + 1);
    for (int i = 0; *copy != NULL && i < size; i++) {
        (*copy)[i] = ranks != NULL ? ranks[i] : self->first + i;
    }
    return *copy != NULL;
}

int pri_context_members(struct pri_rank *self, uint32_t context, const int *ranks, int size)
{
    struct pri_members *members;
    int *copy;

    if (!copy_ranks(self, ranks, size, &copy)) {
        return PRI_ERR_NOMEM;
    }
    pri_lock(self);
    members = pri_members_need(self, context);
    if (members != NULL) {
        members->ranks = copy;
        members->size = size;
        members->open = true;
        pri_revoke_opened(members);
    }
    pri_unlock(self);
    if (members == NULL) {
        free(copy);
    }
    return members != NULL ? PRI_OK : PRI_ERR_NOMEM;
}

void pri_context_close(struct pri_rank *self, uint32_t context)
{
    struct pri_members *members;
    bool revoked;

    pri_lock(self);
    members = pri_members_of(self, context);
    revoked = members != NULL && members->revoked;
    if (members != NULL && members->open) {
        pri_revoke_closed(members);
        members->open = false;
    }
    pri_unlock(self);
    if (revoked) {
        pri_revoke_settle(self);
    }
}

static void free_entry(struct pri_members *members)
{
    pri_agreed_free(members->agreed);
    free(members->told);
    free(members->ranks);
    free(members);
}

void pri_members_forget(struct pri_rank *self, uint32_t context)
{
    struct pri_members **place = bucket_of(self, context), *gone;

    pri_lock(self);
    while (*place != NULL && (*place)->context != (context & ~(uint32_t)PRI_COLL)) {
        place = &(*place)->next;
    }
    gone = *place;
    if (gone != NULL) {
        *place = gone->next;
    }
    pri_unlock(self);
    if (gone != NULL) {
        free_entry(gone);
    }
}

/* One that the rank led, which is the caller's from now on; NULL: there is none. */
static struct pri_members *take_led(struct pri_rank *self, int leader)
{
    struct pri_members *gone = NULL;

    pri_lock(self);
    for (int i = 0; gone == NULL && i < PRI_MEMBERS_BUCKETS; i++) {
        struct pri_members **place = &self->cold->members[i];

        while (*place != NULL && ((*place)->context >> PRI_CONTEXT_RANK_SHIFT != (uint32_t)leader ||
                                  (*place)->open || (*place)->spreads)) {
            place = &(*place)->next;
        }
        gone = *place;
        if (gone != NULL) {
            *place = gone->next;
        }
    }
    pri_unlock(self);
    return gone;
}

void pri_members_outlive(struct pri_rank *self, int leader)
{
    struct pri_members *gone;

    while ((gone = take_led(self, leader)) != NULL) {
        if (gone->drop != 0) {
            (void)ni_me_unlink(self->ni, gone->drop);
        }
        free_entry(gone);
    }
}

void pri_members_free(struct pri_rank *self)
{
    for (int i = 0; i < PRI_MEMBERS_BUCKETS; i++) {
        while (self->cold->members[i] != NULL) {
            struct pri_members *gone = self->cold->members[i];

            self->cold->members[i] = gone->next;
            free_entry(gone);
        }
    }
}

/* ---- deaths ---------------------------------------------------------------------------------- */

NI_COLD bool pri_context_lost(struct pri_rank *self, uint32_t context)
{
    const struct pri_members *members;
    bool lost;

    pri_lock(self);
    members = pri_members_of(self, context);
    lost = members == NULL; /* all ranks have it */
    for (int i = 0; !lost && i < members->size; i++) {
        lost = pri_death(self, pri_member(members, i)) > members->acknowledged;
    }
    pri_unlock(self);
    return lost;
}

int pri_context_acknowledge(struct pri_rank *self, uint32_t context, int death)
{
    struct pri_members *members;

    pri_lock(self);
    members = pri_members_need(self, context);
    if (members != NULL && members->acknowledged < death) {
        members->acknowledged = death;
    }
    pri_unlock(self);
    return members != NULL ? PRI_OK : PRI_ERR_NOMEM;
}

int pri_context_acknowledged(struct pri_rank *self, uint32_t context)
{
    const struct pri_members *members;
    int death;

    pri_lock(self);
    members = pri_members_of(self, context);
    death = members != NULL ? members->acknowledged : 0;
    pri_unlock(self);
    return death;
}
