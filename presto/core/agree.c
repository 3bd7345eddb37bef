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
 * A rank may be taken for dead by some that have lost their connection with it, and live. What it
 * would take to go on with it they lack, so it ends: as soon as one acts on such a loss (it leads,
 * or follows another than the first that lives) who hears of that takes the loss for a death, and
 * all that can reach the lost one tell it.
 *
 * Each rank keeps its last two decisions. Nobody asks for an earlier one: a rank has decided its
 * n-th when all that live have begun it, and so have decided the one before.
 *
 * Messages have tags of their own, which no program and no collective operation has, and which are
 * not dropped with a context that has been revoked.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/agree.h"

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

/* ---- wait ------------------------------------------------------------------------------------ */

/* For the vote of one place. */
struct wait {
    const struct pri_agreement *a;
    int place;
};

/* pri_tell_fn. */
static void tell(const void *object, char *text, size_t size)
{
    const struct wait *wait = object;
    const struct pri_members *members = wait->a->members;
    int rank = pri_member(members, wait->place);
    char name[128];

    if (members->context == pri_context_core(members->self)) {
        snprintf(text, size, "rank %d of the job to leave it, too%s", rank,
                 wait->place == wait->a->leader ? ", or to say that all do" : "");
        return;
    }
    pri_context_tell(wait->a->self, members->context, name, sizeof(name));
    snprintf(text, size, "rank %d of the job to agree on something in %s", rank, name);
}

enum { AGAIN = -1 }; /* with another leader */

/* For a vote. 0, AGAIN, PRI_ERR_PEER, or another error of this rank's. */
static int wait_for(const struct pri_agreement *a, int place, struct pri_request *request)
{
    const struct wait wait = {.a = a, .place = place};
    unsigned spins = 0;

    while (!pri_done(request)) {
        if (pri_agreement_changed(a)) {
            pri_cancel(request);
            /* It may have come meanwhile; pri_agreement_decide says whether it still counts. */
            return pri_wait(request) == PRI_OK && !request->status.cancelled ? PRI_OK : AGAIN;
        }
        pri_relax_for(a->self, &spins, tell, &wait);
    }
    return request->status.error;
}

/* ---- to others ------------------------------------------------------------------------------- */

/* Earlier leaders may have decided, and told some. */
static int ask(const struct pri_agreement *a, int place, enum pri_control what)
{
    struct ni_peer *peer = a->self->peers[pri_member(a->members, place)].ni;
    uint64_t bits = (uint64_t)a->members->context << 32 | a->number;
    int error = pri_control_put(a->self, peer, bits, 0, what);

    return error == PRI_ERR_PEER ? PRI_OK : error;
}

/* To all others. 0 or PRI_ERR_NOMEM. */
static int publish(const struct pri_agreement *a, const struct pri_vote *result)
{
    int error = PRI_OK;

    for (int i = 0; i < a->members->size; i++) {
        if (i != a->place && !pri_agreement_gone(a, i)) {
            int rc = pri_agreement_send(a, i, PRI_FROM_LEADER, result);

            error = error == PRI_OK ? rc : error;
        }
    }
    return error;
}

/* ---- follow ---------------------------------------------------------------------------------- */

/* 0, AGAIN or an error. */
static int follow(const struct pri_agreement *a, struct pri_vote *result)
{
    struct pri_request request;
    int error;

    memset(result, 0, PRI_VOTE_BYTES(a->members->size)); /* words of 0 may not come */
    error = pri_irecv(a->self, result, PRI_VOTE_BYTES(a->members->size),
                      pri_agreement_where(a, a->leader, PRI_FROM_LEADER), &request);
    if (error != PRI_OK) {
        return error;
    }
    error = pri_agreement_send(a, a->leader, PRI_TO_LEADER, a->vote);
    if (error == PRI_OK && a->leader != 0) {
        error = ask(a, a->leader, PRI_CONTROL_FOLLOW);
    }
    if (error != PRI_OK) {
        pri_cancel(&request);
        (void)pri_wait(&request);
        return error;
    }
    error = wait_for(a, a->leader, &request);
    if (error == PRI_ERR_PEER) {
        return AGAIN;
    }
    if (error == PRI_OK && !pri_agreement_decide(a, result)) {
        return AGAIN;
    }
    return error == PRI_OK && pri_agreement_publishes(a) ? publish(a, result) : error;
}

