/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The end of a request from above pml ob1.
 *
 * A receive that no message has matched is cancelled, which completes it in the PML; what its
 * caller is told is made an error before.
 *
 * Any other operation stays with the PML, which may complete it yet, and would then end the job for
 * a request with an error that has been freed, or complete it a second time. So a second completion
 * is stopped by a callback, and the error is taken out when the request is freed.
 */
#include "pml_hooks/pml_hooks_survive.h"

#include "ompi/mca/pml/base/pml_base_request.h"

/* ---- what its caller is told ------------------------------------------------------------------
 */

static void set_error(ompi_request_t *request)
{
    request->req_status._cancelled = 0;
    request->req_status._ucount = 0;
    request->req_status.MPI_ERROR = MPI_ERR_OTHER;
}

/* The request that is being taken back. */
static ompi_request_t *taken_back;

/* A message may have come for it in another thread: then nothing is cancelled, and it is well. */
void pml_hooks_end_cancelled(ompi_request_t *request)
{
    if (request == __atomic_load_n(&taken_back, __ATOMIC_RELAXED) &&
        request->req_status._cancelled != 0) {
        set_error(request);
    }
}

/* The callback of one that had none. */
static int cancelled(ompi_request_t *request)
{
    pml_hooks_end_cancelled(request);
    return 0;
}

/* That of one that has somebody else's, where there is one thread. */
static ompi_request_complete_fn_t callback;
static void *callback_data;

static int cancelled_of_others(ompi_request_t *request)
{
    pml_hooks_end_cancelled(request);
    request->req_complete_cb_data = callback_data;
    return callback(request);
}

/* Cancel it, so that who waits for it finds the error; ours tell of it before that. */
static void take_back(ompi_request_t *request)
{
    ompi_request_complete_fn_t found = NULL;
    bool is_others;

    /* At the same time who has begun it may set ours, which is not to be lost. */
    (void)__atomic_compare_exchange_n(&request->req_complete_cb, &found, cancelled, false,
                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    is_others = found != NULL && found != cancelled && !pml_hooks_follows(record_threads, found);
    if (is_others && record_threads) {
        return; /* it may be called now, with what it finds in the request */
    }
    if (!pml_hooks_arrivals_stop()) {
        return; /* the next look will find it */
    }
    __atomic_store_n(&taken_back, request, __ATOMIC_RELAXED);
    if (is_others) {
        callback = found;
        callback_data = request->req_complete_cb_data;
        request->req_complete_cb = cancelled_of_others;
    }
    (void)ompi_request_cancel(request);
    if (is_others && !REQUEST_COMPLETE(request)) {
        request->req_complete_cb = callback;
    }
    __atomic_store_n(&taken_back, NULL, __ATOMIC_RELAXED);
    pml_hooks_arrivals_go_on();
}

/* ---- requests that the PML keeps --------------------------------------------------------------
 */

static struct kept {
    struct kept *next;
    ompi_request_t *request;
    ompi_request_free_fn_t free_below;
} * first_kept;
static opal_mutex_t lock = OPAL_MUTEX_STATIC_INIT;

/* A second completion: Open MPI goes on with a request only where its callback returns 0. */
static int stop(ompi_request_t *request)
{
    (void)request;
    return 1;
}

void pml_hooks_end_forget(ompi_request_t *request)
{
    struct kept **place = &first_kept, *found;

    OPAL_THREAD_LOCK(&lock);
    while (*place != NULL && (*place)->request != request) {
        place = &(*place)->next;
    }
    found = *place;
    if (found != NULL) {
        *place = found->next;
    }
    OPAL_THREAD_UNLOCK(&lock);
    if (found != NULL) {
        request->req_free = found->free_below;
        request->req_complete_cb = NULL;
        request->req_status.MPI_ERROR = MPI_SUCCESS;
        free(found);
    }
}

_Thread_local const ompi_request_t *pml_hooks_end_kept;

static int free_kept(ompi_request_t **request)
{
    int rc;

    pml_hooks_end_forget(*request);
    pml_hooks_end_kept = *request;
    rc = (*request)->req_free(request);
    pml_hooks_end_kept = NULL;
    return rc;
}

static void keep(ompi_request_t *request, bool is_send)
{
    struct kept *kept = malloc(sizeof(*kept));

    if (kept == NULL) {
        return;
    }
    *kept = (struct kept){.request = request, .free_below = request->req_free};
    OPAL_THREAD_LOCK(&lock);
    kept->next = first_kept;
    first_kept = kept;
    OPAL_THREAD_UNLOCK(&lock);
    request->req_free = free_kept;
    set_error(request);
    (void)ompi_request_complete(request, true);
    /* The PML completes a send whose caller knows of its end without calling back. */
    if (!is_send) {
        request->req_complete_cb = stop;
    }
}

void pml_hooks_end_request(ompi_request_t *request, bool is_send, bool force)
{
    /* Nobody waits for one that its caller has freed; the PML has it, or has it no more. */
    if (((mca_pml_base_request_t *)request)->req_free_called != 0) {
        return;
    }
    if (!is_send && !REQUEST_COMPLETE(request)) {
        take_back(request);
    }
    if (force && !REQUEST_COMPLETE(request)) {
        keep(request, is_send);
    }
}

static uint64_t lost_after;

/* What its caller has freed, and the dead can complete no more. */
static bool is_lost(const struct pml_hooks_follow *follow)
{
    return follow->peer != NULL && !REQUEST_COMPLETE(follow->request) &&
           ((const mca_pml_base_request_t *)follow->request)->req_free_called != 0 &&
           pml_hooks_dead_age(pml_hooks_dead_find(
               (opal_process_name_t){follow->peer->job, follow->peer->rank})) >= lost_after;
}

void pml_hooks_end_lost(uint64_t age)
{
    lost_after = age;
    pml_hooks_follow_forget(is_lost);
}
