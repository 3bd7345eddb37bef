/* SPDX-License-Identifier: BSD-3-Clause */
/* Other ranks: they come together, and go one by one. */
#include <stdio.h>
#include <stdlib.h>

#include "core/later.h"
#include "core/rank.h"

/* ---- come ------------------------------------------------------------------------------------ */

static int connect_to(struct pri_rank *self, int rank, const struct pri_blob *blob)
{
    struct pri_peer *peer = &self->peers[rank];
    char reason[256] = "";
    ni_status status = NI_ERR_UNREACHABLE;

    if (rank == self->rank) {
        peer->id = NI_INITIATOR_SELF;
        return PRI_OK;
    }
    if (ni_reachable(self->ni, blob->bytes, blob->length, reason, sizeof(reason))) {
        status = ni_connect(self->ni, blob->bytes, blob->length, &peer->ni);
        snprintf(reason, sizeof(reason), "%s", pri_status_text(status));
    }
    /* One that has died since it joined is as one that dies later. */
    if (status != NI_OK && status != NI_ERR_PEER_DEAD) {
        peer->ni = NULL;
        fprintf(stderr, "presto: rank %d cannot reach rank %d: %s\n", self->rank, rank, reason);
        return PRI_ERR_START;
    }
    peer->id = ni_peer_initiator(peer->ni);
    ni_peer_set_user(peer->ni, peer);
    status = ni_peer_status(peer->ni);
    if (status != NI_OK && atomic_load_explicit(&peer->down, memory_order_relaxed) == 0) {
        pri_peer_down(self, peer->ni, status); /* told before it had a name here */
    }
    return PRI_OK;
}

int pri_peers_open(struct pri_rank *self)
{
    struct pri_cold *cold = self->cold;
    const int end = self->first + self->size;

    cold->slots = end > cold->slots ? end : cold->slots;
    self->peers = calloc((size_t)cold->slots, sizeof(*self->peers));
    cold->absent = calloc((size_t)cold->slots, sizeof(*cold->absent));
    atomic_store_explicit(&self->direct, self->recorded ? cold->absent : self->peers,
                          memory_order_relaxed);
    return self->peers != NULL && cold->absent != NULL ? PRI_OK : PRI_ERR_NOMEM;
}

/* Messages go that way from here on. */
static void count_in(struct pri_rank *self, int rank)
{
    atomic_store_explicit(&self->cold->absent[rank].down, NI_ERR_PEER_CLOSED, memory_order_relaxed);
    if (!pri_knows(self, rank)) {
        atomic_store_explicit(&self->known, rank + 1, memory_order_relaxed);
    }
}

bool pri_peer_is_known(const struct pri_rank *self, int rank)
{
    return atomic_load_explicit(&self->cold->absent[rank].down, memory_order_relaxed) != 0;
}

int pri_peer_add(struct pri_rank *self, int rank, const struct pri_blob *blob, bool later)
{
    if (connect_to(self, rank, blob) != PRI_OK) {
        return PRI_ERR_PEER;
    }
    pri_members_outlive(self, rank);
    count_in(self, rank);
    /* Those of before were counted when this one began. */
    self->peers[rank].counted = later;
    self->cold->neighbours += later;
    if (self->cold->neighbours > self->cold->cores && !self->crowded && !self->threads) {
        pri_crowd(self, true); /* other threads would look at it just now */
    }
    return PRI_OK;
}

int pri_peers_connect(struct pri_rank *self, const struct pri_blob *blobs)
{
    int error = PRI_OK;

    for (int i = 0; i < self->size && error == PRI_OK; i++) {
        error = connect_to(self, self->first + i, &blobs[i]);
        count_in(self, self->first + i);
    }
    return error;
}

void pri_direct_choose(struct pri_rank *self)
{
    bool slow = self->recorded || atomic_load_explicit(&self->revoked, memory_order_relaxed) != 0;

    atomic_store_explicit(&self->direct, slow ? self->cold->absent : self->peers,
                          memory_order_relaxed);
}

void pri_peers_free(struct pri_rank *self)
{
    atomic_store_explicit(&self->direct, NULL, memory_order_relaxed);
    free(self->cold->absent);
    self->cold->absent = NULL;
    free(self->cold->held);
    self->cold->held = NULL;
    free(self->peers);
    self->peers = NULL;
    free(self->cold->near);
    self->cold->near = NULL;
}

