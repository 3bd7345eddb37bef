/* SPDX-License-Identifier: BSD-3-Clause */
/* Buffered sends: over for the program when they begin, with a copy in the buffer that it attached.
 */
#include <string.h>

#include "pml_match/pml_match_hot.h"

void pml_match_release_copy(struct pml_match_request *request)
{
    (void)mca_pml_base_bsend_request_free(request->copy);
    request->copy = NULL;
}

/* The bytes, in the program's buffer. NULL if there is no room in it. */
static void *make_copy(const struct ompi_match_message *message, struct opal_convertor_t *convertor)
{
    void *copy = mca_pml_base_bsend_request_alloc_buf(message->size);

    if (copy == NULL) {
        return NULL;
    }
    if (convertor == NULL) {
        memcpy(copy, message->memory, message->size);
    } else {
        struct iovec iov = {.iov_base = (IOVBASE_TYPE *)copy, .iov_len = message->size};
        uint32_t count = 1;
        size_t packed = message->size;

        (void)opal_convertor_pack(convertor, &iov, &count, &packed);
    }
    return copy;
}

/*
 * The put has a request of its own, which is freed before it is started, so that its end gives it
 * back. What the program has is another one, which nobody touches after it is complete.
 */
int pml_match_send_buffered(struct ompi_match_message *message, struct opal_convertor_t *convertor,
                            struct ompi_communicator_t *comm)
{
    struct pml_match_request *request = pml_match_request_get(&pml_match_sends, comm);
    int rc;

    if (NI_UNLIKELY(request == NULL)) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    atomic_store_explicit(&request->ends, PML_MATCH_FREED, memory_order_relaxed);
    if (message->size > 0) {
        request->copy = make_copy(message, convertor);
        if (request->copy == NULL) {
            pml_match_give_back(request);
            return OMPI_ERR_BUFFER;
        }
        message->memory = request->copy;
    }
    rc = ompi_match_put(message, MCA_PML_BASE_SEND_BUFFERED, false, request);
    if (rc == NI_OK) {
        return OMPI_SUCCESS;
    }
    if (request->copy != NULL) {
        pml_match_release_copy(request);
    }
    pml_match_give_back(request);
    return rc == NI_PTL_SENT ? OMPI_SUCCESS : ompi_match_error(rc, message->bits, NULL);
}

int pml_match_bsend(struct ompi_match_message *message, const void *buffer, size_t count,
                    struct ompi_datatype_t *datatype, bool in_one_piece,
                    struct ompi_communicator_t *comm)
{
    opal_convertor_t convertor;
    int rc;

    if (in_one_piece) {
        return pml_match_send_buffered(message, NULL, comm);
    }
    OBJ_CONSTRUCT(&convertor, opal_convertor_t);
    ompi_glue_describe_send(&convertor, datatype, count, buffer);
    rc = pml_match_send_buffered(message, &convertor, comm);
    OBJ_DESTRUCT(&convertor);
    return rc;
}
