/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OMPI_GLUE_DRAIN_H
#define OMPI_GLUE_DRAIN_H

/*
 * Wait until the progress thread of Open MPI's runtime has run the callbacks that are queued for
 * it. To be called in MPI_Finalize, by the program's thread. Open MPI 4.1 unloads its PMIx
 * component before it stops that thread; MPI_Init queues an event for it whose callback is code of
 * that component, and on a busy host the thread may not have been given a core until then. Does
 * nothing where no thread serves the queue.
 */
void ompi_glue_drain(void);

#endif
