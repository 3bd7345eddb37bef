/* SPDX-License-Identifier: BSD-3-Clause */
/* Codes, classes and texts of errors. A predefined class is its own code. */
#include "mpi/state.h"
#include "io/io.h"
#include "rma/rma.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const text[] = {
    [MPI_SUCCESS] = "MPI_SUCCESS: no error",
    [MPI_ERR_BUFFER] = "MPI_ERR_BUFFER: invalid buffer",
    [MPI_ERR_COUNT] = "MPI_ERR_COUNT: invalid count",
    [MPI_ERR_TYPE] = "MPI_ERR_TYPE: invalid datatype",
    [MPI_ERR_TAG] = "MPI_ERR_TAG: invalid tag",
    [MPI_ERR_COMM] = "MPI_ERR_COMM: invalid communicator: MPI_COMM_NULL, freed, or not of the kind "
                     "that is asked for",
    [MPI_ERR_RANK] = "MPI_ERR_RANK: invalid rank",
    [MPI_ERR_REQUEST] =
        "MPI_ERR_REQUEST: invalid request: MPI_REQUEST_NULL, or not of the kind that is asked for",
    [MPI_ERR_ROOT] = "MPI_ERR_ROOT: invalid root",
    [MPI_ERR_GROUP] = "MPI_ERR_GROUP: invalid group",
    [MPI_ERR_OP] = "MPI_ERR_OP: invalid operation, or one that the datatype does not have",
    [MPI_ERR_TOPOLOGY] = "MPI_ERR_TOPOLOGY: invalid topology",
    [MPI_ERR_DIMS] = "MPI_ERR_DIMS: invalid dimensions",
    [MPI_ERR_ARG] = "MPI_ERR_ARG: invalid argument",
    [MPI_ERR_UNKNOWN] = "MPI_ERR_UNKNOWN: unknown error",
    [MPI_ERR_TRUNCATE] = "MPI_ERR_TRUNCATE: message truncated: it is longer than the buffer",
    [MPI_ERR_OTHER] = "MPI_ERR_OTHER: known error of no class",
    [MPI_ERR_INTERN] = "MPI_ERR_INTERN: internal error",
    [MPI_ERR_IN_STATUS] = "MPI_ERR_IN_STATUS: see the error codes in the statuses",
    [MPI_ERR_PENDING] = "MPI_ERR_PENDING: pending request",
    [MPI_ERR_ACCESS] = "MPI_ERR_ACCESS: permission denied",
    [MPI_ERR_AMODE] = "MPI_ERR_AMODE: invalid access mode",
    [MPI_ERR_ASSERT] = "MPI_ERR_ASSERT: invalid assertion",
    [MPI_ERR_BAD_FILE] = "MPI_ERR_BAD_FILE: invalid file name",
    [MPI_ERR_BASE] = "MPI_ERR_BASE: invalid base",
    [MPI_ERR_CONVERSION] = "MPI_ERR_CONVERSION: error in data conversion",
    [MPI_ERR_DISP] = "MPI_ERR_DISP: invalid displacement",
    [MPI_ERR_DUP_DATAREP] = "MPI_ERR_DUP_DATAREP: data representation already defined",
    [MPI_ERR_FILE_EXISTS] = "MPI_ERR_FILE_EXISTS: file exists",
    [MPI_ERR_FILE_IN_USE] = "MPI_ERR_FILE_IN_USE: file in use",
    [MPI_ERR_FILE] = "MPI_ERR_FILE: invalid file",
    [MPI_ERR_INFO_KEY] = "MPI_ERR_INFO_KEY: key too long, or empty",
    [MPI_ERR_INFO_NOKEY] = "MPI_ERR_INFO_NOKEY: no such key",
    [MPI_ERR_INFO_VALUE] = "MPI_ERR_INFO_VALUE: value too long",
    [MPI_ERR_INFO] = "MPI_ERR_INFO: invalid info",
    [MPI_ERR_IO] = "MPI_ERR_IO: error in input or output",
    [MPI_ERR_KEYVAL] = "MPI_ERR_KEYVAL: invalid key of an attribute",
    [MPI_ERR_LOCKTYPE] = "MPI_ERR_LOCKTYPE: invalid kind of lock",
    [MPI_ERR_NAME] = "MPI_ERR_NAME: no such service",
    [MPI_ERR_NO_MEM] = "MPI_ERR_NO_MEM: out of memory: raise the limits of the process "
                       "(ulimit -v), or start fewer ranks",
    [MPI_ERR_NOT_SAME] = "MPI_ERR_NOT_SAME: ranks differ in an argument",
    [MPI_ERR_NO_SPACE] = "MPI_ERR_NO_SPACE: no space",
    [MPI_ERR_NO_SUCH_FILE] = "MPI_ERR_NO_SUCH_FILE: no such file",
    [MPI_ERR_PORT] = "MPI_ERR_PORT: invalid port",
    [MPI_ERR_QUOTA] = "MPI_ERR_QUOTA: quota exceeded",
    [MPI_ERR_READ_ONLY] = "MPI_ERR_READ_ONLY: read only",
    [MPI_ERR_RMA_CONFLICT] = "MPI_ERR_RMA_CONFLICT: conflicting accesses to a window",
    [MPI_ERR_RMA_SYNC] = "MPI_ERR_RMA_SYNC: wrong synchronisation of a window",
    [MPI_ERR_SERVICE] = "MPI_ERR_SERVICE: no such service",
    [MPI_ERR_SIZE] = "MPI_ERR_SIZE: invalid size",
    [MPI_ERR_SPAWN] = "MPI_ERR_SPAWN: no processes could be started",
    [MPI_ERR_UNSUPPORTED_DATAREP] =
        "MPI_ERR_UNSUPPORTED_DATAREP: data representation not supported",
    [MPI_ERR_UNSUPPORTED_OPERATION] = "MPI_ERR_UNSUPPORTED_OPERATION: operation not supported",
    [MPI_ERR_WIN] = "MPI_ERR_WIN: invalid window",
    [MPI_ERR_RMA_ATTACH] = "MPI_ERR_RMA_ATTACH: memory cannot be attached",
    [MPI_ERR_RMA_FLAVOR] = "MPI_ERR_RMA_FLAVOR: wrong flavor of window",
    [MPI_ERR_RMA_RANGE] =
        "MPI_ERR_RMA_RANGE: access outside of the window, or of what is attached to it",
    [MPI_ERR_RMA_SHARED] = "MPI_ERR_RMA_SHARED: memory cannot be shared",
    [MPI_T_ERR_MEMORY] = "MPI_T_ERR_MEMORY: out of memory",
    [MPI_T_ERR_NOT_INITIALIZED] = "MPI_T_ERR_NOT_INITIALIZED: call MPI_T_init_thread first",
    [MPI_T_ERR_CANNOT_INIT] = "MPI_T_ERR_CANNOT_INIT: cannot be initialised now",
    [MPI_T_ERR_INVALID_INDEX] = "MPI_T_ERR_INVALID_INDEX: no such variable or category",
    [MPI_T_ERR_INVALID_ITEM] = "MPI_T_ERR_INVALID_ITEM: no such value of an enumeration",
    [MPI_T_ERR_INVALID_HANDLE] = "MPI_T_ERR_INVALID_HANDLE: invalid handle",
    [MPI_T_ERR_OUT_OF_HANDLES] = "MPI_T_ERR_OUT_OF_HANDLES: no more handles",
    [MPI_T_ERR_OUT_OF_SESSIONS] = "MPI_T_ERR_OUT_OF_SESSIONS: no more sessions",
    [MPI_T_ERR_INVALID_SESSION] = "MPI_T_ERR_INVALID_SESSION: invalid session",
    [MPI_T_ERR_CVAR_SET_NOT_NOW] = "MPI_T_ERR_CVAR_SET_NOT_NOW: it can be set only before MPI_Init",
    [MPI_T_ERR_CVAR_SET_NEVER] = "MPI_T_ERR_CVAR_SET_NEVER: it cannot be set",
    [MPI_T_ERR_PVAR_NO_STARTSTOP] = "MPI_T_ERR_PVAR_NO_STARTSTOP: it counts all the time",
    [MPI_T_ERR_PVAR_NO_WRITE] = "MPI_T_ERR_PVAR_NO_WRITE: it cannot be written or reset",
    [MPI_T_ERR_PVAR_NO_ATOMIC] = "MPI_T_ERR_PVAR_NO_ATOMIC: it cannot be read and written at once",
    [MPI_T_ERR_INVALID_NAME] = "MPI_T_ERR_INVALID_NAME: there is none of this name",
    [MPI_T_ERR_INVALID] = "MPI_T_ERR_INVALID: invalid value",
    [MPIX_ERR_PROC_FAILED] = "MPIX_ERR_PROC_FAILED: the peer has died or left",
    [MPIX_ERR_PROC_FAILED_PENDING] =
        "MPIX_ERR_PROC_FAILED_PENDING: a peer has died, and the request is pending",
    [MPIX_ERR_REVOKED] = "MPIX_ERR_REVOKED: the communicator has been revoked",
    [PRI_CODE_FORKED] = "MPI_ERR_OTHER: MPI belongs to the parent process",
    [PRI_CODE_STATE] = "MPI_ERR_OTHER: not initialised, or finalised already",
    [PRI_CODE_LIMIT] = "MPI_ERR_OTHER: a limit is reached",
    [PRI_CODE_MEMORY] =
        "MPI_ERR_BUFFER: memory of a message cannot be accessed: see the buffers, counts and "
        "datatypes of both its sides",
};

