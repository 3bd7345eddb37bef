/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests: kept ready in lists, and how they end. */
#include <sched.h>

#include "pml_match/pml_match_hot.h"

/* ---- lists ----------------------------------------------------------------------------------- */

static inline struct pml_match_list *list_of(const struct pml_match_request *request)
{
    return request->super.req_type == MCA_PML_REQUEST_SEND ? &pml_match_sends : &pml_match_receives;
}

static inline void push(struct pml_match_list *list, struct pml_match_request *request)
{
    request->next = list->first;
    list->first = request;
}

/* ---- what they hold -------------------------------------------------------------------------- */

static void construct(pml_match_request_t *request)
{
    struct ompi_request_t *user = &request->super.req_ompi;

    user->req_status = ompi_status_empty;
    user->req_persistent = false;
    user->req_start = pml_match_start;
    user->req_free = pml_match_request_free;
    user->req_cancel = pml_match_cancel;
    request->described = false;
    request->packed = NULL;
    request->copy = NULL;
    OBJ_CONSTRUCT(&request->super.req_convertor, opal_convertor_t);
}

static void destruct(pml_match_request_t *request)
{
    OBJ_DESTRUCT(&request->super.req_convertor);
}

OBJ_CLASS_INSTANCE(pml_match_request_t, mca_pml_base_request_t, construct, destruct);

void pml_match_describe(struct pml_match_request *request, struct ompi_datatype_t *datatype,
                        size_t count, const void *buffer)
{
    opal_convertor_t *convertor = &request->super.req_convertor;

    OMPI_DATATYPE_RETAIN(datatype);
    request->super.req_datatype = datatype;
    request->described = true;
    if (request->super.req_type == MCA_PML_REQUEST_SEND) {
        ompi_glue_describe_send(convertor, datatype, count, buffer);
    } else {
        ompi_glue_describe_recv(convertor, datatype, count, (void *)(uintptr_t)buffer);
    }
}

void pml_match_undescribe(struct pml_match_request *request)
{
    request->described = false;
    (void)opal_convertor_cleanup(&request->super.req_convertor);
    OMPI_DATATYPE_RELEASE(request->super.req_datatype);
}

void pml_match_give_back(struct pml_match_request *request)
{
    struct ompi_request_t *user = &request->super.req_ompi;
    struct pml_match_list *list = list_of(request);

    if (request->described) {
        pml_match_undescribe(request);
    }
    OBJ_RELEASE(request->super.req_comm);
    user->req_persistent = false;
    user->req_complete_cb = NULL;
    OMPI_REQUEST_FINI(user);
    if (ompi_match.threads) {
        opal_free_list_return(list->all, &user->super);
    } else {
        push(list, request);
    }
}

/* The same of most, where there are no threads; false: nothing has happened. */
NI_ALWAYS_INLINE bool give_back_plain(struct pml_match_request *request)
{
    struct ompi_request_t *user = &request->super.req_ompi;
    int32_t *references = pml_match_references(request->super.req_comm);

    if (NI_UNLIKELY(request->described || user->req_persistent ||
                    user->req_f_to_c_index != MPI_UNDEFINED || *references == 1)) {
        return false;
    }
    *references -= 1;
    user->req_complete_cb = NULL;
    user->req_state = OMPI_REQUEST_INVALID;
    push(list_of(request), request);
    return true;
}

/* ---- the end --------------------------------------------------------------------------------- */

/*
 * A request is given back when it is over and freed, by the thread that comes second: one word
 * decides. Nothing is touched after the request is seen to be complete.
 *
 *   E0 (acquire and release, over) pairs with E1 (the same, freed):
 *   who comes second sees all that the first has done to the request.
 *
 * Without threads the word is changed by a load and a store.
 */

/* The request that this thread completes right now: its callback may free it. */
static _Thread_local const struct ompi_request_t *completing;

static int free_with_threads(struct pml_match_request *request)
{
    struct ompi_request_t *user = &request->super.req_ompi;
    int before =
        atomic_fetch_or_explicit(&request->ends, PML_MATCH_FREED, memory_order_acq_rel); /* E1 */

    if ((before & PML_MATCH_OVER) != 0) {
        /* Another thread may be about to say that it is complete, and waits for nothing. */
        while (!REQUEST_COMPLETE(user) && user != completing) {
            (void)sched_yield();
        }
        pml_match_give_back(request);
    }
    return OMPI_SUCCESS;
}

static NI_NOINLINE int free_otherwise(struct pml_match_request *request)
{
    if (ompi_match.threads) {
        return free_with_threads(request);
    }
    if ((atomic_load_explicit(&request->ends, memory_order_relaxed) & PML_MATCH_OVER) != 0) {
        pml_match_give_back(request);
    } else {
        atomic_store_explicit(&request->ends, PML_MATCH_FREED, memory_order_relaxed);
    }
    return OMPI_SUCCESS;
}

