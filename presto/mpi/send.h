/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PRI_MPI_SEND_H
#define PRI_MPI_SEND_H

/* Starting messages of requests that exist: for persistent requests as well. */

#include "mpi/state.h"

/* The request's type, which it holds if it may go away before the message does. */
static inline void pri_request_type(struct pri_mpi_request *request, struct pri_type *type)
{
    request->type = type;
    if (NI_UNLIKELY(!type->predefined)) {
        pri_type_retain(type);
        request->held = true;
    }
}

/* Whether a buffered send of so many bytes exceeds what the application attached. */
bool pri_no_buffer(struct pri_mpi *mpi, size_t bytes);

/* 0, or an error of the core: nothing was started. */
int pri_send_start(struct pri_mpi_request *request, const void *buf, size_t count, int dest,
                   int tag, enum pri_mode mode);
int pri_recv_start(struct pri_mpi_request *request, void *buf, size_t count, int source, int tag);
/* The same for one that the program waits for: if it is from any source, it stays when a rank dies.
 */
int pri_recv_start_staying(struct pri_mpi_request *request, void *buf, size_t count, int source,
                           int tag);

#endif
