/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PRESTO_CORE_AGREE_H
#define PRESTO_CORE_AGREE_H

#include "core/rank.h"

/* Between agree.c, which agrees, and agree_kept.c, which keeps what has been agreed. */

/* This rank's part of an agreement. */
struct pri_agreement {
    struct pri_rank *self;
    const struct pri_members *members;
    struct pri_agreed *agreed;
    uint32_t number;
    int place;  /* this rank's */
    int leader; /* the place of the one that leads, as far as is known */
    struct pri_vote *vote;
};

enum pri_agreement_way { PRI_TO_LEADER, PRI_FROM_LEADER };

/* Begin one: what is needed to decide is allocated here, so that nothing fails later. 0 or
 * PRI_ERR_NOMEM. */
int pri_agreement_begin(struct pri_agreement *a, uint32_t context);

/* A message to a place, or from it. */
struct pri_where pri_agreement_where(const struct pri_agreement *a, int place,
                                     enum pri_agreement_way way);
/* Send one. Nobody waits for it; one that has died gets none. 0 or PRI_ERR_NOMEM. */
int pri_agreement_send(const struct pri_agreement *a, int place, enum pri_agreement_way way,
                       const struct pri_vote *vote);

/* Whether a rank has died or left, as far as is known here. */
bool pri_agreement_gone(const struct pri_agreement *a, int place);
/* The place of the one that leads now. The lock is held. */
int pri_agreement_leader(const struct pri_agreement *a);
/* Whether that is another than a->leader. */
bool pri_agreement_changed(const struct pri_agreement *a);

/* Take those for dead that others have lost which have asked about this agreement already. */
void pri_agreement_adopt(const struct pri_agreement *a);
/* The rank in this place is dead for this one, and is told. */
void pri_agreement_tell_dead(const struct pri_agreement *a, int place);

/* Keep the decision of a->leader. False: a later rank has asked, and so nothing is decided. */
bool pri_agreement_decide(const struct pri_agreement *a, const struct pri_vote *result);
/* Whether this rank, which has decided, is to tell all: it leads, or another follows it. */
bool pri_agreement_publishes(const struct pri_agreement *a);

/* The place of a rank of the job; the count of places if it has none. */
static inline int pri_member_place(const struct pri_members *members, int rank)
{
    int place = 0;

    while (place < members->size && pri_member(members, place) != rank) {
        place++;
    }
    return place;
}

#endif