int pri_mpi_code(int error)
{
    static const unsigned char code[] = {
        [PRI_OK] = MPI_SUCCESS,
        [PRI_ERR_ARG] = MPI_ERR_ARG,
        [PRI_ERR_RANK] = MPI_ERR_RANK,
        [PRI_ERR_TAG] = MPI_ERR_TAG,
        [PRI_ERR_COUNT] = MPI_ERR_COUNT,
        [PRI_ERR_BUFFER] = MPI_ERR_BUFFER,
        [PRI_ERR_REQUEST] = MPI_ERR_REQUEST,
        [PRI_ERR_TRUNCATE] = MPI_ERR_TRUNCATE,
        [PRI_ERR_NOMEM] = MPI_ERR_NO_MEM,
        [PRI_ERR_PEER] = MPIX_ERR_PROC_FAILED,
        [PRI_ERR_FORKED] = PRI_CODE_FORKED,
        [PRI_ERR_STATE] = PRI_CODE_STATE,
        [PRI_ERR_START] = MPI_ERR_OTHER,
        [PRI_ERR_LIMIT] = PRI_CODE_LIMIT,
        [PRI_ERR_OP] = MPI_ERR_OP,
        [PRI_ERR_COMM] = MPI_ERR_COMM,
        [PRI_ERR_IN_STATUS] = MPI_ERR_IN_STATUS,
        [PRI_ERR_INTERN] = MPI_ERR_INTERN,
        [PRI_ERR_MEMORY] = PRI_CODE_MEMORY,
        [PRI_ERR_REVOKED] = MPIX_ERR_REVOKED,
        [PRI_ERR_PENDING] = MPIX_ERR_PROC_FAILED_PENDING,
        [PRI_RMA_SYNC] = MPI_ERR_RMA_SYNC,
        [PRI_RMA_RANGE] = MPI_ERR_RMA_RANGE,
        [PRI_RMA_ATTACH] = MPI_ERR_RMA_ATTACH,
        [PRI_RMA_SHARED] = MPI_ERR_RMA_SHARED,
        [PRI_RMA_TYPE] = MPI_ERR_TYPE,
        [PRI_IO_NO_SUCH_FILE] = MPI_ERR_NO_SUCH_FILE,
        [PRI_IO_EXISTS] = MPI_ERR_FILE_EXISTS,
        [PRI_IO_ACCESS] = MPI_ERR_ACCESS,
        [PRI_IO_READ_ONLY] = MPI_ERR_READ_ONLY,
        [PRI_IO_NO_SPACE] = MPI_ERR_NO_SPACE,
        [PRI_IO_QUOTA] = MPI_ERR_QUOTA,
        [PRI_IO_NAME] = MPI_ERR_BAD_FILE,
        [PRI_IO_IN_USE] = MPI_ERR_FILE_IN_USE,
        [PRI_IO_FAILED] = MPI_ERR_IO,
        [PRI_IO_NOT_SAME] = MPI_ERR_NOT_SAME,
        [PRI_IO_CONVERSION] = MPI_ERR_CONVERSION,
    };
    return error >= 0 && error < (int)sizeof(code) ? code[error] : MPI_ERR_INTERN;
}

