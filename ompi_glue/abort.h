/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OMPI_GLUE_ABORT_H
#define OMPI_GLUE_ABORT_H

#include "ompi_glue/pml.h"

#if OMPI_MAJOR_VERSION < 5
#include "orte/mca/ess/ess.h"
#endif

/* What ends the job; it does not return. */
typedef void (*ompi_glue_abort_fn_t)(int status, bool report);

/* Have `end_job` called where Open MPI ends the job: by MPI_Abort, or for an error that is fatal.
 * Returns what was called until now, NULL in an Open MPI that has no such place. */
static inline ompi_glue_abort_fn_t ompi_glue_exchange_abort(ompi_glue_abort_fn_t end_job)
{
#if OMPI_MAJOR_VERSION < 5
    ompi_glue_abort_fn_t before = orte_ess.abort;

    orte_ess.abort = end_job;
    return before;
#else
    (void)end_job;
    return NULL;
#endif
}

#endif
