/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PRI_MPI_REQUEST_H
#define PRI_MPI_REQUEST_H

/* Where requests come from: a list of what a rank has given back, last in, first out. With
 * PRI_THREAD_MULTIPLE there is none: malloc has one for each thread. */

#include <stdlib.h>

#include "mpi/state.h"

#if NI_ASAN
#include <sanitizer/asan_interface.h>
#endif

/* What the application must not touch any more: all but the link of the list. */
static inline void pri_request_poison(struct pri_mpi_request *request)
{
#if NI_ASAN
    ASAN_POISON_MEMORY_REGION(request, offsetof(struct pri_mpi_request, next));
#else
    (void)request;
#endif
}

static inline void pri_request_unpoison(struct pri_mpi_request *request)
{
#if NI_ASAN
    ASAN_UNPOISON_MEMORY_REGION(request, offsetof(struct pri_mpi_request, next));
#else
    (void)request;
#endif
}

/* A request for the communicator, which it holds; NULL when memory is short. */
static inline struct pri_mpi_request *pri_request_new(struct pri_comm *comm, enum pri_mpi_kind kind)
{
    struct pri_mpi *mpi = comm->mpi;
    struct pri_mpi_request *request = mpi->requests;
    if (NI_LIKELY(request != NULL)) {
        pri_request_unpoison(request);
        mpi->requests = request->next;
    } else if ((request = malloc(sizeof(*request))) == NULL) {
        return NULL;
    }
    request->kind = kind;
    request->persistent = false;
    request->active = true;
    request->held = false;
    request->finish = NULL;
    request->comm = comm;
    pri_comm_retain(comm);
    return request;
}

/* What a persistent collective operation holds. */
void pri_call_free(struct pri_call *call);

/* It goes, with what it holds. */
static inline void pri_request_end(struct pri_mpi_request *request)
{
    struct pri_mpi *mpi = request->comm->mpi;
    if (NI_UNLIKELY(request->held)) {
        if (request->kind == PRI_MPI_PERSISTENT) {
            pri_call_free(request->call);
        } else {
            pri_type_release(request->type);
        }
    }
    pri_comm_release(request->comm);
    if (NI_UNLIKELY(mpi->self->threads)) {
        free(request);
        return;
    }
    request->next = mpi->requests;
    mpi->requests = request;
    pri_request_poison(request);
}

/* Frees those in the list. */
void pri_requests_free(struct pri_mpi *mpi);

#endif
