/* SPDX-License-Identifier: BSD-3-Clause */
/* Time, names and versions. */
#include "mpi/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "apelink_config.h"

double MPI_Wtime(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
PRI_ALIAS(Wtime);

double MPI_Wtick(void)
{
    struct timespec tick;
    clock_getres(CLOCK_MONOTONIC, &tick);
    return (double)tick.tv_sec + 1e-9 * (double)tick.tv_nsec;
}
PRI_ALIAS(Wtick);

int MPI_Get_processor_name(char *name, int *length)
{
    if (gethostname(name, MPI_MAX_PROCESSOR_NAME) != 0) {
        strcpy(name, "localhost");
    }
    name[MPI_MAX_PROCESSOR_NAME - 1] = '\0';
    *length = (int)strlen(name);
    return MPI_SUCCESS;
}
PRI_ALIAS(Get_processor_name);

int MPI_Get_version(int *version, int *subversion)
{
    *version = MPI_VERSION;
    *subversion = MPI_SUBVERSION;
    return MPI_SUCCESS;
}
PRI_ALIAS(Get_version);

int MPI_Get_library_version(char *version, int *length)
{
    *length = snprintf(version, MPI_MAX_LIBRARY_VERSION_STRING, "Presto %s, MPI %d.%d",
                       PACKAGE_VERSION, MPI_VERSION, MPI_SUBVERSION);
    return MPI_SUCCESS;
}
PRI_ALIAS(Get_library_version);

int MPI_Pcontrol(const int level, ...)
{
    (void)level; /* for profiling libraries */
    return MPI_SUCCESS;
}
PRI_ALIAS(Pcontrol);

int MPI_Alloc_mem(MPI_Aint bytes, MPI_Info info, void *base)
{
    (void)info;
    if (bytes < 0) {
        return pri_fail(NULL, __func__, MPI_ERR_ARG);
    }
    void *memory = NULL;
    if (posix_memalign(&memory, 64, bytes > 0 ? (size_t)bytes : 1) != 0) {
        return pri_fail(NULL, __func__, MPI_ERR_NO_MEM);
    }
    *(void **)base = memory;
    return MPI_SUCCESS;
}
PRI_ALIAS(Alloc_mem);

int MPI_Free_mem(void *base)
{
    free(base);
    return MPI_SUCCESS;
}
PRI_ALIAS(Free_mem);

int MPI_Get_address(const void *location, MPI_Aint *address)
{
    *address = (MPI_Aint)(uintptr_t)location;
    return MPI_SUCCESS;
}
PRI_ALIAS(Get_address);

int MPI_Address(void *location, MPI_Aint *address)
{
    *address = (MPI_Aint)(uintptr_t)location;
    return MPI_SUCCESS;
}
PRI_ALIAS(Address);

MPI_Aint MPI_Aint_add(MPI_Aint base, MPI_Aint displacement)
{
    return (MPI_Aint)((uintptr_t)base + (uintptr_t)displacement);
}
PRI_ALIAS(Aint_add);

MPI_Aint MPI_Aint_diff(MPI_Aint one, MPI_Aint other)
{
    return (MPI_Aint)((uintptr_t)one - (uintptr_t)other);
}
PRI_ALIAS(Aint_diff);
