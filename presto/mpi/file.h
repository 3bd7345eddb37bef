/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PRI_MPI_FILE_H
#define PRI_MPI_FILE_H

/* Files as MPI has them: one of io/, with a communicator of its own and what an application hangs
 * on it. */

#include "io/io.h"
#include "mpi/state.h"

enum { PRI_FILE_MAGIC = 0x46494c45 };

/* A split collective operation, which its begin has done. */
struct pri_file_split {
    bool active;
    uint8_t call; /* enum pri_file_call */
    bool write;
    int error;
    size_t bytes;
};

struct pri_file {
    uint32_t magic; /* PRI_FILE_MAGIC while the handle is valid */
    int amode;
    struct pri_io io;
    struct pri_comm *comm; /* of its own: a copy of the application's, with no attributes */
    struct pri_errhandler *errhandler;
    struct pri_file_split split;
    char datarep[MPI_MAX_DATAREP_STRING];
};

/* Where an access begins, and who takes part: AT and those behind it with an explicit offset, from
 * the individual pointer, from the shared one. */
enum pri_file_call {
    PRI_FILE_AT,
    PRI_FILE_AT_ALL,
    PRI_FILE_NEXT,
    PRI_FILE_NEXT_ALL,
    PRI_FILE_SHARED,
    PRI_FILE_ORDERED
};

/* What a function is called with. */
struct pri_file_access {
    enum pri_file_call call;
    bool write;
    MPI_Offset offset;
    struct pri_io_data data;
    MPI_Count count; /* as the application gave it */
};

static inline bool pri_file_ok(MPI_File file)
{
    return NI_LIKELY(file != NULL && file->magic == PRI_FILE_MAGIC);
}

/* As pri_fail; file may be MPI_FILE_NULL or invalid: then that one's handler is called. */
int pri_file_fail(MPI_File file, const char *function, int code);

static inline int pri_file_result(MPI_File file, const char *function, int error)
{
    return NI_LIKELY(error == 0) ? MPI_SUCCESS : pri_file_fail(file, function, pri_mpi_code(error));
}

/* Does an access, whole. *error: of the core; *bytes: how many were moved. Returns MPI's code of
 * wrong arguments, with which nothing was done. */
int pri_file_access(MPI_File file, const struct pri_file_access *access, int *error, size_t *bytes);

/* The three ways to end. */
int pri_file_blocking(MPI_File file, const char *function, struct pri_file_access access,
                      MPI_Status *status);
int pri_file_request(MPI_File file, const char *function, struct pri_file_access access,
                     MPI_Request *request);
int pri_file_begin(MPI_File file, const char *function, struct pri_file_access access);
int pri_file_end(MPI_File file, const char *function, enum pri_file_call call, bool write,
                 MPI_Status *status);

/* The hints that an info changes. */
void pri_file_hints(struct pri_info *info, int size, struct pri_io_hints *hints);

/* A representation of data by its name: one of Presto's own; one that the application has
 * registered, or NULL. */
bool pri_datarep_is_own(const char *name);
struct pri_io_datarep *pri_datarep_find(const char *name);
void pri_datareps_free(struct pri_mpi *mpi);

/* The worst of all ranks' codes: collective. */
int pri_file_agree(struct pri_comm *comm, int code);

#endif
