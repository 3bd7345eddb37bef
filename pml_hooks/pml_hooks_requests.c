/* SPDX-License-Identifier: BSD-3-Clause */
/* The calls that test requests, and those that wait for them. */
#include "record/clock.h"
#include "pml_hooks/pml_hooks_follow.h"

/* Enter a call that waits for requests; the first that is followed says for whom. */
PML_HOOKS_INLINE struct record_call_entry *enter(bool threads, enum record_call kind, size_t count,
                                                 ompi_request_t **requests, uint64_t now)
{
    const struct pml_hooks_follow *follow = NULL;
    uint32_t incomplete = 0;

    for (size_t i = 0; i < count; i++) {
        if (!REQUEST_COMPLETE(requests[i])) {
            follow = follow != NULL ? follow : pml_hooks_follow_of(threads, requests[i]);
            incomplete++;
        }
    }
    record_add_by(threads, &record_own.head->waits, 1);
    pml_hooks_last_end(threads)->kind = PML_HOOKS_NOTHING_ENDED;
    if (__builtin_expect(follow == NULL, 0)) {
        return record_call_enter_by(threads, kind, NULL, RECORD_ANY, 0, 0, incomplete, now);
    }
    return record_call_enter_by(threads, kind, follow->peer, follow->pending->tag,
                                follow->pending->context, 0, incomplete, now);
}

/* Leave it, with what it returns: it has waited until the last completion, and the time goes to
 * whom that was of. */
PML_HOOKS_INLINE int leave(bool threads, struct record_call_entry *call, uint64_t begin, int rc)
{
    struct record_head *head = record_own.head;
    const struct pml_hooks_last_end *last = pml_hooks_last_end(threads);
    uint64_t now = last->when;

    if (last->kind == PML_HOOKS_NOTHING_ENDED) {
        /* Requests that nobody follows, as those of one-sided communication, have moved, too. */
        now = record_stamp();
        record_add_by(threads, &head->completed, 1);
        RECORD_WRITE(head->last_event, now);
    }
    record_add_by(threads, &head->wait_ticks, now - begin);
    if (last->kind >= RECORD_PENDING_RECV && last->peer != NULL) {
        unsigned at = (unsigned)(last->peer->received_number - 1) % RECORD_LAST;

        pml_hooks_count_receive_wait_by(threads, last->peer, last->peer->received_tags[at],
                                        last->peer->received_contexts[at], last->bytes, begin, now);
    } else if (last->kind == RECORD_PENDING_SEND) {
        pml_hooks_count_send_wait(last->peer, last->number, last->tag, last->context, last->bytes,
                                  begin, now);
    }
    record_call_leave(call, now);
    if (__builtin_expect(rc != OMPI_SUCCESS, 0)) {
        record_call_failed(call);
    }
    return rc;
}

/* The same where it is not known whether there are threads. */
static struct record_call_entry *enter_many(enum record_call kind, size_t count,
                                            ompi_request_t **requests, uint64_t now)
{
    return record_threads ? enter(true, kind, count, requests, now)
                          : enter(false, kind, count, requests, now);
}

