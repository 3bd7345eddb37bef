/* SPDX-License-Identifier: BSD-3-Clause */
/* Error handlers, and what happens when something goes wrong. */
#include "mpi/file.h"
#include "mpi/number.h"
#include "mpi/win.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct pri_errhandler presto_errors_are_fatal = {.kind = PRI_HANDLER_FATAL};
struct pri_errhandler presto_errors_return = {.kind = PRI_HANDLER_RETURN};

static bool predefined(const struct pri_errhandler *handler)
{
    return handler->kind == PRI_HANDLER_FATAL || handler->kind == PRI_HANDLER_RETURN;
}

void pri_errhandler_retain(struct pri_errhandler *handler)
{
    if (!predefined(handler)) {
        atomic_fetch_add_explicit(&handler->refs, 1, memory_order_relaxed);
    }
}

void pri_errhandler_release(struct pri_errhandler *handler)
{
    /* Pairs with the other releases: the last one frees what all have read. */
    if (!predefined(handler) &&
        atomic_fetch_sub_explicit(&handler->refs, 1, memory_order_acq_rel) == 1) {
        free(handler);
    }
}

/* A function's name as the application knows it. */
static const char *mpi_name(const char *function)
{
    return strncmp(function, "presto_", 7) == 0 ? function + 7 : function;
}

NI_COLD _Noreturn void pri_fail_early(const char *function)
{
    fprintf(stderr, "*** %s: %s\n*** The process ends.\n", mpi_name(function),
            pri_stopped() ? "called after MPI_Finalize"
                          : "called before MPI_Init, or out of place");
    pri_abort(pri_self(), 1);
}

/* What pri_blame was told. */
static _Thread_local struct {
    int code; /* MPI_SUCCESS: nothing */
    const char *what;
    bool valued;
    long long value, low, high;
} blame;

NI_COLD int pri_blame(int code, const char *what)
{
    blame.code = code;
    blame.what = what;
    blame.valued = false;
    return code;
}

NI_COLD int pri_blame_value(int code, const char *what, long long value, long long low,
                            long long high)
{
    blame.code = code;
    blame.what = what;
    blame.valued = true;
    blame.value = value;
    blame.low = low;
    blame.high = high;
    return code;
}

/* The text of a code, and whose fault it is if that is known. */
static void describe(int code, char *text, size_t room)
{
    pri_code_describe(code, text);
    size_t length = strlen(text);
    if (blame.code != code) {
        return;
    }
    if (blame.valued) {
        snprintf(text + length, room - length, ": %s is %lld, not %lld to %lld", blame.what,
                 blame.value, blame.low, blame.high);
    } else {
        snprintf(text + length, room - length, ": %s", blame.what);
    }
}

/* Prints what happened, in one piece, and ends the job. */
NI_COLD _Noreturn static void fatal(const struct pri_rank *self, const char *object,
                                    const char *function, int code)
{
    char host[MPI_MAX_PROCESSOR_NAME] = "localhost", text[2 * MPI_MAX_ERROR_STRING];
    describe(code, text, sizeof(text));
    gethostname(host, sizeof(host) - 1);
    fprintf(stderr,
            "[%s:%ld] *** An error occurred in %s\n"
            "[%s:%ld] *** reported by rank %d of the job\n"
            "[%s:%ld] *** on %s\n"
            "[%s:%ld] *** %s\n"
            "[%s:%ld] *** MPI_ERRORS_ARE_FATAL (the processes of this job will now abort)\n",
            host, (long)getpid(), mpi_name(function), host, (long)getpid(), self->rank, host,
            (long)getpid(), object, host, (long)getpid(), text, host, (long)getpid());
    pri_abort((struct pri_rank *)self, code == 0 ? 1 : code);
}

typedef void pri_any_fn(void);

static void call_fortran(pri_any_fn *function, MPI_Fint number, int *code)
{
    ((void (*)(MPI_Fint *, MPI_Fint *))function)(&number, code);
}

void presto_fortran_errhandler(MPI_Errhandler errhandler)
{
    errhandler->fortran = true;
}

