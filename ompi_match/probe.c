/* SPDX-License-Identifier: BSD-3-Clause */
/* Looking at messages that nobody has received. */
#include <stddef.h>

#include "ompi_match/hot.h"

/* Look, and if there is nothing make progress and look again: a program that calls this in a loop
 * need not call anything else. */
static int look(struct ompi_communicator_t *comm, int source, int tag, enum ni_search_op op,
                struct ni_event *event)
{
    struct ompi_match_endpoint *from;
    struct ni_me me = {.length = SIZE_MAX, .options = NI_ME_OP_PUT};
    int rc;

    if (NI_UNLIKELY(!ompi_match_criteria(comm, source, tag, &me, &from))) {
        return NI_ERR_UNREACHABLE;
    }
    rc = ni_me_probe(ompi_match.ni, OMPI_MATCH_PT, &me, op, event);
    if (rc == NI_PTL_NO_MATCH) {
        opal_progress();
        rc = ni_me_probe(ompi_match.ni, OMPI_MATCH_PT, &me, op, event);
    }
    if (NI_UNLIKELY(rc == NI_PTL_NO_MATCH && from != NULL &&
                    atomic_load_explicit(&from->down, memory_order_relaxed) != 0)) {
        return NI_ERR_UNREACHABLE; /* nothing will ever come */
    }
    return rc;
}

/* Set status from what was found; MPI's own value says that the caller wants none. MPI_ERROR stays
 * as it is: only calls that return several statuses set it. */
static void tell(struct ompi_status_public_t *status, const struct ni_event *event)
{
    if (status != MPI_STATUS_IGNORE) {
        ompi_match_set_status(status, event, event->rlength);
        status->_cancelled = 0;
    }
}

int ompi_match_iprobe(struct ompi_communicator_t *comm, int source, int tag, int *flag,
                      struct ompi_status_public_t *status)
{
    struct ni_event event;
    int rc = look(comm, source, tag, NI_SEARCH_ONLY, &event);

    *flag = rc == NI_OK;
    if (rc == NI_OK) {
        tell(status, &event);
    }
    return rc == NI_PTL_NO_MATCH ? OMPI_SUCCESS
                                 : ompi_match_error(rc, ompi_match_bits(comm, tag), NULL);
}

int ompi_match_improbe(struct ompi_communicator_t *comm, int source, int tag, int *matched,
                       struct ompi_message_t **message, struct ompi_status_public_t *status)
{
    struct ompi_message_t *found = ompi_message_alloc();
    struct ni_event event;
    int rc;

    *matched = 0;
    if (found == NULL) {
        return ompi_match_no_memory(ompi_match_bits(comm, tag), NULL);
    }
    rc = look(comm, source, tag, NI_SEARCH_DELETE, &event);
    if (rc != NI_OK) {
        ompi_message_return(found);
        return rc == NI_PTL_NO_MATCH ? OMPI_SUCCESS
                                     : ompi_match_error(rc, ompi_match_bits(comm, tag), NULL);
    }
    found->comm = comm;
    found->req_ptr = (void *)(uintptr_t)event.unexpected;
    found->peer = (int)(uint32_t)event.hdr_data;
    found->count = event.rlength;
    tell(status, &event);
    *message = found;
    *matched = 1;
    return OMPI_SUCCESS;
}
