/* SPDX-License-Identifier: BSD-3-Clause */
/* The end of a request with threads: completed by one of them, freed by another. */
#include <sched.h>
#include <stddef.h>

#include "mtl_match/mtl_match.h"

/*
 * In pml cm the thread that completes a request sets one word and then reads another, and the
 * thread that frees it sets that other one and then reads the first. Of two threads each may see
 * the word of the other: both give the request back to the list of free ones, and two messages
 * share it after that. A send is touched after others have seen that it is complete, moreover, and
 * a buffered one is completed by the thread that starts it, too.
 *
 * So with threads the request's own function for freeing is ours, and one word decides: of those
 * who complete and free a request the second gives it back. Nothing is touched after the request is
 * seen to be complete.
 *
 *   E0 (acquire and release, over) pairs with E1 (the same, request_free):
 *   who comes second sees all that the first has done to the request.
 */
enum { FREED = 1, OVER = 2 };

/* What pml cm frees requests with; the same for all of a kind. */
static _Atomic(ompi_request_free_fn_t) pml_free[2];

/* The request that this thread completes right now: its callback may free it. */
static _Thread_local const struct ompi_request_t *completing;

static int give_back(struct ompi_mtl_match_request *request, struct ompi_request_t **handle)
{
    struct ompi_request_t *user = request->super.ompi_req;

    user->req_free = atomic_load_explicit(&pml_free[request->kind], memory_order_relaxed);
    return user->req_free(handle);
}

/* ompi_request_free_fn_t */
static int request_free(struct ompi_request_t **handle)
{
    struct ompi_request_t *user = *handle;
    struct ompi_mtl_match_request *request = ompi_glue_payload(user);

    if (request->shared) {
        int before = atomic_fetch_or_explicit(&request->ends, FREED, memory_order_acq_rel); /* E1 */

        if ((before & OVER) == 0) {
            *handle = MPI_REQUEST_NULL;
            return OMPI_SUCCESS;
        }
        /* Another thread may be about to say that it is complete, and waits for nothing. */
        while (!REQUEST_COMPLETE(user) && user != completing) {
            (void)sched_yield();
        }
    }
    return give_back(request, handle);
}

void ompi_mtl_match_share(struct ompi_mtl_match_request *request)
{
    struct ompi_request_t *user = request->super.ompi_req;

    if (user->req_free != request_free) {
        atomic_store_explicit(&pml_free[request->kind], user->req_free, memory_order_relaxed);
        user->req_free = request_free;
    }
    ompi_glue_set_payload(user, request);
    atomic_store_explicit(&request->ends, 0, memory_order_relaxed);
    request->shared = true;
}

/* Whether the request is freed already: then it has been given back. */
static bool over(struct ompi_mtl_match_request *request)
{
    struct ompi_request_t *user = request->super.ompi_req;
    int before = atomic_fetch_or_explicit(&request->ends, OVER, memory_order_acq_rel); /* E0 */

    if ((before & FREED) == 0) {
        return false;
    }
    ompi_glue_pml_over(user);
    (void)give_back(request, &user);
    return true;
}

void ompi_mtl_match_complete_shared(struct ompi_mtl_match_request *request)
{
    struct ompi_request_t *user = request->super.ompi_req;
    const struct ompi_request_t *outer = completing;

    if (request->buffered) {
        /* pml cm frees its copy; the thread that started it has completed it. */
        request->super.completion_callback(&request->super);
        (void)over(request);
        return;
    }
    if (request->kind == OMPI_MTL_MATCH_SEND) {
        ompi_glue_pml_over(user);
    }
    if (over(request)) {
        return;
    }
    completing = user;
    if (request->kind == OMPI_MTL_MATCH_SEND) {
        (void)ompi_request_complete(user, true);
    } else {
        request->super.completion_callback(&request->super);
    }
    completing = outer;
}
