/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PML_HOOKS_FOLLOW_H
#define PML_HOOKS_FOLLOW_H

/* Operations under way: what is done for each of them, inline. */

#include "pml_hooks/pml_hooks_count.h"

/* Of this component, and found without a table. */
#pragma GCC visibility push(hidden)

/*
 * What this process knows of an operation under way beside what its record says. The request
 * carries it to the completion callback. A caller of the PML that sets a callback of its own, as
 * one-sided communication does, takes the place of ours: such entries are found and freed when
 * there are none left.
 */
struct pml_hooks_follow {
    ompi_request_t *request;
    struct record_peer *peer; /* NULL: any source */
    struct ompi_communicator_t *comm;
    uint64_t number;                /* of a send, among those to the peer */
    uint64_t waited;                /* how long this process had waited before */
    struct record_pending *pending; /* in the record, or outside where that is full; never NULL */
    struct pml_hooks_follow *next_free;
};

/* The entries that are free, under the lock where there are threads. */
extern struct pml_hooks_follow *pml_hooks_first_free;
extern opal_mutex_t pml_hooks_free_lock;

/* An entry where none is free; NULL without memory. Under the lock. */
struct pml_hooks_follow *pml_hooks_follow_new(void);

/* What completed last in this thread: what a call that waited has waited for. A message is the last
 * one received of its peer, where tag and communicator are found. */
struct pml_hooks_last_end {
    struct record_peer *peer;
    uint64_t when, bytes, number; /* the number, tag and communicator are those of a send */
    int tag;
    uint32_t context;
    uint32_t kind; /* enum record_pending_kind, or one of these */
};
enum {
    PML_HOOKS_NOTHING_ENDED = RECORD_FREE,
    PML_HOOKS_USUAL_RECEIVE = RECORD_PENDING_LOCK + 1 /* a tag of the program */
};

extern struct pml_hooks_last_end pml_hooks_the_only_end;
extern _Thread_local struct pml_hooks_last_end pml_hooks_my_end;

PML_HOOKS_INLINE struct pml_hooks_last_end *pml_hooks_last_end(bool threads)
{
    return threads ? &pml_hooks_my_end : &pml_hooks_the_only_end;
}

/* The callbacks of requests: of receives that name their source, of others, and of all where there
 * are threads. */
int pml_hooks_received(ompi_request_t *request);
int pml_hooks_ended(ompi_request_t *request);
int pml_hooks_ended_of_threads(ompi_request_t *request);

/* Whether a callback is one of these. */
PML_HOOKS_INLINE bool pml_hooks_follows(bool threads, ompi_request_complete_fn_t callback)
{
    return threads ? callback == pml_hooks_ended_of_threads
                   : callback == pml_hooks_received || callback == pml_hooks_ended;
}

/* Take an entry, NULL without memory, and give it back. */
PML_HOOKS_INLINE struct pml_hooks_follow *pml_hooks_follow_take(bool threads)
{
    struct pml_hooks_follow *follow;

    if (threads) {
        opal_mutex_lock(&pml_hooks_free_lock);
    }
    follow = pml_hooks_first_free;
    if (__builtin_expect(follow != NULL, 1)) {
        pml_hooks_first_free = follow->next_free;
    } else {
        follow = pml_hooks_follow_new();
    }
    if (threads) {
        opal_mutex_unlock(&pml_hooks_free_lock);
    }
    return follow;
}

PML_HOOKS_INLINE void pml_hooks_follow_give(bool threads, struct pml_hooks_follow *follow)
{
    if (threads) {
        opal_mutex_lock(&pml_hooks_free_lock);
    }
    follow->next_free = pml_hooks_first_free;
    pml_hooks_first_free = follow;
    if (threads) {
        opal_mutex_unlock(&pml_hooks_free_lock);
    }
}

/* The entry of a request, or NULL if it is not followed. */
PML_HOOKS_INLINE struct pml_hooks_follow *pml_hooks_follow_of(bool threads,
                                                              const ompi_request_t *request)
{
    return pml_hooks_follows(threads, request->req_complete_cb) ? request->req_complete_cb_data
                                                                : NULL;
}

/* Say in an entry what an operation is. */
PML_HOOKS_INLINE void pml_hooks_follow_fill(struct pml_hooks_follow *follow,
                                            struct record_peer *peer, int tag,
                                            struct ompi_communicator_t *comm, uint32_t context,
                                            uint64_t bytes, bool persistent, uint64_t begin)
{
    struct record_pending *pending = follow->pending;

    follow->peer = peer;
    follow->comm = comm;
    follow->waited = record_own.head->wait_ticks;
    pending->persistent = persistent;
    record_name(&pending->peer_job, peer);
    pending->tag = pml_hooks_named_tag(tag);
    pending->context = context;
    pending->bytes = bytes;
    pending->since = begin;
}

