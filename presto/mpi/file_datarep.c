/* SPDX-License-Identifier: BSD-3-Clause */
/* Representations of data that the application registers: see io/datarep.h. */
#include "io/datarep.h"

#include <string.h>

#include "mpi/file.h"

bool pri_datarep_is_own(const char *name)
{
    return strcmp(name, "native") == 0 || strcmp(name, "internal") == 0 ||
           strcmp(name, "external32") == 0;
}

struct pri_io_datarep *pri_datarep_find(const char *name)
{
    struct pri_mpi *mpi = pri_mpi();
    pthread_mutex_lock(&mpi->lock);
    struct pri_io_datarep *rep = mpi->datareps;
    while (rep != NULL && strcmp(rep->name, name) != 0) {
        rep = rep->next;
    }
    pthread_mutex_unlock(&mpi->lock);
    return rep;
}

void pri_datareps_free(struct pri_mpi *mpi)
{
    while (mpi->datareps != NULL) {
        struct pri_io_datarep *gone = mpi->datareps;
        mpi->datareps = gone->next;
        pri_io_datarep_free(gone);
    }
}

static int check(const char *name, MPI_Datarep_extent_function *extent)
{
    if (name == NULL || name[0] == '\0' || extent == NULL) {
        return pri_blame(MPI_ERR_ARG, "it has no name, or no function for extents");
    }
    if (strlen(name) >= MPI_MAX_DATAREP_STRING) {
        return pri_blame_value(MPI_ERR_ARG, "the length of the name", (long long)strlen(name), 1,
                               MPI_MAX_DATAREP_STRING - 1);
    }
    if (pri_datarep_is_own(name) || pri_datarep_find(name) != NULL) {
        return pri_blame(MPI_ERR_DUP_DATAREP, "choose a name that there is not yet");
    }
    return MPI_SUCCESS;
}

static int add(const char *function, const char *name, struct pri_io_conversion read,
               struct pri_io_conversion write, MPI_Datarep_extent_function *extent, void *extra)
{
    struct pri_mpi *mpi = pri_mpi_need(function);
    int code = check(name, extent);
    struct pri_io_datarep *rep = code == MPI_SUCCESS ? pri_io_datarep_new(name) : NULL;
    if (rep == NULL) {
        return pri_file_fail(MPI_FILE_NULL, function, code != MPI_SUCCESS ? code : MPI_ERR_NO_MEM);
    }
    rep->extent = extent;
    rep->read = read;
    rep->write = write;
    rep->extra = extra;
    pthread_mutex_lock(&mpi->lock);
    rep->next = mpi->datareps;
    mpi->datareps = rep;
    pthread_mutex_unlock(&mpi->lock);
    return MPI_SUCCESS;
}

int MPI_Register_datarep(const char *datarep, MPI_Datarep_conversion_function *read,
                         MPI_Datarep_conversion_function *write,
                         MPI_Datarep_extent_function *extent, void *extra)
{
    return add(__func__, datarep, (struct pri_io_conversion){.plain = read},
               (struct pri_io_conversion){.plain = write}, extent, extra);
}
PRI_ALIAS(Register_datarep);

int MPI_Register_datarep_c(const char *datarep, MPI_Datarep_conversion_function_c *read,
                           MPI_Datarep_conversion_function_c *write,
                           MPI_Datarep_extent_function *extent, void *extra)
{
    return add(__func__, datarep, (struct pri_io_conversion){.large = read},
               (struct pri_io_conversion){.large = write}, extent, extra);
}
PRI_ALIAS(Register_datarep_c);
