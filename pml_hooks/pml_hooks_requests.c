/* SPDX-License-Identifier: BSD-3-Clause */
/* Operations under way, and the calls that wait for them. */
#include <stdatomic.h>

#include "pml_hooks/pml_hooks.h"
#include "pml_hooks/pml_hooks_clock.h"

/*
 * An operation under way has an entry of the record's pending part and beside it, at the same
 * index, what only this process needs. The request carries its index to the completion callback. A
 * caller of the PML that sets a callback of its own, as one-sided communication does, takes the
 * place of ours: such entries are found and freed when there are none left.
 */
struct follow {
    ompi_request_t *request;
    struct pml_hooks_peer *peer; /* NULL: any source */
    struct ompi_communicator_t *comm;
    _Atomic uint32_t busy; /* 1 while the operation is under way */
    uint32_t next_free;    /* index + 1, 0 for none */
    int32_t tag;
};

static struct follow follows[PML_HOOKS_PENDING];
static opal_mutex_t free_lock = OPAL_MUTEX_STATIC_INIT;
static uint32_t first_free;

/* What completed last in this thread: what a call that waited has waited for. */
struct last_end {
    struct pml_hooks_peer *peer;
    int tag;
    uint32_t context;
    uint32_t kind; /* enum pml_hooks_pending_kind; PML_HOOKS_FREE: nothing */
};

static struct last_end the_only;
static _Thread_local struct last_end mine;

static inline struct last_end *last_end(void)
{
    return __builtin_expect(pml_hooks_threads, 0) ? &mine : &the_only;
}

static int ended(ompi_request_t *request);

/* ---- entries ----------------------------------------------------------------------------------
 */

/* Free entries whose request has another callback now. */
static void sweep(void)
{
    for (uint32_t i = 0; i < PML_HOOKS_PENDING; i++) {
        struct follow *follow = &follows[i];

        if (atomic_load_explicit(&follow->busy, memory_order_relaxed) != 0 &&
            follow->request->req_complete_cb_data != follow) {
            pml_hooks_record.pending[i].kind = PML_HOOKS_FREE;
            atomic_store_explicit(&follow->busy, 0, memory_order_relaxed);
            follow->next_free = first_free;
            first_free = i + 1;
        }
    }
}

static struct follow *take_follow(void)
{
    struct pml_hooks_head *head = pml_hooks_record.head;
    struct follow *follow = NULL;

    OPAL_THREAD_LOCK(&free_lock);
    if (first_free == 0 && head->pending_count == PML_HOOKS_PENDING) {
        sweep();
    }
    if (first_free != 0) {
        follow = &follows[first_free - 1];
        first_free = follow->next_free;
    } else if (head->pending_count < PML_HOOKS_PENDING) {
        follow = &follows[head->pending_count++];
    }
    OPAL_THREAD_UNLOCK(&free_lock);
    return follow;
}

static void give_follow(struct follow *follow)
{
    uint32_t index = (uint32_t)(follow - follows);

    pml_hooks_record.pending[index].kind = PML_HOOKS_FREE;
    OPAL_THREAD_LOCK(&free_lock);
    follow->next_free = first_free;
    first_free = index + 1;
    OPAL_THREAD_UNLOCK(&free_lock);
}

/* The entry of a request, or NULL if it is not followed. */
static struct follow *follow_of(const ompi_request_t *request)
{
    return request->req_complete_cb == ended ? request->req_complete_cb_data : NULL;
}

/* ---- the end of an operation ------------------------------------------------------------------
 */

static void count_error(const ompi_status_public_t *status)
{
    struct pml_hooks_head *head = pml_hooks_record.head;

    if (status->_cancelled != 0) {
        pml_hooks_add(&head->cancelled, 1);
    } else if (status->MPI_ERROR == MPI_ERR_TRUNCATE) {
        pml_hooks_add(&head->receives_truncated, 1);
    } else {
        pml_hooks_add(&head->failed, 1);
    }
}

