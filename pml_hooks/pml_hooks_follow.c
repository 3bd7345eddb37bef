/* SPDX-License-Identifier: BSD-3-Clause */
/* Operations under way, as far as they are not inline. */
#include "record/clock.h"
#include "pml_hooks/pml_hooks_survive.h"

struct pml_hooks_follow *pml_hooks_first_free;
opal_mutex_t pml_hooks_free_lock = OPAL_MUTEX_STATIC_INIT;
struct pml_hooks_last_end pml_hooks_the_only_end;
_Thread_local struct pml_hooks_last_end pml_hooks_my_end;

/* ---- entries ----------------------------------------------------------------------------------
 */

/* Entries are made by the chunk. */
enum { CHUNK = 256 };
struct chunk {
    struct chunk *next;
    struct pml_hooks_follow follows[CHUNK];
    struct record_pending outside[CHUNK]; /* for those that have none in the record */
};
static struct chunk *chunks;

/* Free the entries whose request has another callback now; how many. */
static unsigned sweep(void)
{
    unsigned freed = 0;

    for (struct chunk *chunk = chunks; chunk != NULL; chunk = chunk->next) {
        for (unsigned i = 0; i < CHUNK; i++) {
            struct pml_hooks_follow *follow = &chunk->follows[i];

            if (follow->pending->kind != RECORD_FREE &&
                follow->pending->kind != RECORD_PENDING_LOCK &&
                follow->request->req_complete_cb_data != follow) {
                follow->pending->kind = RECORD_FREE;
                follow->next_free = pml_hooks_first_free;
                pml_hooks_first_free = follow;
                freed++;
            }
        }
    }
    return freed;
}

/* Take an entry whose request nobody will complete out of the record. Another thread may be in its
 * callback: it is not used again then. */
static void forget(struct pml_hooks_follow *follow)
{
    follow->request->req_complete_cb_data = NULL;
    follow->pending->kind = RECORD_FREE;
    if (!record_threads) {
        follow->request->req_complete_cb = NULL;
        follow->next_free = pml_hooks_first_free;
        pml_hooks_first_free = follow;
    }
}

void pml_hooks_follow_forget(bool (*lost)(const struct pml_hooks_follow *follow))
{
    opal_mutex_lock(&pml_hooks_free_lock);
    for (struct chunk *chunk = chunks; chunk != NULL; chunk = chunk->next) {
        for (unsigned i = 0; i < CHUNK; i++) {
            struct pml_hooks_follow *follow = &chunk->follows[i];
            uint32_t kind = __atomic_load_n(&follow->pending->kind, __ATOMIC_ACQUIRE);

            if ((kind == RECORD_PENDING_SEND || kind == RECORD_PENDING_RECV) &&
                follow->request->req_complete_cb_data == follow && lost(follow)) {
                forget(follow);
            }
        }
    }
    opal_mutex_unlock(&pml_hooks_free_lock);
}

static void add_chunk(void)
{
    struct record_head *head = record_own.head;
    struct chunk *chunk = calloc(1, sizeof(*chunk));
    uint32_t count = head->pending_count;

    if (chunk == NULL) {
        return;
    }
    for (uint32_t i = 0; i < CHUNK; i++) {
        struct pml_hooks_follow *follow = &chunk->follows[i];

        follow->pending =
            count + i < RECORD_PENDING ? &record_own.pending[count + i] : &chunk->outside[i];
        follow->next_free = i + 1 < CHUNK ? follow + 1 : pml_hooks_first_free;
    }
    pml_hooks_first_free = chunk->follows;
    head->pending_count = count + CHUNK < RECORD_PENDING ? count + CHUNK : RECORD_PENDING;
    chunk->next = chunks;
    chunks = chunk;
}

struct pml_hooks_follow *pml_hooks_follow_new(void)
{
    struct pml_hooks_follow *follow;

    /* A sweep that frees little is not worth another one soon. */
    if (sweep() < CHUNK / 2) {
        add_chunk();
    }
    follow = pml_hooks_first_free;
    if (follow != NULL) {
        pml_hooks_first_free = follow->next_free;
    }
    return follow;
}

void pml_hooks_follow_drop(struct pml_hooks_follow *follow, bool lost)
{
    if (lost) {
        record_add(&record_own.head->pending_lost, 1);
    }
    if (follow != NULL) {
        pml_hooks_follow_give(record_threads, follow);
    }
}

/* ---- the end of an operation ------------------------------------------------------------------
 */

static void count_error(const ompi_status_public_t *status)
{
    struct record_head *head = record_own.head;

    if (status->_cancelled != 0) {
        record_add(&head->cancelled, 1);
    } else if (status->MPI_ERROR == MPI_ERR_TRUNCATE) {
        record_add(&head->receives_truncated, 1);
    } else {
        record_add(&head->failed, 1);
    }
}

/* The rare part of end_receive: an error, or a receive of any source. Returns the peer, NULL
 * without a message. */
static __attribute__((noinline)) struct record_peer *end_error_or_any(
    struct ompi_communicator_t *comm, struct record_peer *named, const ompi_status_public_t *status,
    uint64_t now)
{
    struct record_peer *peer = named;

    if (status->_cancelled != 0 || status->MPI_ERROR != MPI_SUCCESS) {
        count_error(status);
        if (status->_cancelled != 0 || status->MPI_ERROR != MPI_ERR_TRUNCATE) {
            return NULL;
        }
    }
    if (peer == NULL) {
        peer = pml_hooks_peer_of(comm, status->MPI_SOURCE);
    }
    pml_hooks_count_receive(peer, pml_hooks_received_tag(status), ompi_glue_comm_id(comm),
                            status->_ucount, named == NULL, now);
    return peer;
}

