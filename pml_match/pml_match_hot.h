/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PML_MATCH_HOT_H
#define PML_MATCH_HOT_H

#include "pml_match/pml_match.h"

/* What sends and receives share on the hot path. */

/* ---- begin ----------------------------------------------------------------------------------- */

/* A request is about to be started. */
static inline void pml_match_begin(struct pml_match_request *request)
{
    struct ompi_request_t *user = &request->super.req_ompi;

    atomic_store_explicit(&request->ends, 0, memory_order_relaxed);
    user->req_complete = REQUEST_PENDING;
    user->req_state = OMPI_REQUEST_ACTIVE;
    user->req_status.MPI_ERROR = MPI_SUCCESS;
    user->req_status._cancelled = 0;
}

/* The references to a communicator, for who knows that there are no threads: in Open MPI's macros
 * each change asks for that. */
static inline int32_t *pml_match_references(struct ompi_communicator_t *comm)
{
    return (int32_t *)(uintptr_t) & ((opal_object_t *)comm)->obj_reference_count;
}

/* A request that is begun; NULL: memory has run out, and the user knows. comm is retained. */
static inline struct pml_match_request *pml_match_request_get(struct pml_match_list *list,
                                                              struct ompi_communicator_t *comm)
{
    struct pml_match_request *request = list->first;

    if (NI_LIKELY(request != NULL)) {
        list->first = request->next;
        *pml_match_references(comm) += 1;
    } else {
        request = (struct pml_match_request *)opal_free_list_get(list->all);
        if (NI_UNLIKELY(request == NULL)) {
            (void)ompi_match_no_memory(ompi_match_bits(comm, 0), NULL);
            return NULL;
        }
        OBJ_RETAIN(comm);
    }
    request->super.req_comm = comm;
    request->super.req_ompi.req_mpi_object.comm = comm;
    pml_match_begin(request);
    return request;
}

/* What debuggers show of a request, and monitoring counts by. */
static inline void pml_match_note(struct pml_match_request *request, const void *buffer,
                                  size_t count, struct ompi_datatype_t *datatype, int peer, int tag)
{
    request->super.req_addr = (void *)(uintptr_t)buffer;
    request->super.req_count = count;
    request->super.req_datatype = datatype;
    request->super.req_peer = peer;
    request->super.req_tag = tag;
}

/* ---- receive --------------------------------------------------------------------------------- */

/* Give the packed bytes back. */
static inline void pml_match_release(struct pml_match_request *request)
{
    if (NI_UNLIKELY(request->packed != NULL)) {
        ompi_match_buffer_put(request->packed);
        request->packed = NULL;
    }
}

/* Post a receive that is begun. On an error its buffer is given back. from: NULL for any source. */
NI_ALWAYS_INLINE int pml_match_post(struct pml_match_request *request,
                                    const struct ompi_match_endpoint *from, const struct ni_me *me)
{
    struct ompi_request_t *user = &request->super.req_ompi;
    struct ompi_communicator_t *comm = request->super.req_comm;
    /* The request may complete in here. It stays: nobody has been given it yet. */
    int rc =
        ni_me_append(ompi_match.ni, OMPI_MATCH_PT, me, NI_PRIORITY_LIST, request, &request->entry);

    if (NI_UNLIKELY(rc != NI_OK)) {
        pml_match_release(request);
        return ompi_match_error(rc, me->match_bits, user);
    }
    if (NI_UNLIKELY(ompi_match_is_too_late(from, comm, user))) {
        pml_match_give_up(request, me->match_bits);
    }
    return OMPI_SUCCESS;
}

/* ---- end ------------------------------------------------------------------------------------- */

/* The end of a request that has started; its status is set. The caller does not touch it any
 * more. */
static inline void pml_match_end(struct pml_match_request *request)
{
    struct ompi_request_t *user = &request->super.req_ompi;

    if (NI_LIKELY(!ompi_match.threads && user->req_complete_cb == NULL &&
                  atomic_load_explicit(&request->ends, memory_order_relaxed) == 0)) {
        atomic_store_explicit(&request->ends, PML_MATCH_OVER, memory_order_relaxed);
        if (NI_LIKELY(user->req_complete == REQUEST_PENDING)) {
            user->req_complete = REQUEST_COMPLETED;
        } else {
            pml_match_end_waited(user);
        }
    } else {
        pml_match_end_otherwise(request);
    }
}

/* A request of a send that is complete already. */
static inline int pml_match_request_sent(struct ompi_communicator_t *comm,
                                         struct ompi_request_t **handle)
{
    if (NI_UNLIKELY(ompi_match.threads)) {
        return pml_match_one_sent(comm, handle);
    }
    *handle = &pml_match_sent;
    return OMPI_SUCCESS;
}

#endif
