/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OMPI_GLUE_MTL_H
#define OMPI_GLUE_MTL_H

/*
 * What an MTL needs of Open MPI beyond ompi_glue.h.
 *
 *   name                   4.1                                   5.0
 *   ompi_glue_context      c_contextid                           c_index
 *   OMPI_GLUE_MTL_INIT     (bool, bool)                          (bool, bool, bool *)
 *   ompi_glue_send_memory  contiguous sends come half prepared   the same, another field
 */

#include <string.h>

#include "ompi_glue/ompi_glue.h"

#include "ompi_config.h"

#include "ompi/communicator/communicator.h"
#include "ompi/constants.h"
#include "ompi/datatype/ompi_datatype.h"
#include "ompi/group/group.h"
#include "ompi/mca/mtl/base/base.h"
#include "ompi/mca/mtl/mtl.h"
#include "ompi/mca/pml/base/pml_base_request.h"
#include "ompi/mca/pml/pml_constants.h"
#include "ompi/message/message.h"
#include "ompi/proc/proc.h"
#include "ompi/request/request.h"

#if OMPI_MAJOR_VERSION >= 5
#define OMPI_GLUE_MTL_INIT(name) name(bool progress_threads, bool mpi_threads, bool *accelerator)

#define OMPI_GLUE_MTL_NO_ACCELERATOR() (*accelerator = false)
#else
#define OMPI_GLUE_MTL_INIT(name) name(bool progress_threads, bool mpi_threads)

#define OMPI_GLUE_MTL_NO_ACCELERATOR() ((void)0)
#endif

/* What tells one communicator's messages from another's; the same number in all its processes. */
static inline uint32_t ompi_glue_context(const struct ompi_communicator_t *comm)
{
#if OMPI_MAJOR_VERSION >= 5
    return comm->c_index;
#else
    return comm->c_contextid;
#endif
}

/* For tests: a communicator that only has a context. */
static inline void ompi_glue_make_context(struct ompi_communicator_t *comm, uint32_t context)
{
    memset(comm, 0, sizeof(*comm));
#if OMPI_MAJOR_VERSION >= 5
    comm->c_index = context;
#else
    comm->c_contextid = context;
#endif
}

/* The word that a proc keeps for MTLs. */
static inline void *ompi_glue_mtl_slot(const struct ompi_proc_t *proc)
{
    return proc->proc_endpoints[OMPI_PROC_ENDPOINT_TAG_MTL];
}

static inline void ompi_glue_set_mtl_slot(struct ompi_proc_t *proc, void *value)
{
    proc->proc_endpoints[OMPI_PROC_ENDPOINT_TAG_MTL] = value;
}

/*
 * Where the data of a send is and how long it is, if it lies in one piece; false if it must be
 * packed, with the length all the same. pml cm prepares the convertor of a contiguous send only in
 * part: it has added the datatype's true lower bound to the address already, and has not set
 * CONVERTOR_SEND.
 */
static inline bool ompi_glue_send_memory(const struct opal_convertor_t *convertor,
                                         const void **memory, size_t *size)
{
    void *start = NULL;

    if (OPAL_LIKELY((convertor->flags & (CONVERTOR_SEND | CONVERTOR_COMPLETED)) == 0)) {
        *size = convertor->local_size;
        *memory = convertor->pBaseBuf;
        return true;
    }
    opal_convertor_get_packed_size(convertor, size);
    *memory = NULL;
    if (*size == 0) {
        return true;
    }
    if (opal_convertor_need_buffers(convertor)) {
        return false;
    }
    opal_convertor_get_current_pointer(convertor, &start);
    *memory = start;
    return true;
}

/* The same for a receive, whose convertor is always prepared. */
static inline bool ompi_glue_recv_memory(const struct opal_convertor_t *convertor, void **memory,
                                         size_t *size)
{
    enum { IN_ONE_PIECE = CONVERTOR_HOMOGENEOUS | OPAL_DATATYPE_FLAG_NO_GAPS };

    /* What the calls below come to for most receives. */
    if (OPAL_LIKELY((convertor->flags & (IN_ONE_PIECE | CONVERTOR_CUDA | CONVERTOR_CUDA_UNIFIED)) ==
                    IN_ONE_PIECE)) {
        *size = convertor->local_size;
        opal_convertor_get_current_pointer(convertor, memory);
        return true;
    }
    opal_convertor_get_packed_size(convertor, size);
    *memory = NULL;
    if (OPAL_UNLIKELY(*size == 0)) {
        return true;
    }
    if (OPAL_UNLIKELY(opal_convertor_need_buffers(convertor))) {
        return false;
    }
    opal_convertor_get_current_pointer(convertor, memory);
    return true;
}

