/* SPDX-License-Identifier: BSD-3-Clause */
/* Entries of peers, and what is read in the records of others. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "record/count.h"

enum { MAX_PEERS = 65535, NO_INDEX = MAX_PEERS };

struct record_peer record_spare_peer;
uint64_t record_elsewhere_together;

static pthread_mutex_t peers_lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- entries ----------------------------------------------------------------------------------
 */

/* The entry of a process among the first `count`; `count` if it is not there. */
static uint32_t find(uint32_t count, uint32_t job, uint32_t rank)
{
    const struct record_peer *peers = record_own.peers;
    uint32_t i = 0;

    while (i < count && (peers[i].job != job || peers[i].rank != rank)) {
        i++;
    }
    return i;
}

const struct record_peer *record_peer_known(uint32_t job, uint32_t rank)
{
    /* Pairs with the release in find_or_add. */
    uint32_t count = __atomic_load_n(&record_own.head->peer_count, __ATOMIC_ACQUIRE);
    uint32_t index = find(count, job, rank);

    return index < count ? &record_own.peers[index] : NULL;
}

/* The entry of a process, a new one if there was none; NO_INDEX without room. Under the
 * lock. */
static uint32_t find_or_add(uint32_t job, uint32_t rank)
{
    struct record_head *head = record_own.head;
    struct record_peer *peers = record_own.peers;
    uint32_t count = head->peer_count, index = find(count, job, rank);

    if (index < count) {
        return index;
    }
    if (count == MAX_PEERS || !record_grow(count + 1)) {
        return NO_INDEX;
    }
    peers[count].job = job;
    peers[count].rank = rank;
    /* A program that reads the count finds a complete entry. */
    __atomic_store_n(&head->peer_count, count + 1, __ATOMIC_RELEASE);
    return count;
}

struct record_peer *record_peer(uint32_t job, uint32_t rank)
{
    uint32_t index;

    (void)pthread_mutex_lock(&peers_lock);
    index = find_or_add(job, rank);
    (void)pthread_mutex_unlock(&peers_lock);
    if (index == NO_INDEX) {
        record_add(&record_own.head->peers_lost, 1);
        return &record_spare_peer;
    }
    return &record_own.peers[index];
}

/* ---- records of others ------------------------------------------------------------------------
 */

/* The record of a peer, if it is on this host and has one. All but the first two under the lock. */
struct view {
    const struct record_peer *_Atomic me; /* our entry in it, or NULL */
    struct record_share unasked[2];       /* waits for it, and for sends to it */
    uint64_t (*shortest)[RECORD_SIZES];   /* the same, by sizes: the ticks; NULL: no memory */
    const struct record_head *head;       /* mapped for reading, or NULL */
    size_t size;
    uint32_t tries, next_try; /* a try costs system calls: they become rarer */
};

static struct view *_Atomic views[MAX_PEERS];

static void find_me(struct view *view)
{
    const struct record_head *own = record_own.head;
    const struct record_peer *peers = (const void *)((const char *)view->head + record_peers_at());
    uint32_t room = (uint32_t)((view->size - record_peers_at()) / sizeof(*peers));
    uint32_t count = __atomic_load_n(&view->head->peer_count, __ATOMIC_ACQUIRE);

    for (uint32_t i = 0; i < count && i < room; i++) {
        if (peers[i].job == own->job && peers[i].rank == own->rank) {
            atomic_store_explicit(&view->me, &peers[i], memory_order_release);
            return;
        }
    }
}

/* The rare part of entry_of_me: look whether there is a record by now. */
static __attribute__((noinline)) const struct record_peer *look_for_me(
    const struct record_peer *peer, size_t index)
{
    const struct record_peer *me = NULL;
    struct view *view;

    (void)pthread_mutex_lock(&peers_lock);
    view = atomic_load_explicit(&views[index], memory_order_relaxed);
    if (view == NULL) {
        view = calloc(1, sizeof(*view));
        atomic_store_explicit(&views[index], view, memory_order_release);
    }
    if (view != NULL && view->tries++ >= view->next_try) {
        view->next_try = 2 * view->tries;
        if (view->head == NULL) {
            view->head = record_map(peer->job, peer->rank, &view->size);
        }
        if (view->head != NULL) {
            find_me(view);
        }
    }
    if (view != NULL) {
        me = atomic_load_explicit(&view->me, memory_order_relaxed);
    }
    (void)pthread_mutex_unlock(&peers_lock);
    return me;
}

/* Our entry in the record of a peer, or NULL. */
static const struct record_peer *entry_of_me(const struct record_peer *peer)
{
    size_t index = (size_t)(peer - record_own.peers);
    const struct record_peer *me = NULL;
    struct view *view;

    if (peer == &record_spare_peer) {
        return NULL;
    }
    /* Pair with the stores of look_for_me and find_me. */
    view = atomic_load_explicit(&views[index], memory_order_acquire);
    if (view != NULL) {
        me = atomic_load_explicit(&view->me, memory_order_acquire);
    }
    return me != NULL ? me : look_for_me(peer, index);
}

bool record_peer_due(const struct record_peer *peer, bool is_send, uint64_t ticks,
                     struct record_share *share)
{
    size_t index = (size_t)(peer - record_own.peers);
    uint64_t together = RECORD_ASKED_TOGETHER;
    struct record_share *unasked;
    struct view *view;

