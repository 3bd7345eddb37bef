/* SPDX-License-Identifier: BSD-3-Clause */
/* Puts of nobody's request: of a blocking send that has to wait, and of bytes in a buffer. */
#include "ompi_match/hot.h"

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

    /* acquire, with the release in ompi_match_on_sent: the core has done with the buffer */
    while ((error = atomic_load_explicit(&waiter->error, memory_order_acquire)) == PENDING) {
        opal_progress();
    }
    return error;
}

int ompi_match_send(const struct ompi_match_message *message, mca_pml_base_send_mode_t mode)
{
    struct waiter waiter;
    int rc;

    atomic_init(&waiter.error, PENDING);
    rc = ompi_match_put(message, mode, true, tagged(&waiter));
    if (NI_LIKELY(rc == NI_PTL_SENT)) {
        rc = OMPI_SUCCESS;
    } else if (rc == NI_OK) {
        rc = wait_for(&waiter);
    } else {
        rc = ompi_match_error(rc, message->bits, NULL);
    }
    ompi_match_release(message->packed);
    return rc;
}

/* user_ptr of a put of a buffer: its address with the second lowest bit set. */
static void *unowned(struct ompi_match_buffer *buffer)
{
    return (void *)((uintptr_t)buffer | 2);
}

int ompi_match_send_buffer(struct ompi_match_message *message, struct ompi_match_buffer *buffer)
{
    int rc;

    message->memory = buffer->data;
    rc = ompi_match_put(message, MCA_PML_BASE_SEND_BUFFERED, false, unowned(buffer));
    if (rc != NI_OK) {
        ompi_match_buffer_put(buffer);
    }
    return rc == NI_PTL_SENT ? NI_OK : rc;
}

bool ompi_match_on_sent(const struct ni_event *event)
{
    uintptr_t user = (uintptr_t)event->user_ptr;

    if ((user & 2) != 0) {
        (void)ompi_match_failure(event, NULL);
        ompi_match_buffer_put((struct ompi_match_buffer *)(user & ~(uintptr_t)2));
    } else if ((user & 1) != 0) {
        struct waiter *waiter = (struct waiter *)(user & ~(uintptr_t)1);

        /* release, see wait_for; the waiter may be gone after it */
        atomic_store_explicit(&waiter->error, ompi_match_failure(event, NULL),
                              memory_order_release);
    }
    return (user & 3) != 0;
}
