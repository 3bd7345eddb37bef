/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests: waiting for them, and how they end. */
#include "core/recorder.h"

int pri_error_of(int result)
{
    switch (result) {
    case NI_OK:
    case NI_PTL_SENT:
        return PRI_OK;
    case NI_PTL_NO_SPACE:
    case NI_ERR_NOMEM:
        return PRI_ERR_NOMEM;
    case NI_ERR_CABLE:
    case NI_ERR_CARD:
    case NI_ERR_UNREACHABLE:
    case NI_ERR_PEER_DEAD:
    case NI_ERR_PEER_CLOSED:
    case NI_ERR_PROTOCOL:
        return PRI_ERR_PEER;
    case NI_ERR_FORKED:
        return PRI_ERR_FORKED;
    case NI_PTL_ARG_INVALID:
        return PRI_ERR_ARG;
    default:
        return PRI_ERR_INTERN;
    }
}

int pri_error_of_fail(enum ni_ni_fail fail)
{
    switch (fail) {
    case NI_NI_OK:
        return PRI_OK;
    case NI_NI_SEGV:
        return PRI_ERR_MEMORY;
    case NI_NI_NO_SPACE:
        return PRI_ERR_NOMEM;
    default:
        return PRI_ERR_PEER;
    }
}

/* ---- end ------------------------------------------------------------------------------------- */

static NI_COLD void release(struct pri_request *request)
{
    struct pri_rank *self = request->rank;

    pri_lock(self);
    ni_list_remove(&request->detached);
    pri_unlock(self);
    request->release(request);
    atomic_fetch_sub_explicit(&self->cold->detached, 1, memory_order_relaxed);
}

/* Each part but the last leaves its state to the next one; the owner may be gone as soon as there
 * is nothing left. */
void pri_request_part(struct pri_request *request, int part, bool cancelled)
{
    int state = atomic_load_explicit(&request->state, memory_order_acquire), after;
    const struct pri_rank *self = request->rank;
    bool last;

    do {
        after = (state - part) | (cancelled ? PRI_REQ_CANCELLED : 0);
        last = (after & (PRI_REQ_PENDING | PRI_REQ_ASKED)) == 0;
        if (last && (after & PRI_REQ_CANCELLED) != 0) {
            request->status = pri_status_cancelled;
        }
        /* release, with the acquire in pri_done and in the next part; acquire, with the release of
         * the part before, and in pri_detach */
    } while (!atomic_compare_exchange_weak_explicit(&request->state, &state,
                                                    last ? PRI_REQ_DONE : after,
                                                    memory_order_acq_rel, memory_order_acquire));
    if (last && (after & PRI_REQ_CANCELLED) != 0 && self->recorded) {
        pri_recorder_cancelled();
    }
    if (last && (after & PRI_REQ_DETACHED) != 0) {
        release(request);
    }
}

void pri_detach(struct pri_request *request, void (*fn)(struct pri_request *request))
{
    struct pri_rank *self = request->rank;

    request->release = fn;
    pri_lock(self);
    ni_list_push_back(&self->cold->unwaited, &request->detached);
    pri_unlock(self);
    atomic_fetch_add_explicit(&self->cold->detached, 1, memory_order_relaxed);
    bool stays = request->kind == PRI_REQUEST_RECV_STAYS && request->peer < 0;
    /* release, with the acquire in pri_request_part; acquire, with the release there */
    if (atomic_fetch_or_explicit(&request->state, PRI_REQ_DETACHED, memory_order_acq_rel) ==
        PRI_REQ_DONE) {
        release(request);
    } else if (NI_UNLIKELY(stays) && atomic_load_explicit(&self->lost, memory_order_relaxed) != 0) {
        pri_unwaited_fail(self); /* nobody is left to be told; another thread may have freed it */
    }
}

void pri_request_null(struct pri_rank *self, struct pri_request *request)
{
    pri_recv_init(request, self, NULL, PRI_REQUEST_OTHER);
    request->entry = 0;
    request->status = (struct pri_status){.source = PRI_PROC_NULL, .tag = PRI_ANY_TAG};
    atomic_store_explicit(&request->state, PRI_REQ_DONE, memory_order_relaxed);
}

void pri_request_complete(struct pri_request *request)
{
    pri_complete(request);
}

/* ---- wait ------------------------------------------------------------------------------------ */

bool pri_stays_now(const struct pri_request *request)
{
    return pri_may_stay(request) && pri_context_lost(request->rank, request->context) &&
           !pri_done(request);
}

/* One from any source. */
static NI_NOINLINE int wait_for_any(struct pri_request *request)
{
    unsigned spins = 0;

    while (!pri_done(request)) {
        if (pri_stays(request)) {
            return pri_test(request) ? request->status.error : PRI_ERR_PENDING;
        }
        pri_relax_for(request->rank, &spins, pri_request_tell, request);
    }
    return request->status.error;
}

int pri_wait(struct pri_request *request)
{
    unsigned spins = 0;

    if (NI_UNLIKELY(request->kind == PRI_REQUEST_RECV_STAYS) && request->peer < 0) {
        return wait_for_any(request);
    }
    while (!pri_done(request)) {
        pri_relax_for(request->rank, &spins, pri_request_tell, request);
    }
    return request->status.error;
}

void pri_detached_wait(struct pri_rank *self)
{
    unsigned spins = 0;

    while (atomic_load_explicit(&self->cold->detached, memory_order_relaxed) != 0) {
        pri_relax_for(self, &spins, pri_detached_tell, self);
    }
}

bool pri_test(struct pri_request *request)
{
    if (!pri_done(request)) {
        pri_look(request->rank);
    }
    return pri_done(request);
}