static int leave_many(struct record_call_entry *call, uint64_t begin, int rc)
{
    return record_threads ? leave(true, call, begin, rc) : leave(false, call, begin, rc);
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

PML_HOOKS_INLINE int wait_by(bool threads, ompi_request_t **request, ompi_status_public_t *status)
{
    struct record_call_entry *call;
    uint64_t begin;
    int rc;

    if (REQUEST_COMPLETE(*request)) {
        return pml_hooks_requests_below.req_wait(request, status);
    }
    begin = record_stamp();
    call = enter(threads, RECORD_WAIT, 1, request, begin);
    rc = pml_hooks_requests_below.req_wait(request, status);
    return leave(threads, call, begin, rc);
}

static __attribute__((noinline)) int wait_any_kind(ompi_request_t **request,
                                                   ompi_status_public_t *status)
{
    return wait_by(false, request, status);
}

static __attribute__((noinline)) int leave_with(uint64_t begin, int rc)
{
    return leave(false, record_own.calls, begin, rc);
}

/* Leave a call that is not within another one, shortly where it was for a receive as most are and
 * did not wait long. */
PML_HOOKS_INLINE int leave_soon(uint64_t begin, int rc)
{
    const struct pml_hooks_last_end *last = &pml_hooks_the_only_end;
    struct record_head *head = record_own.head;
    struct record_call_entry *call = record_calls_of(head);
    uint64_t ticks = last->when - begin;

    if (__builtin_expect(last->kind != PML_HOOKS_USUAL_RECEIVE || ticks >= RECORD_WORTH_ASKING ||
                             rc != OMPI_SUCCESS,
                         0)) {
        return leave_with(begin, rc);
    }
    pml_hooks_count_brief_wait(head, last->peer, ticks);
    call->depth = 0;
    __atomic_store_n(&call->since, last->when, __ATOMIC_RELAXED);
    return rc;
}

/* The same for a receive as most are, that did not wait long. */
static int pass_wait(ompi_request_t **request, ompi_status_public_t *status)
{
    const struct pml_hooks_follow *follow = (*request)->req_complete_cb_data;
    struct pml_hooks_last_end *last = &pml_hooks_the_only_end;
    struct record_head *head = record_own.head;
    struct record_call_entry *call = record_calls_of(head);
    const struct record_peer *peer;
    uint64_t begin;

    if (REQUEST_COMPLETE(*request)) {
        return pml_hooks_requests_below.req_wait(request, status);
    }
    if (__builtin_expect((*request)->req_complete_cb != pml_hooks_received || call->depth != 0,
                         0)) {
        return wait_any_kind(request, status);
    }
    peer = follow->peer;
    if (peer == NULL) {
        __builtin_unreachable(); /* a receive with this callback names its source */
    }
    begin = record_stamp();
    record_call_begin(call, RECORD_WAIT, peer, follow->pending->tag, follow->pending->context, 0, 1,
                      begin);
    head->waits++;
    last->kind = PML_HOOKS_NOTHING_ENDED;
    return leave_soon(begin, pml_hooks_requests_below.req_wait(request, status));
}

static int pass_wait_of_threads(ompi_request_t **request, ompi_status_public_t *status)
{
    return wait_by(true, request, status);
}

static int pass_wait_any(size_t count, ompi_request_t **requests, int *index,
                         ompi_status_public_t *status)
{
    struct record_call_entry *call;
    uint64_t begin;
    int rc;

    if (any_complete(count, requests)) {
        return pml_hooks_requests_below.req_wait_any(count, requests, index, status);
    }
    begin = record_stamp();
    call = enter_many(RECORD_WAITANY, count, requests, begin);
    rc = pml_hooks_requests_below.req_wait_any(count, requests, index, status);
    return leave_many(call, begin, rc);
}

static __attribute__((noinline)) int wait_all_any(size_t count, ompi_request_t **requests,
                                                  ompi_status_public_t *statuses)
{
    struct record_call_entry *call;
    uint64_t begin;
    int rc;

    if (all_complete(count, requests)) {
        return pml_hooks_requests_below.req_wait_all(count, requests, statuses);
    }
    begin = record_stamp();
    call = enter_many(RECORD_WAITALL, count, requests, begin);
    rc = pml_hooks_requests_below.req_wait_all(count, requests, statuses);
    return leave_many(call, begin, rc);
}

/* The same of one thread, where the first that is not complete is followed. */
static int pass_wait_all(size_t count, ompi_request_t **requests, ompi_status_public_t *statuses)
{
    struct record_call_entry *call = record_calls_of(record_own.head);
    const struct pml_hooks_follow *follow = NULL;
    uint32_t incomplete = 0;
    uint64_t begin;

    for (size_t i = 0; i < count; i++) {
        if (!REQUEST_COMPLETE(requests[i])) {
            follow = incomplete++ == 0 ? pml_hooks_follow_of(false, requests[i]) : follow;
        }
    }
    if (incomplete == 0) {
        return pml_hooks_requests_below.req_wait_all(count, requests, statuses);
    }
    if (__builtin_expect(follow == NULL || call->depth != 0, 0)) {
        return wait_all_any(count, requests, statuses);
    }
    begin = record_stamp();
    record_call_begin(call, RECORD_WAITALL, follow->peer, follow->pending->tag,
                      follow->pending->context, 0, incomplete, begin);
    record_own.head->waits++;
    pml_hooks_the_only_end.kind = PML_HOOKS_NOTHING_ENDED;
    return leave_soon(begin, pml_hooks_requests_below.req_wait_all(count, requests, statuses));
}

static int pass_wait_some(size_t count, ompi_request_t **requests, int *done, int *indices,
                          ompi_status_public_t *statuses)
{
    struct record_call_entry *call;
    uint64_t begin;
    int rc;

    if (any_complete(count, requests)) {
        return pml_hooks_requests_below.req_wait_some(count, requests, done, indices, statuses);
    }
    begin = record_stamp();
    call = enter_many(RECORD_WAITSOME, count, requests, begin);
    rc = pml_hooks_requests_below.req_wait_some(count, requests, done, indices, statuses);
    return leave_many(call, begin, rc);
}

static int pass_test(ompi_request_t **request, int *done, ompi_status_public_t *status)
{
    record_add(&record_own.head->tests, 1);
    return pml_hooks_requests_below.req_test(request, done, status);
}

static int pass_test_any(size_t count, ompi_request_t **requests, int *index, int *done,
                         ompi_status_public_t *status)
{
    record_add(&record_own.head->tests, 1);
    return pml_hooks_requests_below.req_test_any(count, requests, index, done, status);
}

static int pass_test_all(size_t count, ompi_request_t **requests, int *done,
                         ompi_status_public_t *statuses)
{
    record_add(&record_own.head->tests, 1);
    return pml_hooks_requests_below.req_test_all(count, requests, done, statuses);
}

static int pass_test_some(size_t count, ompi_request_t **requests, int *done, int *indices,
                          ompi_status_public_t *statuses)
{
    record_add(&record_own.head->tests, 1);
    return pml_hooks_requests_below.req_test_some(count, requests, done, indices, statuses);
}

void pml_hooks_requests_install(ompi_request_fns_t *functions)
{
    *functions = (ompi_request_fns_t){
        .req_test = pass_test,
        .req_test_any = pass_test_any,
        .req_test_all = pass_test_all,
        .req_test_some = pass_test_some,
        .req_wait = record_threads ? pass_wait_of_threads : pass_wait,
        .req_wait_any = pass_wait_any,
        .req_wait_all = record_threads ? wait_all_any : pass_wait_all,
        .req_wait_some = pass_wait_some,
    };
}