/* Before an operation is started: an entry that says what it is, or NULL. */
PML_HOOKS_INLINE struct pml_hooks_follow *pml_hooks_follow_begin(bool threads,
                                                                 struct record_peer *peer, int tag,
                                                                 struct ompi_communicator_t *comm,
                                                                 uint64_t bytes, bool persistent,
                                                                 uint64_t begin)
{
    struct pml_hooks_follow *follow = pml_hooks_follow_take(threads);

    if (__builtin_expect(follow != NULL, 1)) {
        pml_hooks_follow_fill(follow, peer, tag, comm, ompi_glue_comm_id(comm), bytes, persistent,
                              begin);
    }
    return follow;
}

/* The same for a send that has been counted. */
PML_HOOKS_INLINE struct pml_hooks_follow *pml_hooks_follow_begin_send(
    bool threads, struct record_peer *peer, uint64_t number, int tag,
    struct ompi_communicator_t *comm, uint64_t bytes, bool persistent, uint64_t begin)
{
    struct pml_hooks_follow *follow =
        pml_hooks_follow_begin(threads, peer, tag, comm, bytes, persistent, begin);

    if (__builtin_expect(follow != NULL, 1)) {
        follow->number = number;
    }
    return follow;
}

/* An operation has ended: how long it has taken, and for how much of that this process has waited
 * for whatever it was. The call in which it ends has not been counted yet. */
PML_HOOKS_INLINE void pml_hooks_count_span(bool threads, const struct pml_hooks_follow *follow,
                                           uint64_t now)
{
    const struct record_call_entry *call = record_call_mine(threads);
    struct record_head *head = record_own.head;
    uint64_t span = now - follow->pending->since, waited = head->wait_ticks - follow->waited;

    if (call->depth != 0) {
        waited += now - call->since;
    }
    record_add_by(threads, &head->span_ticks, span);
    record_add_by(threads, &head->span_wait_ticks, waited < span ? waited : span);
}

/* Give an entry back, if there is one; `lost` says that the operation goes on and is not followed.
 */
void pml_hooks_follow_drop(struct pml_hooks_follow *follow, bool lost);

/* Follow none any more that is lost: the PML has it for good. */
void pml_hooks_follow_forget(bool (*lost)(const struct pml_hooks_follow *follow));

/* A receive is complete when it has been started. */
void pml_hooks_received_at_once(struct pml_hooks_follow *follow, const ompi_request_t *request);

/* Have the end of a request told, that was not complete and has no callback. */
PML_HOOKS_INLINE void pml_hooks_follow_set(bool threads, struct pml_hooks_follow *follow,
                                           ompi_request_t *request, enum record_pending_kind kind)
{
    ompi_request_complete_fn_t callback = pml_hooks_ended;

    if (threads) {
        callback = pml_hooks_ended_of_threads;
    } else if (kind == RECORD_PENDING_RECV && follow->peer != NULL) {
        callback = pml_hooks_received;
    }
    follow->request = request;
    __atomic_store_n(&follow->pending->kind, kind, __ATOMIC_RELEASE);
    (void)ompi_request_set_callback(request, callback, follow);
}

/* Follow a request that is not complete yet. One that has a callback is somebody else's. */
PML_HOOKS_INLINE void pml_hooks_follow_request(bool threads, struct pml_hooks_follow *follow,
                                               ompi_request_t *request,
                                               enum record_pending_kind kind)
{
    if (__builtin_expect(follow == NULL || request->req_complete_cb != NULL, 0)) {
        pml_hooks_follow_drop(follow, true);
        return;
    }
    pml_hooks_follow_set(threads, follow, request, kind);
}

/* The operation has been started, and the PML gave it this request. */
PML_HOOKS_INLINE void pml_hooks_follow_receive(bool threads, struct pml_hooks_follow *follow,
                                               ompi_request_t *request)
{
    if (REQUEST_COMPLETE(request)) {
        pml_hooks_received_at_once(follow, request);
        return;
    }
    pml_hooks_follow_request(threads, follow, request, RECORD_PENDING_RECV);
}

PML_HOOKS_INLINE void pml_hooks_follow_send(bool threads, struct pml_hooks_follow *follow,
                                            ompi_request_t *request)
{
    if (REQUEST_COMPLETE(request)) {
        record_add_by(threads, &record_own.head->completed, 1);
        if (follow != NULL) {
            pml_hooks_follow_give(threads, follow);
        }
        return;
    }
    pml_hooks_follow_request(threads, follow, request, RECORD_PENDING_SEND);
}

#pragma GCC visibility pop

#endif