NI_COLD int pri_fail(struct pri_comm *comm, const char *function, int code)
{
    struct pri_mpi *mpi = pri_mpi_need(function);
    if (comm == NULL) {
        comm = mpi->world;
    }
    struct pri_errhandler *handler = comm->errhandler;
    if (handler->kind != PRI_HANDLER_FATAL) {
        blame.code = MPI_SUCCESS;
    }
    if (handler->kind == PRI_HANDLER_RETURN) {
        return code;
    }
    if (handler->kind == PRI_HANDLER_COMM) {
        MPI_Comm handle = comm->handle;
        int argument = code;
        if (handler->fortran) {
            call_fortran((pri_any_fn *)handler->comm, MPI_Comm_c2f(handle), &argument);
        } else {
            handler->comm(&handle, &argument);
        }
        return code;
    }
    char object[MPI_MAX_OBJECT_NAME + 32];
    snprintf(object, sizeof(object), "communicator %s",
             comm->name[0] != '\0' ? comm->name : "(no name)");
    fatal(mpi->self, object, function, code);
}

NI_COLD int pri_win_fail(MPI_Win win, const char *function, int code)
{
    if (!pri_win_ok(win)) {
        return pri_fail(NULL, function, code);
    }
    struct pri_errhandler *handler = win->errhandler;
    if (handler->kind != PRI_HANDLER_FATAL) {
        blame.code = MPI_SUCCESS;
    }
    if (handler->kind == PRI_HANDLER_RETURN) {
        return code;
    }
    if (handler->kind == PRI_HANDLER_WIN) {
        int argument = code;
        if (handler->fortran) {
            call_fortran((pri_any_fn *)handler->win, MPI_Win_c2f(win), &argument);
        } else {
            handler->win(&win, &argument);
        }
        return code;
    }
    if (code == MPI_ERR_RMA_RANGE && win->flavor == MPI_WIN_FLAVOR_DYNAMIC) {
        pri_blame(code, "all of it has to lie in memory that the target has attached, and each "
                        "integer of an accumulate in one piece of it");
    }
    char object[MPI_MAX_OBJECT_NAME + 32];
    snprintf(object, sizeof(object), "window %s", win->name[0] != '\0' ? win->name : "(no name)");
    fatal(win->comm->mpi->self, object, function, code);
}

NI_COLD int pri_file_fail(MPI_File file, const char *function, int code)
{
    struct pri_mpi *mpi = pri_mpi_need(function);
    if (!pri_file_ok(file)) {
        file = MPI_FILE_NULL;
    }
    struct pri_errhandler *handler = file == NULL ? mpi->file_errhandler : file->errhandler;
    if (handler->kind != PRI_HANDLER_FATAL) {
        blame.code = MPI_SUCCESS;
    }
    if (handler->kind == PRI_HANDLER_FILE) {
        int argument = code;
        if (handler->fortran) {
            call_fortran((pri_any_fn *)handler->file, MPI_File_c2f(file), &argument);
        } else {
            handler->file(&file, &argument);
        }
    }
    if (handler->kind != PRI_HANDLER_FATAL) {
        return code;
    }
    char object[MPI_MAX_OBJECT_NAME + 32];
    snprintf(object, sizeof(object), "file %.*s", MPI_MAX_OBJECT_NAME,
             file == NULL ? "(none)" : file->io.path);
    fatal(mpi->self, object, function, code);
}

static struct pri_errhandler *new_handler(enum pri_handler_kind kind)
{
    struct pri_errhandler *handler = calloc(1, sizeof(*handler));
    if (handler == NULL) {
        return NULL;
    }
    handler->kind = kind;
    atomic_init(&handler->refs, 1);
    return handler;
}

int MPI_Comm_create_errhandler(MPI_Comm_errhandler_function *function, MPI_Errhandler *errhandler)
{
    if (function == NULL) {
        return pri_fail(NULL, __func__, MPI_ERR_ARG);
    }
    struct pri_errhandler *handler = new_handler(PRI_HANDLER_COMM);
    if (handler == NULL) {
        return pri_fail(NULL, __func__, MPI_ERR_NO_MEM);
    }
    handler->comm = function;
    *errhandler = handler;
    return MPI_SUCCESS;
}
PRI_ALIAS(Comm_create_errhandler);