/* ---- lead ------------------------------------------------------------------------------------ */

/* Of one other rank. */
struct ballot {
    struct pri_request request;
    bool posted;
    struct pri_vote *vote;
};

static struct ballot *ballots_new(const struct pri_agreement *a)
{
    size_t bytes = PRI_VOTE_BYTES(a->members->size), size = (size_t)a->members->size;
    struct ballot *ballots = calloc(size, sizeof(*ballots) + bytes);

    for (size_t i = 0; ballots != NULL && i < size; i++) {
        ballots[i].vote = (struct pri_vote *)(void *)((char *)(ballots + size) + i * bytes);
    }
    return ballots;
}

static int ballots_open(const struct pri_agreement *a, struct ballot *ballots)
{
    int error = PRI_OK;

    for (int i = 0; i < a->members->size && error == PRI_OK; i++) {
        if (i != a->place && !pri_agreement_gone(a, i)) {
            error = pri_irecv(a->self, ballots[i].vote, PRI_VOTE_BYTES(a->members->size),
                              pri_agreement_where(a, i, PRI_TO_LEADER), &ballots[i].request);
            ballots[i].posted = error == PRI_OK;
            if (error == PRI_OK && a->place != 0) {
                error = ask(a, i, PRI_CONTROL_LEAD);
            }
        }
    }
    return error;
}

static void ballots_close(const struct pri_agreement *a, struct ballot *ballots)
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
static int count(const struct pri_agreement *a, struct ballot *ballots, struct pri_vote *result,
                 const struct pri_vote **decided)
{
    for (int i = 0; i < a->members->size; i++) {
        int error = ballots[i].posted ? wait_for(a, i, &ballots[i].request) : PRI_ERR_PEER;

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
static int lead(const struct pri_agreement *a, struct pri_vote *result)
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
    if (error == PRI_OK && !pri_agreement_decide(a, result)) {
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

_Noreturn void pri_on_taken_for_dead(struct pri_rank *self, int by)
{
    fprintf(
        stderr,
        "presto: rank %d (pid %d) lives, but ranks that have lost their connection with it take "
        "it for dead, as rank %d says; it ends, so that all see the same\n",
        self->rank, (int)getpid(), by);
    if (self->launch == PRI_LAUNCH_THREADS) {
        pri_abort(self, 1);
    }
    (void)fflush(NULL);
    _exit(1);
}

/* One that lives all the same, and that only some cannot reach, hears of it from those that can:
 * nobody waits for it any more, and it would wait for all. */
void pri_agreement_tell_dead(const struct pri_agreement *a, int place)
{
    int rank = pri_member(a->members, place);

    (void)pri_control_put(a->self, a->self->peers[rank].ni, 0, 0, PRI_CONTROL_DEAD);
    pri_peer_died(a->self, rank);
}

/* Who has died by what all have agreed on has died for this rank, too, which may hear of it by
 * itself only later. */
static void believe(const struct pri_agreement *a)
{
    for (int i = 0; i < a->members->size; i++) {
        if ((a->vote->failed[i / 64] >> (i % 64) & 1) == 0) {
            continue;
        }
        if (i == a->place) {
            pri_on_taken_for_dead(a->self, pri_member(a->members, a->leader));
        }
        pri_agreement_tell_dead(a, i);
    }
}

int pri_agree(struct pri_rank *self, uint32_t context, struct pri_vote *vote)
{
    struct pri_agreement a = {.self = self, .vote = vote};
    struct pri_vote *result;
    int error = pri_agreement_begin(&a, context);

    if (error != PRI_OK) {
        return error;
    }
    result = malloc(PRI_VOTE_BYTES(a.members->size));
    if (result == NULL) {
        return PRI_ERR_NOMEM;
    }
    a.place = pri_member_place(a.members, self->rank);
    pri_agreement_adopt(&a);
    vote->decided = vote->error = 0;
    do {
        pri_lock(self);
        a.leader = pri_agreement_leader(&a);
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
