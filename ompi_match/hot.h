/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OMPI_MATCH_HOT_H
#define OMPI_MATCH_HOT_H

#include "ompi_match/match.h"

#include <stddef.h>
#include <string.h>

/* What sends, receives and probes share on the hot path. */

#define OMPI_MATCH_ANY_TAG_BITS 0x7fffffffU /* all but the sign */

static inline uint64_t ompi_match_bits(const struct ompi_communicator_t *comm, int tag)
{
    return (uint64_t)ompi_glue_context(comm) << 32 | (uint32_t)tag;
}

static inline int ompi_match_tag(uint64_t bits)
{
    return (int)(uint32_t)bits;
}

/* The endpoint of a process, or NULL if it has none yet. */
static inline struct ompi_match_endpoint *ompi_match_endpoint_now(const struct ompi_proc_t *proc)
{
    return (struct ompi_match_endpoint *)ompi_glue_mtl_slot(proc);
}

/* The endpoint of a rank, or NULL if it cannot be reached. */
static inline struct ompi_match_endpoint *ompi_match_endpoint_of(struct ompi_communicator_t *comm,
                                                                 int rank)
{
    struct ompi_proc_t *proc = ompi_comm_peer_lookup(comm, rank);
    struct ompi_match_endpoint *endpoint = ompi_match_endpoint_now(proc);

    return NI_LIKELY(endpoint != NULL) ? endpoint : ompi_match_connect(proc);
}

/* What a receive or probe of (source, tag) looks for. False if the source cannot be reached. */
static inline bool ompi_match_criteria(struct ompi_communicator_t *comm, int source, int tag,
                                       struct ni_me *me, struct ompi_match_endpoint **endpoint)
{
    *endpoint = NULL;
    if (source == MPI_ANY_SOURCE) {
        me->match_id = NI_INITIATOR_ANY;
    } else {
        *endpoint = ompi_match_endpoint_of(comm, source);
        if (NI_UNLIKELY(*endpoint == NULL)) {
            return false;
        }
        me->match_id = (*endpoint)->id;
    }
    if (tag == MPI_ANY_TAG) {
        me->match_bits = ompi_match_bits(comm, 0);
        me->ignore_bits = OMPI_MATCH_ANY_TAG_BITS;
    } else {
        me->match_bits = ompi_match_bits(comm, tag);
        me->ignore_bits = 0;
    }
    return true;
}

/* Source, tag and length of a message. The error is another matter: a probe leaves it alone. */
NI_ALWAYS_INLINE void ompi_match_set_status(struct ompi_status_public_t *status,
                                            const struct ni_event *event, uint64_t length)
{
    status->MPI_SOURCE = (int)(uint32_t)event->hdr_data;
    status->MPI_TAG = ompi_match_tag(event->match_bits);
    status->_ucount = length;
}

/* ---- out ------------------------------------------------------------------------------------- */

/* All of a message but its data. False if its destination cannot be reached, or is NULL. */
NI_ALWAYS_INLINE bool ompi_match_address_to(struct ompi_match_message *message,
                                            struct ompi_match_endpoint *to,
                                            struct ompi_communicator_t *comm, int tag,
                                            mca_pml_base_send_mode_t mode)
{
    message->to = to;
    if (NI_UNLIKELY(to == NULL)) {
        return false;
    }
    message->bits = ompi_match_bits(comm, tag);
    message->header = (uint32_t)ompi_comm_rank(comm);
    if (NI_UNLIKELY(mode == MCA_PML_BASE_SEND_READY)) {
        message->header |= (uint64_t)OMPI_MATCH_READY << 32;
    }
    message->packed = NULL;
    return true;
}

NI_ALWAYS_INLINE bool ompi_match_address(struct ompi_match_message *message,
                                         struct ompi_communicator_t *comm, int dest, int tag,
                                         mca_pml_base_send_mode_t mode)
{
    return ompi_match_address_to(message, ompi_match_endpoint_of(comm, dest), comm, tag, mode);
}

