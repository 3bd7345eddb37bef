/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Agreement of the ranks of a context that live, while others die.
 *
 * One of them leads: the first that is not known to have died. All others send it their votes and
 * wait for what it decides: it merges the votes of all that live. When it dies, the next one leads.
 * Some may have heard from the dead leader what it had decided, and have gone on. So the next one
 * asks all: who has decided answers at once, also outside of pri_agree, and then that is what the
 * next one decides, too. Who has not, and is asked, listens to earlier leaders no more: what such a
 * one decided and this rank has not heard of will never be heard of here. The next one may itself
 * be among those that have gone on: so who follows it asks as well, and is answered once it has
 * decided.
 *
 * Each rank keeps its last two decisions. Nobody asks for an earlier one: a rank has decided its
 * n-th when all that live have begun it, and so have decided the one before.
 *
 * Messages have tags of their own, which no program and no collective operation has, and which are
 * not dropped with a context that has been revoked.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/rank.h"

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

/* This rank's part of one. */
struct agreement {
    struct pri_rank *self;
    const struct pri_members *members;
    struct pri_agreed *agreed;
    uint32_t number;
    int place;  /* this rank's */
    int leader; /* the place of the one that leads, as far as is known */
    struct pri_vote *vote;
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

/* ---- votes ----------------------------------------------------------------------------------- */

static uint64_t *acknowledged_of(struct pri_vote *vote, int size)
{
    return vote->failed + PRI_VOTE_WORDS(size);
}

static void set_failed(struct pri_vote *vote, int place)
{
    vote->failed[place / 64] |= UINT64_C(1) << (place % 64);
}

static void merge(struct pri_vote *into, struct pri_vote *vote, int size)
{
    for (size_t i = 0; i < PRI_VOTE_WORDS(size); i++) {
        into->failed[i] |= vote->failed[i];
        acknowledged_of(into, size)[i] &= acknowledged_of(vote, size)[i];
    }
    into->flag &= vote->flag;
}

/* ---- messages -------------------------------------------------------------------------------- */

enum way { TO_LEADER, FROM_LEADER };

static struct pri_where where(const struct agreement *a, int place, enum way way)
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

/* Nobody waits for it. One that has died gets none. */
static int send_vote(const struct agreement *a, int place, enum way way,
                     const struct pri_vote *vote)
{
    size_t bytes = PRI_VOTE_BYTES(a->members->size);
    struct parcel *parcel = malloc(offsetof(struct parcel, vote) + bytes);
    int error;

    if (parcel == NULL) {
        return PRI_ERR_NOMEM;
    }
    memcpy(&parcel->vote, vote, bytes);
    error = pri_isend(a->self, &parcel->vote, bytes, where(a, place, way), PRI_STANDARD,
                      &parcel->request);
    if (error != PRI_OK) {
        free(parcel);
        return error == PRI_ERR_PEER ? PRI_OK : error;
    }
    pri_detach(&parcel->request, parcel_free);
    return PRI_OK;
}

/* ---- who leads ------------------------------------------------------------------------------- */

static int place_of(const struct pri_members *members, int rank)
{
    int place = 0;

    while (place < members->size && pri_member(members, place) != rank) {
        place++;
    }
    return place;
}

/* Whether it has died or left, as far as is known here. */
static bool is_gone(const struct agreement *a, int place)
{
    const struct pri_peer *peer = &a->self->peers[pri_member(a->members, place)];

    return place != a->place && atomic_load_explicit(&peer->down, memory_order_relaxed) != 0;
}

/* The lock is held. The first that is not gone, from the one on that has asked last. */
static int leader_of(const struct agreement *a)
{
    const uint32_t slot = a->number % KEPT_DECISIONS;
    int first =
        a->agreed->asked[slot] == a->number ? place_of(a->members, a->agreed->asker[slot]) : 0;

    for (int i = 0; i < a->members->size; i++) {
        int place = (first + i) % a->members->size;

        if (!is_gone(a, place)) {
            return place;
        }
    }
    return a->place;
}

static bool has_changed(const struct agreement *a)
{
    bool changed;

    pri_lock(a->self);
    changed = leader_of(a) != a->leader;
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
static const struct pri_vote *find(struct agreement *a, uint32_t context)
{
    struct pri_members *members = pri_members_need(a->self, context);

    a->members = members;
    a->agreed = need(members);
    if (a->agreed == NULL || a->agreed->decided - a->number >= KEPT_DECISIONS) {
        return NULL;
    }
    a->place = place_of(members, a->self->rank);
    return *kept(a->agreed, a->number);
}

static NI_COLD void answer(const struct agreement *a, int to, enum way way,
                           const struct pri_vote *decided)
{
    if (decided != NULL && send_vote(a, place_of(a->members, to), way, decided) != PRI_OK) {
        fprintf(stderr, "presto: rank %d cannot tell another what they have agreed on: %s\n",
                a->self->rank, pri_error_text(PRI_ERR_NOMEM));
        pri_abort(a->self, 1);
    }
}

/* Who has not decided will vote for it: it waits for that. */
NI_COLD void pri_on_lead(struct pri_rank *self, int from, uint32_t context, uint32_t number)
{
    struct agreement a = {.self = self, .number = number};
    const uint32_t slot = number % KEPT_DECISIONS;
    const struct pri_vote *decided;

    pri_lock(self);
    decided = find(&a, context);
    if (a.agreed != NULL && number > a.agreed->decided &&
        (a.agreed->asked[slot] != number ||
         place_of(a.members, a.agreed->asker[slot]) < place_of(a.members, from))) {
        a.agreed->asked[slot] = number;
        a.agreed->asker[slot] = from;
    }
    pri_unlock(self);
    answer(&a, from, TO_LEADER, decided);
}

NI_COLD void pri_on_follow(struct pri_rank *self, int from, uint32_t context, uint32_t number)
{
    struct agreement a = {.self = self, .number = number};
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
    answer(&a, from, FROM_LEADER, decided);
}

/* False: another rank has asked, or leads, and so nothing is decided. */
static bool decide(const struct agreement *a, const struct pri_vote *result)
{
    struct pri_agreed *agreed = a->agreed;
    size_t bytes = PRI_VOTE_BYTES(a->members->size);
    const uint32_t slot = a->number % KEPT_DECISIONS;
    bool yes;

    pri_lock(a->self);
    yes = leader_of(a) == a->leader;
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

/* ---- wait ------------------------------------------------------------------------------------ */

/* pri_tell_fn. */
static void tell(const void *object, char *text, size_t size)
{
    const struct agreement *a = object;
    char name[128];

    pri_context_tell(a->self, a->members->context, name, sizeof(name));
    snprintf(text, size, "rank %d of the job to agree on something in %s",
             pri_member(a->members, a->leader), name);
}

enum { AGAIN = -1 }; /* with another leader */

/* For a vote. 0, AGAIN, PRI_ERR_PEER, or another error of this rank's. */
static int wait_for(const struct agreement *a, struct pri_request *request)
{
    unsigned spins = 0;

    while (!pri_done(request)) {
        if (has_changed(a)) {
            pri_cancel(request);
            (void)pri_wait(request);
            return AGAIN;
        }
        pri_relax_for(a->self, &spins, tell, a);
    }
    return request->status.error;
}

/* ---- to others ------------------------------------------------------------------------------- */

/* Earlier leaders may have decided, and told some. */
static int ask(const struct agreement *a, int place, enum pri_control what)
{
    struct ni_peer *peer = a->self->peers[pri_member(a->members, place)].ni;
    uint64_t bits = (uint64_t)a->members->context << 32 | a->number;
    int error = pri_control_put(a->self, peer, bits, 0, what);

    return error == PRI_ERR_PEER ? PRI_OK : error;
}

/* To all others. 0 or PRI_ERR_NOMEM. */
static int publish(const struct agreement *a, const struct pri_vote *result)
{
    int error = PRI_OK;

    for (int i = 0; i < a->members->size; i++) {
        if (i != a->place && !is_gone(a, i)) {
            int rc = send_vote(a, i, FROM_LEADER, result);

            error = error == PRI_OK ? rc : error;
        }
    }
    return error;
}

/* Whether this rank, which has decided, is to tell all: it leads, or another follows it. */
static bool publishes(const struct agreement *a)
{
    bool yes;

    pri_lock(a->self);
    yes = a->agreed->published[a->number % KEPT_DECISIONS] == a->number;
    pri_unlock(a->self);
    return yes;
}

/* ---- follow ---------------------------------------------------------------------------------- */

/* 0, AGAIN or an error. */
static int follow(const struct agreement *a, struct pri_vote *result)
{
    struct pri_request request;
    int error = pri_irecv(a->self, result, PRI_VOTE_BYTES(a->members->size),
                          where(a, a->leader, FROM_LEADER), &request);

    if (error != PRI_OK) {
        return error;
    }
    error = send_vote(a, a->leader, TO_LEADER, a->vote);
    if (error == PRI_OK && a->leader != 0) {
        error = ask(a, a->leader, PRI_CONTROL_FOLLOW);
    }
    if (error != PRI_OK) {
        pri_cancel(&request);
        (void)pri_wait(&request);
        return error;
    }
    error = wait_for(a, &request);
    if (error == PRI_ERR_PEER) {
        return AGAIN;
    }
    if (error == PRI_OK && !decide(a, result)) {
        return AGAIN;
    }
    return error == PRI_OK && publishes(a) ? publish(a, result) : error;
}

/* ---- lead ------------------------------------------------------------------------------------ */

/* Of one other rank. */
struct ballot {
    struct pri_request request;
    bool posted;
    struct pri_vote *vote;
};

static struct ballot *ballots_new(const struct agreement *a)
{
    size_t bytes = PRI_VOTE_BYTES(a->members->size), size = (size_t)a->members->size;
    struct ballot *ballots = calloc(size, sizeof(*ballots) + bytes);

    for (size_t i = 0; ballots != NULL && i < size; i++) {
        ballots[i].vote = (struct pri_vote *)(void *)((char *)(ballots + size) + i * bytes);
    }
    return ballots;
}

static int ballots_open(const struct agreement *a, struct ballot *ballots)
{
    int error = PRI_OK;

    for (int i = 0; i < a->members->size && error == PRI_OK; i++) {
        if (i != a->place && !is_gone(a, i)) {
            error = pri_irecv(a->self, ballots[i].vote, PRI_VOTE_BYTES(a->members->size),
                              where(a, i, TO_LEADER), &ballots[i].request);
            ballots[i].posted = error == PRI_OK;
            if (error == PRI_OK && a->place != 0) {
                error = ask(a, i, PRI_CONTROL_LEAD);
            }
        }
    }
    return error;
}

static void ballots_close(const struct agreement *a, struct ballot *ballots)
{
    for (int i = 0; i < a->members->size; i++) {
        if (ballots[i].posted) {
            pri_cancel(&ballots[i].request);
            (void)pri_wait(&ballots[i].request);
        }
    }
    free(ballots);
}

/* All votes that there will be; *decided is one that an earlier leader has decided. */
static int count(const struct agreement *a, struct ballot *ballots, struct pri_vote *result,
                 const struct pri_vote **decided)
{
    for (int i = 0; i < a->members->size; i++) {
        int error = ballots[i].posted ? wait_for(a, &ballots[i].request) : PRI_ERR_PEER;

        if (error == PRI_OK) {
            merge(result, ballots[i].vote, a->members->size);
            if (ballots[i].vote->decided != 0) {
                *decided = ballots[i].vote;
            }
        } else if (error != PRI_ERR_PEER) {
            return error;
        } else if (i != a->place) {
            set_failed(result, i);
        }
    }
    return PRI_OK;
}

/* 0, AGAIN or an error. */
static int lead(const struct agreement *a, struct pri_vote *result)
{
    size_t bytes = PRI_VOTE_BYTES(a->members->size);
    struct ballot *ballots = ballots_new(a);
    const struct pri_vote *decided = NULL;
    int error = ballots == NULL ? PRI_ERR_NOMEM : ballots_open(a, ballots);

    memcpy(result, a->vote, bytes);
    if (error == PRI_OK) {
        error = count(a, ballots, result, &decided);
    }
    if (error == PRI_OK && decided != NULL) {
        memcpy(result, decided, bytes);
    } else if (error == PRI_OK && result->context != 0) {
        result->context = 0;
        result->error = pri_context_take(a->self, &result->context);
    }
    if (error == PRI_OK && !decide(a, result)) {
        error = AGAIN;
    }
    if (error == PRI_OK) {
        error = publish(a, result);
    }
    if (ballots != NULL) {
        ballots_close(a, ballots);
    }
    return error;
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* Begin one; what is needed to decide is allocated here, so that nothing fails later. */
static int begin(struct agreement *a, uint32_t context)
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

/* Who has died by what all have agreed on has died for this rank, too, which may hear of it by
 * itself only later. */
static void believe(const struct agreement *a)
{
    for (int i = 0; i < a->members->size; i++) {
        if ((a->vote->failed[i / 64] >> (i % 64) & 1) != 0) {
            pri_peer_died(a->self, pri_member(a->members, i));
        }
    }
}

int pri_agree(struct pri_rank *self, uint32_t context, struct pri_vote *vote)
{
    struct agreement a = {.self = self, .vote = vote};
    struct pri_vote *result;
    int error = begin(&a, context);

    if (error != PRI_OK) {
        return error;
    }
    result = malloc(PRI_VOTE_BYTES(a.members->size));
    if (result == NULL) {
        return PRI_ERR_NOMEM;
    }
    a.place = place_of(a.members, self->rank);
    vote->decided = vote->error = 0;
    do {
        pri_lock(self);
        a.leader = leader_of(&a);
        pri_unlock(self);
        error = a.leader == a.place ? lead(&a, result) : follow(&a, result);
    } while (error == AGAIN);
    if (error == PRI_OK) {
        memcpy(vote, result, PRI_VOTE_BYTES(a.members->size));
        believe(&a);
    }
    free(result);
    return error;
}