/* The place of an application's own code; NULL if it is none. */
static char **own_text(struct pri_mpi *mpi, int code)
{
    int i = code - MPI_ERR_LASTCODE - 1;
    return mpi != NULL && i >= 0 && i < mpi->errors ? &mpi->text[i] : NULL;
}

const char *pri_code_text(int code)
{
    char **own = own_text(pri_mpi(), code);
    if (own != NULL) {
        return *own != NULL ? *own : "";
    }
    if (code < 0 || code >= (int)(sizeof(text) / sizeof(text[0])) || text[code] == NULL) {
        return "MPI_ERR_UNKNOWN: no such error";
    }
    return text[code];
}

void pri_code_describe(int code, char text_of[MPI_MAX_ERROR_STRING])
{
    const struct pri_rank *self = pri_self();
    bool failed = code == MPIX_ERR_PROC_FAILED || code == MPIX_ERR_PROC_FAILED_PENDING;
    int lost = failed && self != NULL ? pri_lost(self) : -1;
    if (lost >= 0) {
        const char *with = pri_lost_with(self, lost);
        snprintf(text_of, MPI_MAX_ERROR_STRING, "%s: rank %d of the job has died%s%s",
                 pri_code_text(code), lost, with != NULL ? ": " : "", with != NULL ? with : "");
    } else {
        snprintf(text_of, MPI_MAX_ERROR_STRING, "%s", pri_code_text(code));
    }
}

