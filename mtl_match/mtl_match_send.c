/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages out. */
#include <stddef.h>

#include "mtl_match/mtl_match_hot.h"

/* ---- the put --------------------------------------------------------------------------------- */

/* What is to be sent, and where. */
struct message {
    struct ompi_mtl_match_endpoint *to;
    const void *memory;
    size_t size;
    struct ompi_mtl_match_buffer *packed; /* NULL: memory is the user's */
    uint64_t bits;
    uint64_t header;
};

/* Find peer and data. The data is packed if it is not contiguous. request: NULL if it blocks. */
NI_ALWAYS_INLINE int prepare(struct message *message, struct ompi_communicator_t *comm, int dest,
                             int tag, struct opal_convertor_t *convertor,
                             mca_pml_base_send_mode_t mode,
                             const struct ompi_mtl_match_request *request)
{
    message->to = ompi_mtl_match_endpoint_of(comm, dest);
    if (NI_UNLIKELY(message->to == NULL)) {
        return OMPI_ERR_UNREACH;
    }
    message->bits = ompi_mtl_match_bits(comm, tag);
    message->header = (uint32_t)ompi_comm_rank(comm);
    if (NI_UNLIKELY(mode == MCA_PML_BASE_SEND_READY)) {
        message->header |= (uint64_t)OMPI_MTL_MATCH_READY << 32;
    }
    message->packed = NULL;
    if (NI_LIKELY(ompi_glue_send_memory(convertor, &message->memory, &message->size))) {
        return OMPI_SUCCESS;
    }
    message->packed = ompi_mtl_match_pack(convertor, message->size);
    if (message->packed == NULL) {
        return ompi_mtl_match_no_memory(message->bits, request);
    }
    message->memory = message->packed->data;
    return OMPI_SUCCESS;
}

/* A short message that leaves at once, which most do; false: nothing has happened. */
NI_ALWAYS_INLINE bool put_short(const struct message *message, mca_pml_base_send_mode_t mode)
{
    return NI_LIKELY(mode != MCA_PML_BASE_SEND_SYNCHRONOUS && message->size <= NI_PUT_SHORT) &&
           NI_LIKELY(ni_put_short(message->to->peer, message->memory, message->size,
                                  OMPI_MTL_MATCH_PT, message->bits, message->header));
}

/*
 * NI_PTL_SENT: the data has left. NI_OK: an event follows. Anything else: an error, no event. A
 * synchronous send is over when the message has been matched: its event is the acknowledgement.
 * polls: the caller does until it is over.
 */
NI_ALWAYS_INLINE int put(struct ompi_mtl_match_module *module, const struct message *message,
                         mca_pml_base_send_mode_t mode, bool polls, void *user_ptr)
{
    if (NI_LIKELY(mode != MCA_PML_BASE_SEND_SYNCHRONOUS)) {
        return ni_put(module->ni, &module->sends[polls], (uint64_t)(uintptr_t)message->memory,
                      message->size, NI_NO_ACK_REQ, message->to->peer, OMPI_MTL_MATCH_PT,
                      message->bits, 0, user_ptr, message->header);
    }
    return ni_put(module->ni, &module->syncs[polls], (uint64_t)(uintptr_t)message->memory,
                  message->size, NI_ACK_REQ, message->to->peer, OMPI_MTL_MATCH_PT, message->bits, 0,
                  user_ptr, message->header | (uint64_t)OMPI_MTL_MATCH_SYNCHRONOUS << 32);
}

static inline void release(struct ompi_mtl_match_buffer *packed)
{
    if (NI_UNLIKELY(packed != NULL)) {
        ompi_mtl_match_buffer_put(packed);
    }
}

/* ---- isend ----------------------------------------------------------------------------------- */

static inline void complete(struct ompi_mtl_match_request *request, int error)
{
    release(request->packed);
    request->super.ompi_req->req_status.MPI_ERROR = error;
    ompi_mtl_match_complete(request);
}

/* A put of nobody's: its data is in a buffer, which the event gives back. user_ptr is the buffer's
 * address with the second lowest bit set. */
static void *unowned(struct ompi_mtl_match_buffer *buffer)
{
    return (void *)((uintptr_t)buffer | 2);
}

/*
 * A buffered send that may be started again: pml cm would send the bytes of its copy again, which
 * it has freed, or count them as elements if this one is still under way. So it is over at once,
 * with a copy of ours, and its convertor describes the user's data anew.
 */
static NI_COLD int isend_again(struct ompi_mtl_match_module *module, struct message *message,
                               struct opal_convertor_t *convertor,
                               struct ompi_mtl_match_request *request, int dest, int tag)
{
    struct ompi_mtl_match_buffer *copy = ompi_mtl_match_pack(convertor, message->size);
    int rc;

    if (copy == NULL) {
        return ompi_mtl_match_no_memory(message->bits, request);
    }
    message->memory = copy->data;
    rc = put(module, message, MCA_PML_BASE_SEND_BUFFERED, false, unowned(copy));
    if (rc != NI_OK) {
        ompi_mtl_match_buffer_put(copy);
    }
    if (rc != NI_OK && rc != NI_PTL_SENT) {
        return ompi_mtl_match_error(rc, message->bits, request);
    }
    ompi_glue_renew_buffered(&request->super, convertor, dest, tag);
    complete(request, MPI_SUCCESS);
    return OMPI_SUCCESS;
}

