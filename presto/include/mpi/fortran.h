/* SPDX-License-Identifier: BSD-3-Clause */
/* Part of mpi.h: handles as integers, for programs that keep them in Fortran's variables or in
 * files of their own. Each rank has its own numbers; the same handle always has the same one. */
#ifndef PRESTO_MPI_FORTRAN_H
#define PRESTO_MPI_FORTRAN_H

#define MPI_F_STATUS_SIZE 6
/* Where Fortran's MPI_STATUS_IGNORE and MPI_STATUSES_IGNORE are in a program that has parts in
 * Fortran. */
extern MPI_Fint *presto_f_status_ignore, *presto_f_statuses_ignore;
#define MPI_F_STATUS_IGNORE   presto_f_status_ignore
#define MPI_F_STATUSES_IGNORE presto_f_statuses_ignore

/* A status of module mpi_f08: the same integers. */
typedef struct {
    MPI_Fint MPI_SOURCE, MPI_TAG, MPI_ERROR;
    MPI_Fint presto_rest[MPI_F_STATUS_SIZE - 3];
} MPI_F08_status;
#define MPI_F08_STATUS_IGNORE   ((MPI_F08_status *)presto_f_status_ignore)
#define MPI_F08_STATUSES_IGNORE ((MPI_F08_status *)presto_f_statuses_ignore)

PRESTO_FN(MPI_Fint, Comm_c2f, (MPI_Comm comm));
PRESTO_FN(MPI_Comm, Comm_f2c, (MPI_Fint number));
PRESTO_FN(MPI_Fint, Errhandler_c2f, (MPI_Errhandler errhandler));
PRESTO_FN(MPI_Errhandler, Errhandler_f2c, (MPI_Fint number));
PRESTO_FN(MPI_Fint, Group_c2f, (MPI_Group group));
PRESTO_FN(MPI_Group, Group_f2c, (MPI_Fint number));
PRESTO_FN(MPI_Fint, Info_c2f, (MPI_Info info));
PRESTO_FN(MPI_Info, Info_f2c, (MPI_Fint number));
PRESTO_FN(MPI_Fint, Message_c2f, (MPI_Message message));
PRESTO_FN(MPI_Message, Message_f2c, (MPI_Fint number));
PRESTO_FN(MPI_Fint, Op_c2f, (MPI_Op op));
PRESTO_FN(MPI_Op, Op_f2c, (MPI_Fint number));
PRESTO_FN(MPI_Fint, Request_c2f, (MPI_Request request));
PRESTO_FN(MPI_Request, Request_f2c, (MPI_Fint number));
PRESTO_FN(MPI_Fint, Type_c2f, (MPI_Datatype type));
PRESTO_FN(MPI_Datatype, Type_f2c, (MPI_Fint number));
PRESTO_FN(MPI_Fint, Win_c2f, (MPI_Win win));
PRESTO_FN(MPI_Win, Win_f2c, (MPI_Fint number));
/* All of a status, as integers. */
PRESTO_FN(int, Status_c2f, (const MPI_Status *status, MPI_Fint *numbers));
PRESTO_FN(int, Status_f2c, (const MPI_Fint *numbers, MPI_Status *status));
PRESTO_FN(int, Status_c2f08, (const MPI_Status *status, MPI_F08_status *f08));
PRESTO_FN(int, Status_f082c, (const MPI_F08_status *f08, MPI_Status *status));
PRESTO_FN(int, Status_f082f, (const MPI_F08_status *f08, MPI_Fint *numbers));
PRESTO_FN(int, Status_f2f08, (const MPI_Fint *numbers, MPI_F08_status *f08));

#endif