int pri_code_class(int code)
{
    struct pri_mpi *mpi = pri_mpi();
    if (own_text(mpi, code) != NULL) {
        return mpi->error_class[code - MPI_ERR_LASTCODE - 1];
    }
    if (code < 0 || code > MPI_ERR_LASTCODE) {
        return MPI_ERR_UNKNOWN;
    }
    if (code == PRI_CODE_MEMORY) {
        return MPI_ERR_BUFFER;
    }
    return code >= PRI_CODE_FORKED ? MPI_ERR_OTHER : code;
}

void pri_errors_free(struct pri_mpi *mpi)
{
    for (int i = 0; i < mpi->errors; i++) {
        free(mpi->text[i]);
    }
    free(mpi->text);
    free(mpi->error_class);
}

int MPI_Error_class(int code, int *errorclass)
{
    *errorclass = pri_code_class(code);
    return MPI_SUCCESS;
}
PRI_ALIAS(Error_class);

int MPI_Error_string(int code, char *string, int *length)
{
    pri_code_describe(code, string);
    *length = (int)strlen(string);
    return MPI_SUCCESS;
}
PRI_ALIAS(Error_string);

/* One more code; of class 0 it is a class itself. Returns it, or -1 when memory is short. The lock
 * is held. */
static int add_code(struct pri_mpi *mpi, int errorclass)
{
    size_t n = (size_t)mpi->errors + 1;
    char **texts = realloc(mpi->text, n * sizeof(*texts));
    if (texts == NULL) {
        return -1;
    }
    mpi->text = texts;
    int *classes = realloc(mpi->error_class, n * sizeof(*classes));
    if (classes == NULL) {
        return -1;
    }
    mpi->error_class = classes;
    int code = MPI_ERR_LASTCODE + (int)n;
    texts[n - 1] = NULL;
    classes[n - 1] = errorclass == 0 ? code : errorclass;
    mpi->errors = (int)n;
    mpi->attribute[MPI_LASTUSEDCODE] = code;
    return code;
}

static int add_locked(const char *function, int errorclass, int *code)
{
    struct pri_mpi *mpi = pri_mpi_need(function);
    pthread_mutex_lock(&mpi->lock);
    int made = add_code(mpi, errorclass);
    pthread_mutex_unlock(&mpi->lock);
    if (made < 0) {
        return pri_fail(NULL, function, MPI_ERR_NO_MEM);
    }
    *code = made;
    return MPI_SUCCESS;
}

int MPI_Add_error_class(int *errorclass)
{
    return add_locked(__func__, 0, errorclass);
}
PRI_ALIAS(Add_error_class);

int MPI_Add_error_code(int errorclass, int *code)
{
    return add_locked(__func__, errorclass, code);
}
PRI_ALIAS(Add_error_code);

int MPI_Add_error_string(int code, const char *string)
{
    struct pri_mpi *mpi = pri_mpi_need(__func__);
    char **own = own_text(mpi, code);
    if (own == NULL) {
        return pri_fail(NULL, __func__, MPI_ERR_ARG);
    }
    char *copy = strndup(string, MPI_MAX_ERROR_STRING - 1);
    if (copy == NULL) {
        return pri_fail(NULL, __func__, MPI_ERR_NO_MEM);
    }
    free(*own);
    *own = copy;
    return MPI_SUCCESS;
}
PRI_ALIAS(Add_error_string);