/* Where count elements at buffer are and how long they are, if they lie in one piece; false if a
 * convertor has to pack or unpack them, with the length all the same. No convertor is needed for
 * this. */
static inline bool ompi_glue_in_one_piece(const struct ompi_datatype_t *datatype, size_t count,
                                          const void *buffer, void **memory, size_t *size)
{
    const opal_datatype_t *type = &datatype->super;
    unsigned in_one_piece =
        type->flags & (OPAL_DATATYPE_FLAG_CONTIGUOUS | OPAL_DATATYPE_FLAG_NO_GAPS);

    *size = count * type->size;
    *memory = (char *)(uintptr_t)buffer + type->true_lb;
#if OPAL_CUDA_SUPPORT
    return *size == 0; /* the convertor knows in whose memory they are */
#endif
    if (OPAL_LIKELY(in_one_piece == (OPAL_DATATYPE_FLAG_CONTIGUOUS | OPAL_DATATYPE_FLAG_NO_GAPS))) {
        return true;
    }
    return *size == 0 || (count == 1 && (in_one_piece & OPAL_DATATYPE_FLAG_CONTIGUOUS) != 0);
}

/* Prepare a convertor for what does not lie in one piece, from its beginning. It is to be cleaned
 * up by opal_convertor_cleanup. */
static inline void ompi_glue_describe_send(opal_convertor_t *convertor,
                                           const struct ompi_datatype_t *datatype, size_t count,
                                           const void *buffer)
{
    (void)opal_convertor_copy_and_prepare_for_send(ompi_mpi_local_convertor, &datatype->super,
                                                   count, buffer, 0, convertor);
}

static inline void ompi_glue_describe_recv(opal_convertor_t *convertor,
                                           const struct ompi_datatype_t *datatype, size_t count,
                                           void *buffer)
{
    (void)opal_convertor_copy_and_prepare_for_recv(ompi_mpi_local_convertor, &datatype->super,
                                                   count, buffer, 0, convertor);
}

/* Whether the caller of a receive does nothing but wait for it: pml cm has the convertor of
 * MPI_Recv apart from its request; that of a receive which is waited for later lies in it, between
 * the request's two parts. */
static inline bool ompi_glue_recv_waits(const struct mca_mtl_request_t *mtl_request,
                                        const struct opal_convertor_t *convertor)
{
    uintptr_t at = (uintptr_t)convertor;

    return at < (uintptr_t)mtl_request->ompi_req || at > (uintptr_t)mtl_request;
}

/* A word of each request of the pml for us: as an item of a free list it has a pointer to its
 * payload, and that list has none. */
static inline void ompi_glue_set_payload(struct ompi_request_t *request, void *value)
{
    request->super.ptr = value;
}

static inline void *ompi_glue_payload(const struct ompi_request_t *request)
{
    return request->super.ptr;
}

/* The pml has done with a request: it may be freed and, if it is persistent, started again. pml cm
 * does the same when it is told that one is complete. */
static inline void ompi_glue_pml_over(struct ompi_request_t *request)
{
    mca_pml_base_request_t *base = (mca_pml_base_request_t *)request;

    if (request->req_persistent) {
        size_t start = 0;

        (void)opal_convertor_set_position(&base->req_convertor, &start);
    }
    base->req_pml_complete = true;
}

/* A persistent buffered send that has been started and was sent: its convertor describes the copy
 * that pml cm made. Have it describe the user's data again, for the next start. Without effect
 * where pml cm's request is not what it is in the version that this was compiled for. */
void ompi_glue_renew_buffered(const struct mca_mtl_request_t *mtl_request,
                              struct opal_convertor_t *convertor, int peer, int tag);

/* Compare what the running Open MPI says of itself with what the MTL was compiled for, see
 * check.h. */
bool ompi_glue_check_mtl(char *reason, size_t reason_size);

/* Whether a request of the pml is of a window: osc/pt2pt has a callback for its end, which is code
 * of that component, or of libmpi where components are part of it. Thread-safe. */
bool ompi_glue_of_window(const struct ompi_request_t *request);

/* Whether a process is one of those with which the communicator exchanges messages. */
bool ompi_glue_has_peer(struct ompi_communicator_t *comm, const struct ompi_proc_t *proc);

#endif