/* Other threads may complete and free the request. One of a buffered send is complete before that:
 * pml cm would do so after it was started, when another thread may do so, too. */
static NI_NOINLINE void share(struct ompi_mtl_match_request *request, mca_pml_base_send_mode_t mode)
{
    struct ompi_request_t *user = request->super.ompi_req;

    request->buffered = mode == MCA_PML_BASE_SEND_BUFFERED;
    ompi_mtl_match_share(request);
    if (request->buffered) {
        user->req_status.MPI_ERROR = MPI_SUCCESS;
        (void)ompi_request_complete(user, true);
    }
}

int ompi_mtl_match_isend(struct mca_mtl_base_module_t *mtl, struct ompi_communicator_t *comm,
                         int dest, int tag, struct opal_convertor_t *convertor,
                         mca_pml_base_send_mode_t mode, bool blocking,
                         mca_mtl_request_t *mtl_request)
{
    struct ompi_mtl_match_module *module = (struct ompi_mtl_match_module *)mtl;
    struct ompi_mtl_match_request *request = (struct ompi_mtl_match_request *)mtl_request;
    struct message message;
    int rc = prepare(&message, comm, dest, tag, convertor, mode, request);

    (void)blocking;
    if (NI_UNLIKELY(rc != OMPI_SUCCESS)) {
        return rc;
    }
    request->kind = OMPI_MTL_MATCH_SEND;
    request->shared = false;
    request->packed = message.packed;
    if (NI_UNLIKELY(mode == MCA_PML_BASE_SEND_BUFFERED) && message.size > 0 &&
        request->super.ompi_req->req_persistent) {
        return isend_again(module, &message, convertor, request, dest, tag);
    }
    if (put_short(&message, mode)) {
        rc = NI_PTL_SENT;
    } else {
        if (NI_UNLIKELY(module->threads)) {
            share(request, mode);
        }
        rc = put(module, &message, mode, false, request);
    }
    if (NI_LIKELY(rc == NI_PTL_SENT)) {
        complete(request, MPI_SUCCESS);
        return OMPI_SUCCESS;
    }
    if (NI_UNLIKELY(rc != NI_OK)) {
        release(message.packed);
        request->shared = false;
    }
    return ompi_mtl_match_error(rc, message.bits, request);
}

/* ---- send ------------------------------------------------------------------------------------ */

/*
 * A blocking send that has to wait. user_ptr of its put is the address of this with the lowest bit
 * set, which tells it from a request.
 */
struct waiter {
    _Atomic int error; /* PENDING, then that of MPI */
};
enum { PENDING = -1 };

static void *tagged(struct waiter *waiter)
{
    return (void *)((uintptr_t)waiter | 1);
}

static NI_COLD int wait_for(struct waiter *waiter)
{
    int error;

    /* acquire, with the release in ompi_mtl_match_on_sent: the core has done with the buffer */
    while ((error = atomic_load_explicit(&waiter->error, memory_order_acquire)) == PENDING) {
        opal_progress();
    }
    return error;
}

/* All but the fastest. */
static NI_NOINLINE int send_otherwise(struct ompi_mtl_match_module *module,
                                      const struct message *message, mca_pml_base_send_mode_t mode)
{
    struct waiter waiter;
    int rc;

    atomic_init(&waiter.error, PENDING);
    rc = put(module, message, mode, true, tagged(&waiter));
    if (NI_LIKELY(rc == NI_PTL_SENT)) {
        rc = OMPI_SUCCESS;
    } else if (rc == NI_OK) {
        rc = wait_for(&waiter);
    } else {
        rc = ompi_mtl_match_error(rc, message->bits, NULL);
    }
    release(message->packed);
    return rc;
}

int ompi_mtl_match_send(struct mca_mtl_base_module_t *mtl, struct ompi_communicator_t *comm,
                        int dest, int tag, struct opal_convertor_t *convertor,
                        mca_pml_base_send_mode_t mode)
{
    struct message message, in_memory;
    int rc = prepare(&message, comm, dest, tag, convertor, mode, NULL);

    if (NI_UNLIKELY(rc != OMPI_SUCCESS)) {
        return rc;
    }
    if (NI_LIKELY(message.packed == NULL && put_short(&message, mode))) {
        return OMPI_SUCCESS;
    }
    in_memory = message; /* What is known of a short one stays in registers. */
    return send_otherwise((struct ompi_mtl_match_module *)mtl, &in_memory, mode);
}

/* ---- events ---------------------------------------------------------------------------------- */

/* The one event of a put that was not over when it returned: SEND, or ACK of a synchronous one. */
void ompi_mtl_match_on_sent(void *arg, const struct ni_event *event)
{
    uintptr_t user = (uintptr_t)event->user_ptr;

    (void)arg;
    if ((user & 2) != 0) {
        (void)ompi_mtl_match_failure(event, NULL);
        ompi_mtl_match_buffer_put((struct ompi_mtl_match_buffer *)(user & ~(uintptr_t)2));
    } else if ((user & 1) != 0) {
        struct waiter *waiter = (struct waiter *)(user & ~(uintptr_t)1);

        /* release, see wait_for; the waiter may be gone after it */
        atomic_store_explicit(&waiter->error, ompi_mtl_match_failure(event, NULL),
                              memory_order_release);
    } else {
        struct ompi_mtl_match_request *request = (struct ompi_mtl_match_request *)user;

        complete(request, ompi_mtl_match_failure(event, request));
    }
}