/* ---- are forgotten --------------------------------------------------------------------------- */

/* Whether it is of this rank's job, and so never forgotten. */
static bool is_own(const struct pri_rank *self, int rank)
{
    return rank >= self->first && rank < self->first + self->size;
}

/* What it has sent and nobody has received. */
static void drop_sent(struct pri_rank *self, ni_initiator id)
{
    const struct ni_me me = {
        .length = SIZE_MAX, .ignore_bits = UINT64_MAX, .match_id = id, .options = NI_ME_OP_PUT};
    struct ni_event event;

    while (ni_me_probe(self->ni, PRI_PT, &me, NI_SEARCH_DELETE, &event) == NI_OK) {
        (void)ni_unexpected_drop(self->ni, event.unexpected);
    }
}

static bool is_held(struct pri_rank *self, int rank)
{
    bool held;

    pri_lock(self);
    held = self->cold->unheld || (self->cold->held != NULL && self->cold->held[rank] != 0);
    pri_unlock(self);
    return held;
}

/* Nobody can ask for the death of a rank any more: its number may be another's. */
static void forget_death(struct pri_rank *self, int rank)
{
    int first = rank + 1, next = 0;

    if (pri_death(self, rank) == 0) {
        return;
    }
    atomic_store_explicit(&self->peers[rank].death, 0, memory_order_relaxed);
    atomic_fetch_sub_explicit(&self->rare, 1, memory_order_relaxed);
    for (int i = 0; next == 0 && pri_knows(self, i); i++) {
        next = pri_death(self, i) != 0 ? i + 1 : 0;
    }
    (void)atomic_compare_exchange_strong_explicit(&self->cold->first_lost, &first, next,
                                                  memory_order_relaxed, memory_order_relaxed);
}

/* Whether the interface has heard itself that it is no more: others may have said so before. */
static bool is_over(const struct pri_peer *peer)
{
    ni_status status = peer->ni == NULL ? NI_OK : ni_peer_status(peer->ni);

    return atomic_load_explicit(&peer->down, memory_order_relaxed) != 0 &&
           (status == NI_ERR_PEER_CLOSED || status == NI_ERR_PEER_DEAD);
}

bool pri_peer_forget(struct pri_rank *self, int rank)
{
    struct pri_peer *peer = &self->peers[rank];

    if (!pri_peer_is_known(self, rank) || !is_over(peer) || is_held(self, rank)) {
        return false;
    }
    drop_sent(self, peer->id);
    pri_revoke_gone(self, rank);
    forget_death(self, rank);
    ni_peer_set_user(peer->ni, NULL);
    ni_forget(self->ni, peer->ni);
    self->cold->neighbours -= peer->counted;
    peer->ni = NULL;
    peer->id = 0;
    peer->told = false;
    atomic_store_explicit(&peer->down, 0, memory_order_relaxed);
    atomic_store_explicit(&self->cold->absent[rank].down, 0, memory_order_relaxed);
    return true;
}

void pri_peers_hold(struct pri_rank *self, const int *ranks, int size, int groups)
{
    struct pri_cold *cold = self != NULL ? self->cold : NULL;

    if (cold == NULL) {
        return; /* it has left */
    }
    pri_lock(self);
    if (cold->held == NULL && groups > 0) {
        cold->held = calloc((size_t)cold->slots, sizeof(*cold->held));
        cold->unheld = cold->unheld || cold->held == NULL;
    }
    for (int i = 0; cold->held != NULL && i < size; i++) {
        if (!is_own(self, ranks[i])) {
            cold->held[ranks[i]] += (unsigned)groups;
        }
    }
    pri_unlock(self);
    if (groups < 0) {
        pri_peers_forget_soon(self);
    }
}

bool pri_same_host(const struct pri_rank *self, int rank)
{
    return pri_knows(self, rank) && (self->cold->near == NULL || self->cold->near[rank]);
}

/* ---- go -------------------------------------------------------------------------------------- */

/* Whether a posted receive can only wait in vain, now that the peer has gone: it names the peer or,
 * if that has died, it takes any of a context that the peer had. */