/* A receive has ended with this status; returns the peer, NULL without a message. */
PML_HOOKS_INLINE struct record_peer *end_receive(bool threads,
                                                 const struct pml_hooks_follow *follow,
                                                 const ompi_status_public_t *status, uint64_t now)
{
    struct record_peer *named = follow->peer;

    if (__builtin_expect(
            named == NULL || status->MPI_ERROR != MPI_SUCCESS || status->_cancelled != 0, 0)) {
        return end_error_or_any(follow->comm, named, status, now);
    }
    pml_hooks_count_receive_by(threads, record_own.head, named, pml_hooks_received_tag(status),
                               follow->pending->context, status->_ucount, false, now);
    return named;
}

void pml_hooks_received_at_once(struct pml_hooks_follow *follow, const ompi_request_t *request)
{
    if (follow == NULL) {
        pml_hooks_follow_drop(NULL, true);
        return;
    }
    record_add(&record_own.head->receives_at_once, 1);
    (void)end_receive(record_threads, follow, &request->req_status, follow->pending->since);
    pml_hooks_follow_give(record_threads, follow);
}

/* What an operation was; its entry is free from now on. Open MPI may call twice, where a request
 * completes while the callback is being set: RECORD_FREE for the second. */
PML_HOOKS_INLINE uint32_t take_kind(bool threads, struct record_pending *pending)
{
    uint32_t kind;

    if (threads) {
        return __atomic_exchange_n(&pending->kind, RECORD_FREE, __ATOMIC_ACQ_REL);
    }
    kind = pending->kind;
    pending->kind = RECORD_FREE;
    return kind;
}

/* The callback of a request: it is complete, and nobody has been told yet. */
PML_HOOKS_INLINE int ended_by(bool threads, ompi_request_t *request)
{
    struct pml_hooks_follow *follow = request->req_complete_cb_data;
    struct pml_hooks_last_end *last = pml_hooks_last_end(threads);
    struct record_pending *pending;
    uint64_t now;
    uint32_t kind;

    if (follow == NULL || (kind = take_kind(threads, follow->pending)) == RECORD_FREE) {
        return 0;
    }
    if (__builtin_expect(request->req_status._cancelled != 0, 0)) {
        pml_hooks_end_cancelled(request);
    }
    pending = follow->pending;
    request->req_complete_cb_data = NULL;
    now = record_stamp();
    last->kind = kind;
    last->when = now;
    if (__builtin_expect(kind == RECORD_PENDING_RECV, 1)) {
        last->peer = end_receive(threads, follow, &request->req_status, now);
        last->bytes = request->req_status._ucount;
    } else {
        last->number = follow->number;
        last->bytes = pending->bytes;
        last->tag = pending->tag;
        last->context = pending->context;
        last->peer = follow->peer;
        if (request->req_status.MPI_ERROR != MPI_SUCCESS || request->req_status._cancelled != 0) {
            count_error(&request->req_status);
        }
        record_add_by(threads, &record_own.head->completed, 1);
        record_own.head->last_event = now;
    }
    pml_hooks_count_span(threads, follow, now);
    pml_hooks_follow_give(threads, follow);
    return 0;
}

__attribute__((noinline)) int pml_hooks_ended(ompi_request_t *request)
{
    return ended_by(false, request);
}

/* A longer message takes longer than what is saved here. */
enum { USUAL_BYTES = 1 << 24 };

/* The same for a receive that names its source; as most are without a call, which would have
 * registers saved. */
int pml_hooks_received(ompi_request_t *request)
{
    struct pml_hooks_follow *follow = request->req_complete_cb_data;
    const ompi_status_public_t *status = &request->req_status;
    struct pml_hooks_last_end *last = &pml_hooks_the_only_end;
    struct record_head *head = record_own.head;
    struct record_peer *peer = follow->peer;
    uint64_t bytes = status->_ucount, now = record_stamp();

    if (__builtin_expect(status->MPI_ERROR != MPI_SUCCESS || status->_cancelled != 0 ||
                             (unsigned)status->MPI_TAG > (unsigned)pml_hooks_below.pml_max_tag ||
                             bytes > USUAL_BYTES || now >= record_slice_end ||
                             record_widens(peer->received_smallest, peer->received_largest, bytes),
                         0)) {
        return pml_hooks_ended(request);
    }
    /* pml ucx, which uses requests again, takes what it finds there for its own. */
    request->req_complete_cb_data = NULL;
    last->peer = peer;
    last->when = now;
    last->bytes = bytes;
    last->kind = PML_HOOKS_USUAL_RECEIVE;
    follow->pending->kind = RECORD_FREE;
    pml_hooks_count_span(false, follow, now);
    record_count_receive_of(false, head, RECORD_CLASS_USER, peer, status->MPI_TAG,
                            follow->pending->context, bytes, false, now);
    pml_hooks_follow_give(false, follow);
    return 0;
}

int pml_hooks_ended_of_threads(ompi_request_t *request)
{
    return ended_by(true, request);
}