/* A receive has ended with this status; returns the peer. */
static struct pml_hooks_peer *end_receive(struct ompi_communicator_t *comm,
                                          struct pml_hooks_peer *named,
                                          const ompi_status_public_t *status, uint64_t now)
{
    struct pml_hooks_peer *peer = named;

    if (status->_cancelled != 0 ||
        (status->MPI_ERROR != MPI_SUCCESS && status->MPI_ERROR != MPI_ERR_TRUNCATE)) {
        count_error(status);
        return peer;
    }
    if (status->MPI_ERROR != MPI_SUCCESS) {
        count_error(status);
    }
    if (peer == NULL) {
        peer = pml_hooks_peer_of(comm, status->MPI_SOURCE);
    }
    pml_hooks_count_receive(peer, status->MPI_TAG, ompi_glue_comm_id(comm), status->_ucount,
                            named == NULL, now);
    return peer;
}

/* Whether an operation has not been ended yet; from now on it has. */
static inline bool first_to_end(struct follow *follow)
{
    uint32_t busy = 1;

    if (__builtin_expect(!pml_hooks_threads, 1)) {
        busy = atomic_load_explicit(&follow->busy, memory_order_relaxed);
        atomic_store_explicit(&follow->busy, 0, memory_order_relaxed);
        return busy != 0;
    }
    return atomic_compare_exchange_strong_explicit(&follow->busy, &busy, 0, memory_order_acq_rel,
                                                   memory_order_relaxed);
}

/* The callback of a request: it is complete, and nobody has been told yet. */
static int ended(ompi_request_t *request)
{
    struct follow *follow = request->req_complete_cb_data;
    struct last_end *last = last_end();
    struct pml_hooks_pending *pending;
    uint64_t now;

    /* Open MPI may call twice, where a request completes while the callback is being set. */
    if (follow == NULL || !first_to_end(follow)) {
        return 0;
    }
    request->req_complete_cb_data = NULL;
    pending = &pml_hooks_record.pending[follow - follows];
    now = pml_hooks_stamp();
    *last = (struct last_end){.peer = follow->peer,
                              .tag = follow->tag,
                              .context = pending->context,
                              .kind = pending->kind};
    if (pending->kind == PML_HOOKS_PENDING_RECV) {
        last->peer = end_receive(follow->comm, follow->peer, &request->req_status, now);
        last->tag = request->req_status.MPI_TAG;
    } else {
        if (request->req_status.MPI_ERROR != MPI_SUCCESS || request->req_status._cancelled != 0) {
            count_error(&request->req_status);
        }
        pml_hooks_add(&pml_hooks_record.head->completed, 1);
        pml_hooks_record.head->last_event = now;
    }
    pml_hooks_add(&pml_hooks_record.head->span_ticks, now - pending->since);
    give_follow(follow);
    return 0;
}

/* ---- the begin --------------------------------------------------------------------------------
 */

/* Follow a request that is not complete yet. One that has a callback is somebody else's. */
static void follow_request(ompi_request_t *request, enum pml_hooks_pending_kind kind,
                           struct pml_hooks_peer *peer, int tag, struct ompi_communicator_t *comm,
                           uint64_t bytes, bool persistent, uint64_t begin)
{
    struct follow *follow = request->req_complete_cb == NULL ? take_follow() : NULL;
    struct pml_hooks_pending *pending;

    if (follow == NULL) {
        pml_hooks_add(&pml_hooks_record.head->pending_lost, 1);
        return;
    }
    pending = &pml_hooks_record.pending[follow - follows];
    follow->request = request;
    follow->peer = peer;
    follow->comm = comm;
    follow->tag = tag;
    pending->persistent = persistent;
    pending->peer_job = peer != NULL ? peer->job : 0;
    pending->peer = peer != NULL ? (int32_t)peer->rank : PML_HOOKS_ANY;
    pending->tag = tag == MPI_ANY_TAG ? PML_HOOKS_ANY : tag;
    pending->context = ompi_glue_comm_id(comm);
    pending->bytes = bytes;
    pending->since = begin;
    pending->kind = kind;
    atomic_store_explicit(&follow->busy, 1, memory_order_release);
    (void)ompi_request_set_callback(request, ended, follow);
}

