/* SPDX-License-Identifier: BSD-3-Clause */
/* Handles as integers. Each rank has a table of those that it was asked for; a handle of whatever
 * kind is an address, so that one table does for all. 0 is the null handle. */
#include "mpi/state.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(MPI_Status) == MPI_F_STATUS_SIZE * sizeof(MPI_Fint), "MPI_F_STATUS_SIZE");

/* The mutex is held. Room for one more entry. */
static bool grow(struct pri_mpi *mpi)
{
    if (mpi->integers < mpi->integer_room) {
        return true;
    }
    int room = mpi->integer_room == 0 ? 64 : 2 * mpi->integer_room;
    const void **table = realloc(mpi->integer, (size_t)room * sizeof(*table));
    if (table == NULL) {
        return false;
    }
    mpi->integer = table;
    mpi->integer_room = room;
    return true;
}

/* An address keeps its number when the object is gone and another takes its place. Searched from
 * the end: what is converted again soon is found soon. */
static MPI_Fint number_of(const char *function, const void *handle)
{
    struct pri_mpi *mpi = pri_mpi_need(function);
    if (handle == NULL) {
        return 0;
    }
    pthread_mutex_lock(&mpi->lock);
    int i = mpi->integers;
    while (i > 0 && mpi->integer[i - 1] != handle) {
        i--;
    }
    if (i == 0 && grow(mpi)) {
        mpi->integer[mpi->integers++] = handle;
        i = mpi->integers;
    }
    pthread_mutex_unlock(&mpi->lock);
    if (i == 0) {
        pri_fail(NULL, function, MPI_ERR_NO_MEM);
    }
    return i;
}

/* NULL: no such number. */
static void *handle_of(const char *function, MPI_Fint number)
{
    struct pri_mpi *mpi = pri_mpi_need(function);
    const void *handle = NULL;
    pthread_mutex_lock(&mpi->lock);
    if (number > 0 && number <= mpi->integers) {
        handle = mpi->integer[number - 1];
    }
    pthread_mutex_unlock(&mpi->lock);
    return (void *)handle;
}

#define CONVERTS(kind, type)                           \
    MPI_Fint MPI_##kind##_c2f(type handle)             \
    {                                                  \
        return number_of("MPI_" #kind "_c2f", handle); \
    }                                                  \
    PRI_ALIAS(kind##_c2f);                             \
    type MPI_##kind##_f2c(MPI_Fint number)             \
    {                                                  \
        return handle_of("MPI_" #kind "_f2c", number); \
    }                                                  \
    PRI_ALIAS(kind##_f2c)

CONVERTS(Comm, MPI_Comm);
CONVERTS(Errhandler, MPI_Errhandler);
CONVERTS(File, MPI_File);
CONVERTS(Group, MPI_Group);
CONVERTS(Info, MPI_Info);
CONVERTS(Message, MPI_Message);
CONVERTS(Op, MPI_Op);
CONVERTS(Request, MPI_Request);
CONVERTS(Type, MPI_Datatype);
CONVERTS(Win, MPI_Win);

int MPI_Status_c2f(const MPI_Status *status, MPI_Fint *numbers)
{
    if (status == MPI_STATUS_IGNORE || numbers == MPI_F_STATUS_IGNORE) {
        return pri_fail(NULL, __func__, MPI_ERR_ARG);
    }
    memcpy(numbers, status, sizeof(*status));
    return MPI_SUCCESS;
}
PRI_ALIAS(Status_c2f);

int MPI_Status_f2c(const MPI_Fint *numbers, MPI_Status *status)
{
    if (status == MPI_STATUS_IGNORE || numbers == MPI_F_STATUS_IGNORE) {
        return pri_fail(NULL, __func__, MPI_ERR_ARG);
    }
    memcpy(status, numbers, sizeof(*status));
    return MPI_SUCCESS;
}
PRI_ALIAS(Status_f2c);
