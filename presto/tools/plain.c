/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A few of MPI's functions under their plain names, for programs that declare them without mpi.h:
 * those by which configure scripts find out whether there is an MPI (AC_SEARCH_LIBS,
 * AC_CHECK_FUNC). They take no handles. All others have no plain name, so that an object that was
 * compiled against another MPI's header does not link, instead of being misunderstood. It is an
 * archive: a program that has these names from elsewhere, or needs none, takes nothing of it. In a
 * program that holds another MPI as well the plain names are that one's, wherever its library
 * stands in the command that links.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

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

/* Another MPI's function of this name: the executable has ours, so that it is in a library behind
 * it. */
static bool find(const char *name, void *function)
{
    void *symbol = dlsym(RTLD_NEXT, name);

    /* What POSIX says of dlsym, without a cast that ISO C does not know. */
    memcpy(function, &symbol, sizeof(symbol));
    return symbol != NULL;
}

int MPI_Init(int *argc, char ***argv)
{
    int (*theirs)(int *, char ***);

    return find("MPI_Init", &theirs) ? theirs(argc, argv) : presto_MPI_Init(argc, argv);
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    int (*theirs)(int *, char ***, int, int *);

    return find("MPI_Init_thread", &theirs)
               ? theirs(argc, argv, required, provided)
               : presto_MPI_Init_thread(argc, argv, required, provided);
}

int MPI_Initialized(int *flag)
{
    int (*theirs)(int *);

    return find("MPI_Initialized", &theirs) ? theirs(flag) : presto_MPI_Initialized(flag);
}

int MPI_Finalize(void)
{
    int (*theirs)(void);

    return find("MPI_Finalize", &theirs) ? theirs() : presto_MPI_Finalize();
}

int MPI_Finalized(int *flag)
{
    int (*theirs)(int *);

    return find("MPI_Finalized", &theirs) ? theirs(flag) : presto_MPI_Finalized(flag);
}

int MPI_Get_version(int *version, int *subversion)
{
    int (*theirs)(int *, int *);

    return find("MPI_Get_version", &theirs) ? theirs(version, subversion)
                                            : presto_MPI_Get_version(version, subversion);
}

double MPI_Wtime(void)
{
    double (*theirs)(void);

    return find("MPI_Wtime", &theirs) ? theirs() : presto_MPI_Wtime();
}