void pml_hooks_follow_send(ompi_request_t *request, struct pml_hooks_peer *peer, int tag,
                           struct ompi_communicator_t *comm, uint64_t bytes, bool persistent,
                           uint64_t begin)
{
    if (REQUEST_COMPLETE(request)) {
        pml_hooks_add(&pml_hooks_record.head->completed, 1);
        return;
    }
    follow_request(request, PML_HOOKS_PENDING_SEND, peer, tag, comm, bytes, persistent, begin);
}

void pml_hooks_follow_receive(ompi_request_t *request, struct pml_hooks_peer *peer, int tag,
                              struct ompi_communicator_t *comm, uint64_t bytes, bool persistent,
                              uint64_t begin)
{
    if (REQUEST_COMPLETE(request)) {
        pml_hooks_add(&pml_hooks_record.head->receives_at_once, 1);
        (void)end_receive(comm, peer, &request->req_status, begin);
        return;
    }
    follow_request(request, PML_HOOKS_PENDING_RECV, peer, tag, comm, bytes, persistent, begin);
}

/* ---- calls that wait --------------------------------------------------------------------------
 */

/* Enter a call that waits for requests; the first that is followed says for whom. */
static struct pml_hooks_call_entry *enter(enum pml_hooks_call kind, size_t count,
                                          ompi_request_t **requests, uint64_t now)
{
    struct pml_hooks_call_entry *call;
    const struct follow *follow = NULL;
    uint32_t incomplete = 0;

    for (size_t i = 0; i < count; i++) {
        if (!REQUEST_COMPLETE(requests[i])) {
            follow = follow != NULL ? follow : follow_of(requests[i]);
            incomplete++;
        }
    }
    call = pml_hooks_call_enter(kind, follow != NULL ? follow->peer : NULL,
                                follow != NULL ? follow->tag : PML_HOOKS_ANY,
                                follow != NULL ? ompi_glue_comm_id(follow->comm) : 0, 0, now);
    call->requests = incomplete;
    pml_hooks_add(&pml_hooks_record.head->waits, 1);
    last_end()->kind = PML_HOOKS_FREE;
    return call;
}

/* Leave it: the time goes to whom the last completion was of. */
static void leave(struct pml_hooks_call_entry *call, uint64_t begin)
{
    struct pml_hooks_head *head = pml_hooks_record.head;
    const struct last_end *last = last_end();
    uint64_t now = pml_hooks_stamp();

    pml_hooks_add(&head->wait_ticks, now - begin);
    pml_hooks_add(&head->span_wait_ticks, now - begin);
    if (last->kind == PML_HOOKS_PENDING_RECV && last->peer != NULL) {
        pml_hooks_count_receive_wait(last->peer, last->tag, last->context, begin, now);
    } else if (last->kind == PML_HOOKS_PENDING_SEND && last->peer != NULL) {
        pml_hooks_count_send_wait(last->peer, last->tag, begin, now);
    }
    pml_hooks_call_leave(call, now);
}

static bool all_complete(size_t count, ompi_request_t **requests)
{
    for (size_t i = 0; i < count; i++) {
        if (!REQUEST_COMPLETE(requests[i])) {
            return false;
        }
    }
    return true;
}

static bool any_complete(size_t count, ompi_request_t **requests)
{
    for (size_t i = 0; i < count; i++) {
        if (REQUEST_COMPLETE(requests[i]) && requests[i]->req_state != OMPI_REQUEST_INACTIVE) {
            return true;
        }
    }
    return false;
}

