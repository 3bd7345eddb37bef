/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests: waiting for them, and how they end. */
#include "core/rank.h"

int pri_error_of(int result)
{
    switch (result) {
    case NI_OK:
    case NI_PTL_SENT:
        return PRI_OK;
    case NI_PTL_NO_SPACE:
    case NI_ERR_NOMEM:
        return PRI_ERR_NOMEM;
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

void pri_request_release(struct pri_request *request)
{
    struct pri_cold *cold = request->rank->cold;

    request->release(request);
    atomic_fetch_sub_explicit(&cold->detached, 1, memory_order_relaxed);
}

void pri_detach(struct pri_request *request, void (*fn)(struct pri_request *request))
{
    int pending = PRI_REQ_PENDING;

    request->release = fn;
    atomic_fetch_add_explicit(&request->rank->cold->detached, 1, memory_order_relaxed);
    /* release, with the acquire in pri_complete; acquire, with the release there */
    if (!atomic_compare_exchange_strong_explicit(&request->state, &pending, PRI_REQ_DETACHED,
                                                 memory_order_acq_rel, memory_order_acquire)) {
        pri_request_release(request);
    }
}

void pri_request_null(struct pri_rank *self, struct pri_request *request)
{
    pri_request_init(request, self, true, NULL);
    request->entry = 0;
    request->status = (struct pri_status){.source = PRI_PROC_NULL, .tag = PRI_ANY_TAG};
    atomic_store_explicit(&request->state, PRI_REQ_DONE, memory_order_relaxed);
}

/* ---- wait ------------------------------------------------------------------------------------ */

int pri_wait(struct pri_request *request)
{
    unsigned spins = 0;

    while (!pri_done(request)) {
        pri_relax(request->rank, &spins);
    }
    return request->status.error;
}

bool pri_test(struct pri_request *request)
{
    if (!pri_done(request)) {
        pri_look(request->rank);
    }
    return pri_done(request);
}

/* ---- cancel ---------------------------------------------------------------------------------- */

/* A receive is either unlinked here, or it has matched and completes by its event; the NI decides
 * which, once. (A receive of a claimed message has no entry.) */
void pri_cancel(struct pri_request *request)
{
    struct pri_rank *self = request->rank;
    int result;

    if (!request->is_recv || pri_done(request) || request->entry == 0) {
        return;
    }
    do {
        result = ni_me_unlink(self->ni, request->entry);
    } while (result == NI_PTL_IN_USE && !pri_test(request));
    if (result == NI_OK) {
        request->status = (struct pri_status){.source = PRI_PROC_NULL, .tag = PRI_ANY_TAG};
        request->status.cancelled = 1;
        pri_complete(request);
    }
}
