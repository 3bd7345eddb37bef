/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PRI_MPI_WIN_H
#define PRI_MPI_WIN_H

/* Windows as MPI has them: one of rma/, with a communicator of its own and what an application
 * hangs on it. */

#include "mpi/state.h"
#include "rma/rma.h"

enum { PRI_WIN_MAGIC = 0x57494e44 };

struct pri_win {
    uint32_t magic; /* PRI_WIN_MAGIC while the handle is valid */
    int size;       /* ranks */
    struct pri_rma rma;
    struct pri_comm *comm; /* of its own: a copy of the application's, with no attributes */
    struct pri_errhandler *errhandler;
    struct pri_attr *attributes;
    struct pri_info *info;
    MPI_Aint bytes; /* the values of MPI_WIN_SIZE and so on */
    int unit, flavor, model;
    char name[MPI_MAX_OBJECT_NAME];
};

static inline bool pri_win_ok(MPI_Win win)
{
    return NI_LIKELY(win != NULL && win->magic == PRI_WIN_MAGIC);
}

/* As pri_fail; win may be NULL or invalid: then MPI_COMM_WORLD's handler is called. */
int pri_win_fail(MPI_Win win, const char *function, int code);

static inline int pri_win_result(MPI_Win win, const char *function, int error)
{
    return NI_LIKELY(error == 0) ? MPI_SUCCESS : pri_win_fail(win, function, pri_mpi_code(error));
}

#endif