static bool is_in_vain(void *arg, void *user_ptr, ni_initiator source)
{
    const struct pri_peer *peer = arg;
    const struct pri_request *request = user_ptr;

    if (request == NULL) {
        return false; /* what takes the messages of a context that has been revoked */
    }
    if (source != NI_INITIATOR_ANY) {
        return source == peer->id;
    }
    if (pri_may_stay(request)) {
        return false;
    }
    return atomic_load_explicit(&peer->down, memory_order_relaxed) != NI_ERR_PEER_CLOSED &&
           pri_context_lost(request->rank, request->context);
}

/* Whether a posted receive stayed when a rank died, and is waited for no more. */
static bool is_unwaited(void *arg, void *user_ptr, ni_initiator source)
{
    const struct pri_request *request = user_ptr;

    (void)arg;
    return request != NULL && source == NI_INITIATOR_ANY &&
           request->kind == PRI_REQUEST_RECV_STAYS && !pri_may_stay(request) &&
           pri_context_lost(request->rank, request->context);
}

void pri_unwaited_fail(struct pri_rank *self)
{
    (void)ni_me_fail(self->ni, PRI_PT, is_unwaited, NULL);
}

int pri_death(const struct pri_rank *self, int rank)
{
    /* acquire, with the release in pri_peer_down */
    return atomic_load_explicit(&self->peers[rank].death, memory_order_acquire);
}

void pri_lost_note(struct pri_rank *self, int rank)
{
    int none = 0;

    (void)atomic_compare_exchange_strong_explicit(&self->cold->first_lost, &none, rank + 1,
                                                  memory_order_relaxed, memory_order_relaxed);
}

int pri_lost(const struct pri_rank *self)
{
    return atomic_load_explicit(&self->cold->first_lost, memory_order_relaxed) - 1;
}

const char *pri_lost_with(const struct pri_rank *self, int rank)
{
    const struct ni_peer *peer = self->peers != NULL ? self->peers[rank].ni : NULL;
    const char *why = peer != NULL ? ni_peer_reason(peer) : NULL;

    return why != NULL && why != ni_status_text(ni_peer_status(peer)) ? why : NULL;
}

/* Whether nobody has said it yet; then its death is counted. The interface says it once, and ranks
 * that have agreed on it may say it before. */
static bool is_first_news(struct pri_rank *self, struct pri_peer *peer, ni_status status)
{
    bool first;

    pri_lock(self);
    first = !peer->told;
    peer->told = true;
    if (first && status != NI_ERR_PEER_CLOSED) {
        int death = (int)atomic_fetch_add_explicit(&self->lost, 1, memory_order_relaxed) + 1;

        /* release, with the acquire in pri_death */
        atomic_store_explicit(&peer->death, death, memory_order_release);
        atomic_fetch_add_explicit(&self->rare, 1, memory_order_relaxed);
        pri_lost_note(self, (int)(peer - self->peers));
    }
    pri_unlock(self);
    return first;
}

void pri_peer_died(struct pri_rank *self, int rank)
{
    if (rank != self->rank && self->peers[rank].ni != NULL) {
        pri_peer_down(self, self->peers[rank].ni, NI_ERR_PEER_DEAD);
    }
}

/* ni_peer_down_fn: once for each peer. Sends under way end with events of their own. A rank that
 * has left in good order is missed only by those who wait for it by name. */
void pri_peer_down(void *arg, struct ni_peer *ni_peer, ni_status status)
{
    struct pri_rank *self = arg;
    struct pri_peer *peer = ni_peer_user(ni_peer);
    int rank;

    if (self->cold->closing || peer == NULL) {
        return;
    }
    rank = (int)(peer - self->peers);
    if (is_first_news(self, peer, status)) {
        /* Before the posted receives are gone through: one that is posted meanwhile either is among
         * them or finds these words set, see post(); both happen under the portal's lock. */
        atomic_store_explicit(&peer->down, (int)status, memory_order_relaxed);
        (void)ni_me_fail(self->ni, PRI_PT, is_in_vain, peer);
        pri_cancels_fail(self, rank);
        pri_revoke_settle(self);
    }
    if (!is_own(self, rank)) {
        pri_peers_forget_soon(self);
    }
}
