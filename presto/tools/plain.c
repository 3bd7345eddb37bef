/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A few of MPI's functions under their plain names, for programs that declare them without mpi.h: those by which configure scripts
 * find out whether there is an MPI (AC_SEARCH_LIBS, AC_CHECK_FUNC). They take no handles. All others have no plain name, so
 * that an object that was compiled against another MPI's header does not link, instead of being misunderstood. It is an
 * archive: a program that has these names from elsewhere, or needs none, takes nothing of it.
 */
#include "include/mpi.h"

#undef MPI_Init
#undef MPI_Init_thread
#undef MPI_Initialized
#undef MPI_Finalize
#undef MPI_Finalized
#undef MPI_Get_version
#undef MPI_Wtime

int MPI_Init(int *argc, char ***argv);
int MPI_Init_thread(int *argc, char ***argv, int required, int *provided);
int MPI_Initialized(int *flag);
int MPI_Finalize(void);
int MPI_Finalized(int *flag);
int MPI_Get_version(int *version, int *subversion);
double MPI_Wtime(void);

int MPI_Init(int *argc, char ***argv)
{
    return presto_MPI_Init(argc, argv);
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    return presto_MPI_Init_thread(argc, argv, required, provided);
}

int MPI_Initialized(int *flag)
{
    return presto_MPI_Initialized(flag);
}

int MPI_Finalize(void)
{
    return presto_MPI_Finalize();
}

int MPI_Finalized(int *flag)
{
    return presto_MPI_Finalized(flag);
}

int MPI_Get_version(int *version, int *subversion)
{
    return presto_MPI_Get_version(version, subversion);
}

double MPI_Wtime(void)
{
    return presto_MPI_Wtime();
}
