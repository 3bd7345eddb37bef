/* SPDX-License-Identifier: BSD-3-Clause */
/* What a rank keeps of the agreements of a context, and says to those that ask. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/agree.h"

enum { KEPT_DECISIONS = 2, NUMBERS = PRI_AGREE_TAGS / 2 };

struct pri_agreed {
    uint32_t begun, decided; /* numbers of agreements, from 1; 0: none */
    /* Of the one whose number is n, in place n % KEPT_DECISIONS: others may be one ahead. */
    uint32_t asked[KEPT_DECISIONS];     /* somebody has asked for it, */
    int asker[KEPT_DECISIONS];          /* this rank of the job: who comes before it has died */
    uint32_t followed[KEPT_DECISIONS];  /* somebody follows this rank in it */
    uint32_t published[KEPT_DECISIONS]; /* the decision goes to all */
    struct pri_vote *votes[KEPT_DECISIONS];
};

void pri_agreed_free(struct pri_agreed *agreed)
{
    if (agreed != NULL) {
        for (int i = 0; i < KEPT_DECISIONS; i++) {
            free(agreed->votes[i]);
        }
        free(agreed);
    }
}

/* ---- messages -------------------------------------------------------------------------------- */

struct pri_where pri_agreement_where(const struct pri_agreement *a, int place,
                                     enum pri_agreement_way way)
{
    return (struct pri_where){
        .peer = pri_member(a->members, place),
        .as = a->place,
        .tag = INT_MIN + 2 * (int)(a->number % NUMBERS) + (int)way,
        .context = a->members->context,
    };
}

/* A vote on its way. */
struct parcel {
    struct pri_request request;
    struct pri_vote vote;
};

static void parcel_free(struct pri_request *request)
{
    free(ni_container_of(request, struct parcel, request));
}

int pri_agreement_send(const struct pri_agreement *a, int place, enum pri_agreement_way way,
                       const struct pri_vote *vote)
{
    size_t words = 2 * PRI_VOTE_WORDS(a->members->size), bytes;
    struct parcel *parcel;
    int error;

    /* Words of 0 at the end stay here, which are all while nobody has died: the memory that it
     * comes to has them. */
    while (words > 0 && vote->failed[words - 1] == 0) {
        words--;
    }
    bytes = sizeof(*vote) + words * sizeof(vote->failed[0]);
    parcel = malloc(offsetof(struct parcel, vote) + bytes);
    if (parcel == NULL) {
        return PRI_ERR_NOMEM;
    }
    memcpy(&parcel->vote, vote, bytes);
    error = pri_isend(a->self, &parcel->vote, bytes, pri_agreement_where(a, place, way),
                      PRI_STANDARD, &parcel->request);
    if (error != PRI_OK) {
        free(parcel);
        return error == PRI_ERR_PEER ? PRI_OK : error;
    }
    pri_detach(&parcel->request, parcel_free);
    return PRI_OK;
}

/* ---- who leads ------------------------------------------------------------------------------- */

bool pri_agreement_gone(const struct pri_agreement *a, int place)
{
    const struct pri_peer *peer = &a->self->peers[pri_member(a->members, place)];

    return place != a->place && atomic_load_explicit(&peer->down, memory_order_relaxed) != 0;
}

/* The first that is not gone, from the one on that has asked last. */
int pri_agreement_leader(const struct pri_agreement *a)
{
    const uint32_t slot = a->number % KEPT_DECISIONS;
    int first = a->agreed->asked[slot] == a->number
                    ? pri_member_place(a->members, a->agreed->asker[slot])
                    : 0;

    for (int i = 0; i < a->members->size; i++) {
        int place = (first + i) % a->members->size;

        if (!pri_agreement_gone(a, place)) {
            return place;
        }
    }
    return a->place;
}

bool pri_agreement_changed(const struct pri_agreement *a)
{
    bool changed;

    pri_lock(a->self);
    changed = pri_agreement_leader(a) != a->leader;
    pri_unlock(a->self);
    return changed;
}

/* ---- what is kept ---------------------------------------------------------------------------- */

static struct pri_vote **kept(struct pri_agreed *agreed, uint32_t number)
{
    return &agreed->votes[number % KEPT_DECISIONS];
}

/* The lock is held. NULL: no memory. */
static struct pri_agreed *need(struct pri_members *members)
{
    if (members != NULL && members->agreed == NULL) {
        members->agreed = calloc(1, sizeof(*members->agreed));
    }
    return members == NULL ? NULL : members->agreed;
}

/* A decision of this number, which is asked for, or NULL; then *a is what it takes to send it. One
 * that is asked for stays, since who asks for it has not begun the one after the next. The lock is
 * held. */
static const struct pri_vote *find(struct pri_agreement *a, uint32_t context)
{
    struct pri_members *members = pri_members_need(a->self, context);

    a->members = members;
    a->agreed = need(members);
    if (a->agreed == NULL || a->agreed->decided - a->number >= KEPT_DECISIONS) {
        return NULL;
    }
    a->place = pri_member_place(members, a->self->rank);
    return *kept(a->agreed, a->number);
}

/* Whether this rank has begun the agreement, and not decided. */
static bool begun(const struct pri_agreement *a)
{
    bool yes;

    pri_lock(a->self);
    yes = a->agreed != NULL && a->agreed->begun >= a->number && a->agreed->decided < a->number;
    pri_unlock(a->self);
    return yes;
}