int MPI_Win_create_errhandler(MPI_Win_errhandler_function *function, MPI_Errhandler *errhandler)
{
    if (function == NULL) {
        return pri_fail(NULL, __func__, MPI_ERR_ARG);
    }
    struct pri_errhandler *handler = new_handler(PRI_HANDLER_WIN);
    if (handler == NULL) {
        return pri_fail(NULL, __func__, MPI_ERR_NO_MEM);
    }
    handler->win = function;
    *errhandler = handler;
    return MPI_SUCCESS;
}
PRI_ALIAS(Win_create_errhandler);

int MPI_File_create_errhandler(MPI_File_errhandler_function *function, MPI_Errhandler *errhandler)
{
    if (function == NULL) {
        return pri_file_fail(NULL, __func__, MPI_ERR_ARG);
    }
    struct pri_errhandler *handler = new_handler(PRI_HANDLER_FILE);
    if (handler == NULL) {
        return pri_file_fail(NULL, __func__, MPI_ERR_NO_MEM);
    }
    handler->file = function;
    *errhandler = handler;
    return MPI_SUCCESS;
}
PRI_ALIAS(File_create_errhandler);

int MPI_Comm_set_errhandler(MPI_Comm handle, MPI_Errhandler errhandler)
{
    struct pri_comm *comm = pri_comm_of(handle);
    if (comm == NULL) {
        return pri_fail(NULL, __func__, MPI_ERR_COMM);
    }
    if (errhandler == NULL || errhandler->kind == PRI_HANDLER_WIN ||
        errhandler->kind == PRI_HANDLER_FILE) {
        return pri_fail(comm, __func__, MPI_ERR_ARG);
    }
    pri_errhandler_retain(errhandler);
    pri_errhandler_release(comm->errhandler);
    comm->errhandler = errhandler;
    return MPI_SUCCESS;
}
PRI_ALIAS(Comm_set_errhandler);

int MPI_Comm_get_errhandler(MPI_Comm handle, MPI_Errhandler *errhandler)
{
    struct pri_comm *comm = pri_comm_of(handle);
    if (comm == NULL) {
        return pri_fail(NULL, __func__, MPI_ERR_COMM);
    }
    pri_errhandler_retain(comm->errhandler);
    *errhandler = comm->errhandler;
    return MPI_SUCCESS;
}
PRI_ALIAS(Comm_get_errhandler);

int MPI_Comm_call_errhandler(MPI_Comm handle, int code)
{
    struct pri_comm *comm = pri_comm_of(handle);
    if (comm == NULL) {
        return pri_fail(NULL, __func__, MPI_ERR_COMM);
    }
    pri_fail(comm, __func__, code);
    return MPI_SUCCESS;
}
PRI_ALIAS(Comm_call_errhandler);

int MPI_Errhandler_free(MPI_Errhandler *errhandler)
{
    if (*errhandler == NULL) {
        return pri_fail(NULL, __func__, MPI_ERR_ARG);
    }
    pri_errhandler_release(*errhandler);
    *errhandler = MPI_ERRHANDLER_NULL;
    return MPI_SUCCESS;
}
PRI_ALIAS(Errhandler_free);

int MPI_Errhandler_create(MPI_Handler_function *function, MPI_Errhandler *errhandler)
{
    return MPI_Comm_create_errhandler(function, errhandler);
}
PRI_ALIAS(Errhandler_create);

int MPI_Errhandler_set(MPI_Comm comm, MPI_Errhandler errhandler)
{
    return MPI_Comm_set_errhandler(comm, errhandler);
}
PRI_ALIAS(Errhandler_set);

int MPI_Errhandler_get(MPI_Comm comm, MPI_Errhandler *errhandler)
{
    return MPI_Comm_get_errhandler(comm, errhandler);
}
PRI_ALIAS(Errhandler_get);
