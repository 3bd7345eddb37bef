/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PRI_MPI_TOOL_COMMON_H
#define PRI_MPI_TOOL_COMMON_H

/*
 * The tool interface: parameters of the network interface (apeni_NAME) and of collective operations
 * (presto_coll_NAME) are control variables, statistics of the network interface (apeni_NAME)
 * performance variables. None is bound to an object, and their numbers never change.
 *
 * Threads: all functions may be called by any thread at any time, but for a handle or session that
 * another frees.
 */

#include <apeni/param.h>

#include "mpi/state.h"

/* Whether MPI_T_init_thread has been called more often than MPI_T_finalize. */
bool pri_tool_ready(void);

/* A text as these functions return it. */
void pri_tool_text(const char *text, char *to, int *length);

/* An int as a result that may be NULL. */
static inline void pri_tool_int(int value, int *to)
{
    if (to != NULL) {
        *to = value;
    }
}

/* Control variables: those of the network interface, then those of collective operations. */
int pri_tool_controls(void);    /* of both */
int pri_tool_ni_controls(void); /* of the first kind */
/* The full name. */
void pri_tool_control_name(int index, char *name, size_t size);
int pri_tool_variables(void);

#endif