/* A short message that leaves at once, which most do; false: nothing has happened. */
NI_ALWAYS_INLINE bool ompi_match_put_short(const struct ompi_match_message *message,
                                           mca_pml_base_send_mode_t mode)
{
    return NI_LIKELY(mode != MCA_PML_BASE_SEND_SYNCHRONOUS && message->size <= NI_PUT_SHORT) &&
           NI_LIKELY(ni_put_short(message->to->peer, message->memory, message->size, OMPI_MATCH_PT,
                                  message->bits, message->header));
}

/*
 * NI_PTL_SENT: the data has left. NI_OK: an event follows. Anything else: an error, no event. A
 * synchronous send is over when the message has been matched: its event is the acknowledgement.
 * polls: the caller does until it is over.
 */
NI_ALWAYS_INLINE int ompi_match_put(const struct ompi_match_message *message,
                                    mca_pml_base_send_mode_t mode, bool polls, void *user_ptr)
{
    if (NI_LIKELY(mode != MCA_PML_BASE_SEND_SYNCHRONOUS)) {
        return ni_put(ompi_match.ni, &ompi_match.sends[polls], (uint64_t)(uintptr_t)message->memory,
                      message->size, NI_NO_ACK_REQ, message->to->peer, OMPI_MATCH_PT, message->bits,
                      0, user_ptr, message->header);
    }
    return ni_put(ompi_match.ni, &ompi_match.syncs[polls], (uint64_t)(uintptr_t)message->memory,
                  message->size, NI_ACK_REQ, message->to->peer, OMPI_MATCH_PT, message->bits, 0,
                  user_ptr, message->header | (uint64_t)OMPI_MATCH_SYNCHRONOUS << 32);
}

static inline void ompi_match_release(struct ompi_match_buffer *packed)
{
    if (NI_UNLIKELY(packed != NULL)) {
        ompi_match_buffer_put(packed);
    }
}

/* ---- in -------------------------------------------------------------------------------------- */

/* What each receive's entry is. */
enum { OMPI_MATCH_ENTRY = NI_ME_OP_PUT | NI_ME_USE_ONCE | NI_ME_EVENT_UNLINK_DISABLE };

/* Whether a receive that has just been posted comes too late to be told of a peer's end: it is for
 * that peer, or for a window of it. Others of any source still get what comes from the living.
 * from: NULL for any source. */
static inline bool ompi_match_is_too_late(const struct ompi_match_endpoint *from,
                                          struct ompi_communicator_t *comm,
                                          const struct ompi_request_t *user)
{
    if (NI_LIKELY(from != NULL)) {
        return NI_UNLIKELY(atomic_load_explicit(&from->down, memory_order_relaxed) != 0);
    }
    return NI_UNLIKELY(atomic_load_explicit(&ompi_match.lost, memory_order_relaxed)) &&
           ompi_glue_of_window(user) && ompi_match_misses_peer(comm);
}

/* The error of MPI with which a receive ends by its event. */
NI_ALWAYS_INLINE int ompi_match_received(const struct ni_event *event,
                                         const struct ompi_request_t *user)
{
    uint64_t how; /* type and failure in one look: 0, a message that was expected and has come */
    int error;

    _Static_assert(NI_EVENT_PUT == 0 && NI_NI_OK == 0 && offsetof(struct ni_event, type) == 0 &&
                       offsetof(struct ni_event, user_ptr) == sizeof(how),
                   "the two lie side by side, and are 0");
    memcpy(&how, event, sizeof(how));
    if (NI_UNLIKELY(how != 0)) {
        error = ompi_match_examine(event, user);
        if (error != MPI_SUCCESS) {
            return error;
        }
    }
    return NI_LIKELY(event->rlength <= event->mlength) ? MPI_SUCCESS : MPI_ERR_TRUNCATE;
}

#endif
