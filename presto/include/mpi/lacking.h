/* SPDX-License-Identifier: BSD-3-Clause */
/* Part of mpi.h: types and constants of what Presto does not have, so that the first thing that a
 * compiler says of a program that needs it is the name of a function (missing.h). No object of
 * these types exists. */
#ifndef PRESTO_MPI_LACKING_H
#define PRESTO_MPI_LACKING_H

/* ---- sessions ---- */

typedef struct presto_session *MPI_Session;

#define MPI_SESSION_NULL ((MPI_Session)0)

/* ---- how MPI 1 made datatypes ---- */

#define MPI_COMBINER_HVECTOR_INTEGER  16
#define MPI_COMBINER_HINDEXED_INTEGER 17
#define MPI_COMBINER_STRUCT_INTEGER   18

#endif
