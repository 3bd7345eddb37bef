/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PRI_MPI_COUNT_H
#define PRI_MPI_COUNT_H

/* Numbers of elements and displacements as an application gives them. The sources whose functions
 * take some are compiled twice: as they are, and with PRI_LARGE for the functions with large counts
 * (MPI_Send_c and its kin), for which mpi/as_large.h gives each function the name of its large
 * form. What a source has besides is left out the second time. */

#include <limits.h>

#include "include/mpi.h"

#ifdef PRI_LARGE
#include "mpi/as_large.h"
#define PRI_ALIAS(name) PRI_ALIAS_OF(name##_c)
typedef MPI_Count pri_count;
typedef MPI_Count pri_distance; /* sizes and displacements in memory, which else are addresses */
typedef MPI_Aint pri_disp;      /* displacements in elements */
#define PRI_COUNT_MAX LLONG_MAX
#else
#define PRI_ALIAS(name) PRI_ALIAS_OF(name)
typedef int pri_count;
typedef MPI_Aint pri_distance;
typedef int pri_disp;
#define PRI_COUNT_MAX   INT_MAX
#endif

/* The arguments of messages. */
#ifdef PRI_LARGE
#undef PRESTO_SEND_ARGS
#undef PRESTO_RECV_ARGS
#define PRESTO_SEND_ARGS \
    const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm
#define PRESTO_RECV_ARGS \
    void *buf, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm
#endif

/* PMPI_x, which is MPI_x under another name. */
#define PRI_ALIAS_OF(name)                                  \
    extern __typeof__(presto_MPI_##name) presto_PMPI_##name \
        __attribute__((alias("presto_MPI_" #name)))

/* A size as a result, where it may be too large for it. */
static inline pri_count pri_count_of(size_t n)
{
    return n > (size_t)PRI_COUNT_MAX ? MPI_UNDEFINED : (pri_count)n;
}

#endif