static NI_COLD void answer(const struct pri_agreement *a, int to, enum pri_agreement_way way,
                           const struct pri_vote *decided)
{
    if (decided != NULL &&
        pri_agreement_send(a, pri_member_place(a->members, to), way, decided) != PRI_OK) {
        fprintf(stderr, "presto: rank %d cannot tell another what they have agreed on: %s\n",
                a->self->rank, pri_error_text(PRI_ERR_NOMEM));
        pri_abort(a->self, 1);
    }
}

/* Another rank acts as one does that has lost all before this place: those that live do not have it
 * for a follower and never will. So they are dead for this one, too, and are told. */
static NI_COLD void adopt_losses(const struct pri_agreement *a, int before)
{
    struct pri_rank *self = a->self;

    for (int i = 0; i < before && i < a->members->size; i++) {
        int rank = pri_member(a->members, i);

        if (rank == self->rank) {
            pri_on_taken_for_dead(self, pri_member(a->members, before));
        }
        if (!pri_agreement_gone(a, i)) {
            pri_agreement_tell_dead(a, i);
        }
    }
}

/* The same, of who has asked before this rank began: only now it surely knows its places. */
void pri_agreement_adopt(const struct pri_agreement *a)
{
    const uint32_t slot = a->number % KEPT_DECISIONS;
    int before = 0;

    pri_lock(a->self);
    if (a->agreed->followed[slot] == a->number) {
        before = a->place;
    }
    if (a->agreed->asked[slot] == a->number) {
        int asker = pri_member_place(a->members, a->agreed->asker[slot]);

        before = asker > before ? asker : before;
    }
    pri_unlock(a->self);
    adopt_losses(a, before);
}

/* Who has not decided will vote for it: it waits for that. */
NI_COLD void pri_on_lead(struct pri_rank *self, int from, uint32_t context, uint32_t number)
{
    struct pri_agreement a = {.self = self, .number = number};
    const uint32_t slot = number % KEPT_DECISIONS;
    const struct pri_vote *decided;

    pri_lock(self);
    decided = find(&a, context);
    if (a.agreed != NULL && number > a.agreed->decided &&
        (a.agreed->asked[slot] != number ||
         pri_member_place(a.members, a.agreed->asker[slot]) < pri_member_place(a.members, from))) {
        a.agreed->asked[slot] = number;
        a.agreed->asker[slot] = from;
    }
    pri_unlock(self);
    if (begun(&a)) {
        a.place = pri_member_place(a.members, self->rank);
        adopt_losses(&a, pri_member_place(a.members, from));
    }
    answer(&a, from, PRI_TO_LEADER, decided);
}

NI_COLD void pri_on_follow(struct pri_rank *self, int from, uint32_t context, uint32_t number)
{
    struct pri_agreement a = {.self = self, .number = number};
    const uint32_t slot = number % KEPT_DECISIONS;
    const struct pri_vote *decided;

    pri_lock(self);
    decided = find(&a, context);
    if (a.agreed != NULL && number > a.agreed->decided) {
        a.agreed->followed[slot] = number;
    }
    if (a.agreed != NULL && a.agreed->published[slot] == number) {
        decided = NULL; /* it is on its way */
    }
    pri_unlock(self);
    if (begun(&a)) {
        a.place = pri_member_place(a.members, self->rank);
        adopt_losses(&a, a.place);
    }
    answer(&a, from, PRI_FROM_LEADER, decided);
}

bool pri_agreement_decide(const struct pri_agreement *a, const struct pri_vote *result)
{
    struct pri_agreed *agreed = a->agreed;
    size_t bytes = PRI_VOTE_BYTES(a->members->size);
    const uint32_t slot = a->number % KEPT_DECISIONS;
    bool yes;

    pri_lock(a->self);
    yes = agreed->asked[slot] != a->number ||
          pri_member_place(a->members, agreed->asker[slot]) <= a->leader;
    if (yes) {
        memcpy(*kept(agreed, a->number), result, bytes);
        (*kept(agreed, a->number))->decided = 1;
        agreed->decided = a->number;
        if (a->leader == a->place || agreed->followed[slot] == a->number) {
            agreed->published[slot] = a->number;
        }
    }
    pri_unlock(a->self);
    return yes;
}

bool pri_agreement_publishes(const struct pri_agreement *a)
{
    bool yes;

    pri_lock(a->self);
    yes = a->agreed->published[a->number % KEPT_DECISIONS] == a->number;
    pri_unlock(a->self);
    return yes;
}

int pri_agreement_begin(struct pri_agreement *a, uint32_t context)
{
    struct pri_members *members;
    struct pri_vote **place = NULL;

    pri_lock(a->self);
    members = pri_members_of(a->self, context);
    a->members = members;
    a->agreed = need(members);
    if (a->agreed != NULL) {
        a->number = a->agreed->begun + 1;
        place = kept(a->agreed, a->number);
        if (*place == NULL) {
            *place = malloc(PRI_VOTE_BYTES(members->size));
        }
        a->agreed->begun += *place != NULL;
    }
    pri_unlock(a->self);
    return place != NULL && *place != NULL ? PRI_OK : PRI_ERR_NOMEM;
}
