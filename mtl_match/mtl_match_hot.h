/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OMPI_MTL_MATCH_HOT_H
#define OMPI_MTL_MATCH_HOT_H

#include "mtl_match/mtl_match.h"

/* What sends, receives and probes share on the hot path. */

#define OMPI_MTL_MATCH_ANY_TAG_BITS 0x7fffffffU /* all but the sign */

static inline uint64_t ompi_mtl_match_bits(const struct ompi_communicator_t *comm, int tag)
{
    return (uint64_t)ompi_glue_context(comm) << 32 | (uint32_t)tag;
}

static inline int ompi_mtl_match_tag(uint64_t bits)
{
    return (int)(uint32_t)bits;
}

/* The endpoint of a rank, or NULL if it cannot be reached. */
static inline struct ompi_mtl_match_endpoint *ompi_mtl_match_endpoint_of(
    struct ompi_communicator_t *comm, int rank)
{
    struct ompi_proc_t *proc = ompi_comm_peer_lookup(comm, rank);
    struct ompi_mtl_match_endpoint *endpoint =
        (struct ompi_mtl_match_endpoint *)ompi_glue_mtl_slot(proc);

    return NI_LIKELY(endpoint != NULL) ? endpoint : ompi_mtl_match_connect(proc);
}

/* What a receive or probe of (source, tag) looks for. False if the source cannot be reached. */
static inline bool ompi_mtl_match_criteria(struct ompi_communicator_t *comm, int source, int tag,
                                           struct ni_me *me,
                                           struct ompi_mtl_match_endpoint **endpoint)
{
    *endpoint = NULL;
    if (source == MPI_ANY_SOURCE) {
        me->match_id = NI_INITIATOR_ANY;
    } else {
        *endpoint = ompi_mtl_match_endpoint_of(comm, source);
        if (NI_UNLIKELY(*endpoint == NULL)) {
            return false;
        }
        me->match_id = (*endpoint)->id;
    }
    if (tag == MPI_ANY_TAG) {
        me->match_bits = ompi_mtl_match_bits(comm, 0);
        me->ignore_bits = OMPI_MTL_MATCH_ANY_TAG_BITS;
    } else {
        me->match_bits = ompi_mtl_match_bits(comm, tag);
        me->ignore_bits = 0;
    }
    return true;
}

/* The end of a request; its status is set. */
static inline void ompi_mtl_match_complete(struct ompi_mtl_match_request *request)
{
    if (NI_UNLIKELY(request->shared)) {
        ompi_mtl_match_complete_shared(request);
    } else {
        request->super.completion_callback(&request->super);
    }
}

/* Source, tag and length of a message. The error is another matter: a probe leaves it alone. */
static inline void ompi_mtl_match_set_status(struct ompi_status_public_t *status,
                                             const struct ni_event *event, uint64_t length)
{
    status->MPI_SOURCE = (int)(uint32_t)event->hdr_data;
    status->MPI_TAG = ompi_mtl_match_tag(event->match_bits);
    status->_ucount = length;
}

#endif