int pml_match_request_free(struct ompi_request_t **handle)
{
    struct pml_match_request *request = (struct pml_match_request *)*handle;

    *handle = MPI_REQUEST_NULL;
    if (NI_LIKELY(!ompi_match.threads &&
                  atomic_load_explicit(&request->ends, memory_order_relaxed) == PML_MATCH_OVER &&
                  give_back_plain(request))) {
        return OMPI_SUCCESS;
    }
    return free_otherwise(request);
}

static int end_with_threads(struct pml_match_request *request)
{
    struct ompi_request_t *user = &request->super.req_ompi;
    const struct ompi_request_t *outer = completing;
    int before =
        atomic_fetch_or_explicit(&request->ends, PML_MATCH_OVER, memory_order_acq_rel); /* E0 */

    if ((before & PML_MATCH_FREED) != 0) {
        return before;
    }
    completing = user;
    (void)ompi_request_complete(user, true);
    completing = outer;
    return before;
}

void pml_match_end_waited(struct ompi_request_t *user)
{
    ompi_wait_sync_t *waits = (ompi_wait_sync_t *)(uintptr_t)user->req_complete;

    user->req_complete = REQUEST_COMPLETED;
    wait_sync_update(waits, 1, user->req_status.MPI_ERROR);
}

void pml_match_end_otherwise(struct pml_match_request *request)
{
    int before;

    if (ompi_match.threads) {
        before = end_with_threads(request);
    } else {
        before = atomic_load_explicit(&request->ends, memory_order_relaxed);
        atomic_store_explicit(&request->ends, before | PML_MATCH_OVER, memory_order_relaxed);
        if ((before & PML_MATCH_FREED) == 0) {
            (void)ompi_request_complete(&request->super.req_ompi, true);
        }
    }
    if ((before & PML_MATCH_FREED) != 0) {
        pml_match_give_back(request);
    }
}

/* ---- of what has left ------------------------------------------------------------------------ */

static int free_nothing(struct ompi_request_t **handle)
{
    *handle = MPI_REQUEST_NULL;
    return OMPI_SUCCESS;
}

static int cancel_nothing(struct ompi_request_t *user, int flag)
{
    (void)user;
    (void)flag;
    return OMPI_SUCCESS;
}

struct ompi_request_t pml_match_sent;

static void make_sent(void)
{
    OBJ_CONSTRUCT(&pml_match_sent, ompi_request_t);
    pml_match_sent.req_type = OMPI_REQUEST_PML;
    pml_match_sent.req_status = ompi_request_empty.req_status;
    pml_match_sent.req_complete = REQUEST_COMPLETED;
    pml_match_sent.req_state = OMPI_REQUEST_ACTIVE;
    pml_match_sent.req_persistent = false;
    pml_match_sent.req_free = free_nothing;
    pml_match_sent.req_cancel = cancel_nothing;
    pml_match_sent.req_mpi_object.comm = &ompi_mpi_comm_world.comm;
}

/* Users of the PML set callbacks of complete requests, too: each thread needs one of its own. */
int pml_match_one_sent(struct ompi_communicator_t *comm, struct ompi_request_t **handle)
{
    struct pml_match_request *request = pml_match_request_get(&pml_match_sends, comm);

    if (request == NULL) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    atomic_store_explicit(&request->ends, PML_MATCH_OVER, memory_order_relaxed);
    request->super.req_ompi.req_complete = REQUEST_COMPLETED;
    *handle = &request->super.req_ompi;
    return OMPI_SUCCESS;
}

/* ---- make ------------------------------------------------------------------------------------ */

struct pml_match_list pml_match_sends = {.all = &mca_pml_base_send_requests};
struct pml_match_list pml_match_receives = {.all = &mca_pml_base_recv_requests};

/* opal_free_list_item_init_fn_t: context is the type. */
static int set_type(opal_free_list_item_t *item, void *context)
{
    ((struct pml_match_request *)item)->super.req_type =
        (mca_pml_base_request_type_t)(uintptr_t)context;
    return OPAL_SUCCESS;
}

/* Open MPI destructs the lists. */
static int make_list(opal_free_list_t *list, mca_pml_base_request_type_t type)
{
    enum { AT_FIRST = 8, MORE = 64 };

    return opal_free_list_init(list, sizeof(pml_match_request_t), NI_CACHE_LINE,
                               OBJ_CLASS(pml_match_request_t), 0, NI_CACHE_LINE, AT_FIRST, -1, MORE,
                               NULL, 0, NULL, set_type, (void *)(uintptr_t)type);
}

int pml_match_make_requests(void)
{
    int rc = make_list(&mca_pml_base_send_requests, MCA_PML_REQUEST_SEND);

    pml_match_sends.first = NULL;
    pml_match_receives.first = NULL;
    make_sent();
    return rc == OPAL_SUCCESS ? make_list(&mca_pml_base_recv_requests, MCA_PML_REQUEST_RECV) : rc;
}