    *share = (struct record_share){.waits = 1, .ticks = ticks};
    /* Acquire pairs with the release in look_for_me. */
    view = peer == &record_spare_peer ? NULL
                                      : atomic_load_explicit(&views[index], memory_order_acquire);
    if (view == NULL) {
        return true;
    }
    if (atomic_load_explicit(&view->me, memory_order_relaxed) == NULL &&
        record_elsewhere_together != 0) {
        together = record_elsewhere_together;
    }
    if (ticks >= together) {
        return true;
    }
    unasked = &view->unasked[is_send ? 1 : 0];
    record_add(&unasked->waits, 1);
    record_add(&unasked->ticks, ticks);
    if (RECORD_READ(unasked->ticks) < together) {
        return false;
    }
    /* Of several threads one finds them. */
    share->waits = __atomic_exchange_n(&unasked->waits, 0, __ATOMIC_RELAXED);
    share->ticks = __atomic_exchange_n(&unasked->ticks, 0, __ATOMIC_RELAXED);
    return share->waits != 0;
}

bool record_peer_infer(const struct record_peer *peer, bool is_send, uint64_t bytes, uint64_t ticks,
                       uint64_t *part)
{
    size_t index = (size_t)(peer - record_own.peers);
    bool told = false;
    struct view *view;

    if (peer == &record_spare_peer) {
        return false;
    }
    (void)pthread_mutex_lock(&peers_lock);
    view = atomic_load_explicit(&views[index], memory_order_relaxed);
    if (view != NULL && view->head == NULL && view->shortest == NULL) {
        view->shortest = calloc(2, sizeof(*view->shortest));
    }
    if (view != NULL && view->head == NULL && view->shortest != NULL) {
        uint64_t *shortest = &view->shortest[is_send ? 1 : 0][record_size_class(bytes)];

        told = *shortest != 0;
        *shortest = told && *shortest < ticks ? *shortest : ticks;
        *part = ticks - *shortest;
    }
    (void)pthread_mutex_unlock(&peers_lock);
    return told;
}

uint64_t record_entry_sent(const struct record_peer *me, uint64_t received, int tag,
                           uint32_t context, bool *known)
{
    uint64_t sent, stamp;

    *known = false;
    if (me == NULL) {
        return 0;
    }
    sent = __atomic_load_n(&me->send_number, __ATOMIC_ACQUIRE);
    /* Messages mostly come in their order: the one received is at its number, or not far. */
    for (uint64_t number = received; number <= sent && number < received + RECORD_LAST; number++) {
        unsigned last = (unsigned)(number - 1) & (RECORD_LAST - 1);

        if (me->sent_tags[last] == tag && me->sent_contexts[last] == context &&
            sent - number < RECORD_LAST) {
            stamp = __atomic_load_n(&me->sent_stamps[last], __ATOMIC_ACQUIRE);
            *known = stamp != 0;
            return stamp;
        }
    }
    return 0;
}

uint64_t record_peer_sent(const struct record_peer *peer, int tag, uint32_t context, bool *known)
{
    return record_entry_sent(entry_of_me(peer), peer->received_number, tag, context, known);
}

/* Whether the receive of this number, of those that a peer has begun, is known and may be the one
 * of what has that tag and context and was received at `end`; and when it began, 0 if it was not
 * recorded. */
static bool receive_fits(const struct record_peer *me, uint64_t number, int tag, uint32_t context,
                         uint64_t end, uint64_t *stamp)
{
    uint64_t begun = __atomic_load_n(&me->receive_number, __ATOMIC_ACQUIRE);
    unsigned last = (unsigned)(number - 1) % RECORD_LAST;

    if (number < 1 || number > begun || begun - number >= RECORD_LAST ||
        me->receive_contexts[last] != context ||
        (me->receive_tags[last] != tag && me->receive_tags[last] != RECORD_ANY)) {
        return false;
    }
    *stamp = __atomic_load_n(&me->receive_stamps[last], __ATOMIC_ACQUIRE);
    return *stamp <= end;
}

uint64_t record_entry_received(const struct record_peer *me, uint64_t number, int tag,
                               uint32_t context, uint64_t end, bool *known)
{
    uint64_t stamp = 0;

    /* Receives mostly begin in the order of messages: this one's is at its number, or not far. */
    for (uint64_t away = 0; me != NULL && away < RECORD_LAST; away++) {
        if (receive_fits(me, number + away, tag, context, end, &stamp) ||
            receive_fits(me, number - away, tag, context, end, &stamp)) {
            *known = stamp != 0;
            return stamp;
        }
    }
    *known = false;
    return 0;
}

uint64_t record_peer_received(const struct record_peer *peer, uint64_t number, int tag,
                              uint32_t context, uint64_t end, bool *known)
{
    return record_entry_received(entry_of_me(peer), number, tag, context, end, known);
}

void record_peers_close(void)
{
    for (size_t i = 0; i < record_own.head->peer_count; i++) {
        struct view *view = atomic_exchange_explicit(&views[i], NULL, memory_order_acquire);

        if (view != NULL && view->head != NULL) {
            (void)munmap((void *)(uintptr_t)view->head, view->size);
        }
        free(view != NULL ? view->shortest : NULL);
        free(view);
    }
}