static int pass_wait(ompi_request_t **request, ompi_status_public_t *status)
{
    struct pml_hooks_call_entry *call;
    uint64_t begin;
    int rc;

    if (REQUEST_COMPLETE(*request)) {
        return pml_hooks_requests_below.req_wait(request, status);
    }
    begin = pml_hooks_stamp();
    call = enter(PML_HOOKS_WAIT, 1, request, begin);
    rc = pml_hooks_requests_below.req_wait(request, status);
    leave(call, begin);
    return rc;
}

static int pass_wait_any(size_t count, ompi_request_t **requests, int *index,
                         ompi_status_public_t *status)
{
    struct pml_hooks_call_entry *call;
    uint64_t begin;
    int rc;

    if (any_complete(count, requests)) {
        return pml_hooks_requests_below.req_wait_any(count, requests, index, status);
    }
    begin = pml_hooks_stamp();
    call = enter(PML_HOOKS_WAITANY, count, requests, begin);
    rc = pml_hooks_requests_below.req_wait_any(count, requests, index, status);
    leave(call, begin);
    return rc;
}

static int pass_wait_all(size_t count, ompi_request_t **requests, ompi_status_public_t *statuses)
{
    struct pml_hooks_call_entry *call;
    uint64_t begin;
    int rc;

    if (all_complete(count, requests)) {
        return pml_hooks_requests_below.req_wait_all(count, requests, statuses);
    }
    begin = pml_hooks_stamp();
    call = enter(PML_HOOKS_WAITALL, count, requests, begin);
    rc = pml_hooks_requests_below.req_wait_all(count, requests, statuses);
    leave(call, begin);
    return rc;
}

static int pass_wait_some(size_t count, ompi_request_t **requests, int *done, int *indices,
                          ompi_status_public_t *statuses)
{
    struct pml_hooks_call_entry *call;
    uint64_t begin;
    int rc;

    if (any_complete(count, requests)) {
        return pml_hooks_requests_below.req_wait_some(count, requests, done, indices, statuses);
    }
    begin = pml_hooks_stamp();
    call = enter(PML_HOOKS_WAITSOME, count, requests, begin);
    rc = pml_hooks_requests_below.req_wait_some(count, requests, done, indices, statuses);
    leave(call, begin);
    return rc;
}

static int pass_test(ompi_request_t **request, int *done, ompi_status_public_t *status)
{
    pml_hooks_add(&pml_hooks_record.head->tests, 1);
    return pml_hooks_requests_below.req_test(request, done, status);
}

static int pass_test_any(size_t count, ompi_request_t **requests, int *index, int *done,
                         ompi_status_public_t *status)
{
    pml_hooks_add(&pml_hooks_record.head->tests, 1);
    return pml_hooks_requests_below.req_test_any(count, requests, index, done, status);
}

static int pass_test_all(size_t count, ompi_request_t **requests, int *done,
                         ompi_status_public_t *statuses)
{
    pml_hooks_add(&pml_hooks_record.head->tests, 1);
    return pml_hooks_requests_below.req_test_all(count, requests, done, statuses);
}

static int pass_test_some(size_t count, ompi_request_t **requests, int *done, int *indices,
                          ompi_status_public_t *statuses)
{
    pml_hooks_add(&pml_hooks_record.head->tests, 1);
    return pml_hooks_requests_below.req_test_some(count, requests, done, indices, statuses);
}

void pml_hooks_requests_install(ompi_request_fns_t *functions)
{
    *functions = (ompi_request_fns_t){
        .req_test = pass_test,
        .req_test_any = pass_test_any,
        .req_test_all = pass_test_all,
        .req_test_some = pass_test_some,
        .req_wait = pass_wait,
        .req_wait_any = pass_wait_any,
        .req_wait_all = pass_wait_all,
        .req_wait_some = pass_wait_some,
    };
}
