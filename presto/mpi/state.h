/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PRI_MPI_STATE_H
#define PRI_MPI_STATE_H

/* What MPI's objects are made of. All state of a rank hangs off its struct pri_mpi, which is found
 * by way of pri_self(); handles are the addresses of objects, MPI_COMM_WORLD and MPI_COMM_SELF
 * those of marks which stand for the calling rank's own.
 *
 * Each function MPI_x is defined under that name, which the header turns into presto_MPI_x, and
 * followed by PRI_ALIAS(x), which makes PMPI_x. */

#include <pthread.h>

#include "core/core.h"
#include "coll/coll.h"
#include "type/op.h"
#include "type/type.h"
#include "include/mpi.h"
#include "mpi/count.h"

/* Codes of errors that are not their own class: what MPI has no class for, and PRI_CODE_MEMORY,
 * which has a text of its own. */
enum { PRI_CODE_FORKED = 90, PRI_CODE_STATE, PRI_CODE_LIMIT, PRI_CODE_MEMORY };

struct pri_attr;
struct pri_topology;
struct pri_mpi;

/* Who is called when something goes wrong. `kind` says for which objects. */
enum pri_handler_kind {
    PRI_HANDLER_FATAL,
    PRI_HANDLER_RETURN,
    PRI_HANDLER_COMM,
    PRI_HANDLER_WIN,
    PRI_HANDLER_FILE
};

struct pri_errhandler {
    enum pri_handler_kind kind;
    MPI_Comm_errhandler_function *comm;
    MPI_Win_errhandler_function *win;
    MPI_File_errhandler_function *file;
    bool fortran;     /* which takes the number of the handle */
    atomic_uint refs; /* not counted in the predefined two */
};

/* Ranks of the job in an order. Never changed once it is made. */
struct pri_group {
    atomic_uint refs;
    int size;
    int rank;  /* the rank in it that made it, or MPI_UNDEFINED */
    bool held; /* it has ranks of other jobs, which are not forgotten */
    int ranks[];
};

enum { PRI_COMM_MAGIC = 0x434f4d4d };

struct pri_comm {
    uint32_t magic; /* PRI_COMM_MAGIC while the handle is valid */
    uint32_t context;
    struct pri_team team; /* its members are the group's ranks, or NULL if these are 0, 1, 2... */
    struct pri_mpi *mpi;
    struct pri_group *group;
    struct pri_intercomm
        *inter; /* NULL: an intracommunicator; else mpi/inter.h, and the team is the other group */
    struct pri_errhandler *errhandler;
    struct pri_attr *attributes;
    struct pri_topology *topology;
    struct pri_info *info;
    struct pri_comm *handle; /* what the application knows it by */
    atomic_uint refs;        /* 1 for the handle, 1 for each request */
    struct pri_request end;  /* the exchange of its end */
    struct pri_comm *next;   /* of those that end */
    struct ni_list all;      /* those that have a context */
    int pending;             /* in that exchange: requests of this rank; after it, of all ranks */
    bool waits;              /* for requests of this rank to end: then there is another exchange */
    bool again;              /* which has begun */
    bool leads;              /* this rank took the context */
    char name[MPI_MAX_OBJECT_NAME];
};

/* Data with holes, as core sees it. */
struct pri_mpi_vec {
    struct pri_vec vec;
    struct pri_type *type;
    size_t count;
    void *buf;
};

enum pri_mpi_kind {
    PRI_MPI_SEND,
    PRI_MPI_RECV,
    PRI_MPI_OPERATION,  /* a collective operation, or another that completes by itself */
    PRI_MPI_PERSISTENT, /* a collective operation that is started again and again */
    PRI_MPI_GENERAL     /* one that the application completes */
};

struct pri_mpi_request {
    struct pri_request core; /* first: pri_detach gives back its address */
    enum pri_mpi_kind kind;
    bool persistent;
    bool active; /* of a persistent one */
    bool held;   /* `type` or `call` is */
    struct pri_comm *comm;
    struct pri_type *type;
    struct pri_mpi_vec data;
    /* Done once, by who sees it complete: its result is the operation's. NULL: nothing. */
    int (*finish)(struct pri_mpi_request *request);
    void *object; /* of finish */

    /* Persistent ones */
    void *buf;
    size_t count;
    int peer, tag;
    enum pri_mode mode;
    struct pri_call *call; /* a collective operation: coll_check.h */

    /* General ones */
    MPI_Grequest_query_function *query;
    MPI_Grequest_free_function *release;
    MPI_Grequest_cancel_function *cancel;
    void *extra;

    struct pri_mpi_request *next; /* while it is free */
};

struct pri_keyval;
struct pri_numbers;
struct pri_type_name;

struct pri_mpi {
    struct pri_rank *self;
    struct pri_comm *world, *alone;         /* MPI_COMM_WORLD, MPI_COMM_SELF */
    struct pri_mpi_request *requests;       /* free ones: mpi/request.h */
    struct pri_errhandler *file_errhandler; /* of MPI_FILE_NULL */
    struct pri_io_datarep *datareps;        /* that the application has registered */
    pthread_mutex_t lock;                   /* of what follows */
    struct pri_comm *ending;                /* freed here, and not yet by all */
    struct ni_list comms;                   /* with a context */
    struct pri_keyval *keyval;
    int keyvals;
    struct pri_type_name *type_names; /* of predefined types, given by the application */
    char **text;                      /* what the application says to its own error codes */
    int *error_class;
    int errors;
    struct pri_numbers *numbers; /* of handles: mpi/fortran.c; NULL: none yet */
    void *attached;              /* for buffered sends */
    size_t attached_size;
    int attribute[7]; /* the values of MPI_TAG_UB and so on */
    pthread_t main_thread;
    struct pri_comm
        *parent; /* with those that have had this job started; NULL: none, or it is gone */
    struct pri_task reaper; /* of comm_end.c */
    bool reaps;             /* it is among the tasks */
};

/* The calling rank's state; NULL before MPI_Init and after MPI_Finalize. */
static inline struct pri_mpi *pri_mpi(void)
{
    struct pri_rank *self = pri_self();
    return NI_LIKELY(self != NULL) ? self->user[PRI_USER_MPI] : NULL;
}

struct pri_comm *pri_comm_of_mark(MPI_Comm mark);

/* The communicator of a handle; NULL if it is none. */
static inline struct pri_comm *pri_comm_of(MPI_Comm handle)
{
    if (handle == MPI_COMM_WORLD) {
        struct pri_mpi *mpi = pri_mpi();
        return NI_LIKELY(mpi != NULL) ? mpi->world : NULL;
    }
    if (NI_UNLIKELY(handle == NULL || handle->magic != PRI_COMM_MAGIC)) {
        return pri_comm_of_mark(handle);
    }
    return handle;
}

/* The same of an intracommunicator; NULL also if it is none. */
static inline struct pri_comm *pri_intra_of(MPI_Comm handle)
{
    struct pri_comm *comm = pri_comm_of(handle);
    return comm != NULL && NI_LIKELY(comm->inter == NULL) ? comm : NULL;
}

/* ---- errors ---- */

/* MPI's code for an error of the core. */
int pri_mpi_code(int error);

/* Something went wrong in a function (its __func__): the error handler of the communicator is
 * called, or MPI_COMM_WORLD's if comm is NULL. Returns the code if the handler does. */
int pri_fail(struct pri_comm *comm, const char *function, int code);

/* What is wrong, for the message of this thread's next pri_fail, if that is about this code and
 * ends the job: in words, or a value and the bounds that it is not in. Both return the code; the
 * text stays. */
int pri_blame(int code, const char *what);
int pri_blame_value(int code, const char *what, long long value, long long low, long long high);

/* Whether a result has a place to go to. */
static inline int pri_no_place(const void *result)
{
    return NI_LIKELY(result != NULL) ? MPI_SUCCESS
                                     : pri_blame(MPI_ERR_ARG, "the address for the result is NULL");
}

static inline int pri_result(struct pri_comm *comm, const char *function, int error)
{
    return NI_LIKELY(error == 0) ? MPI_SUCCESS : pri_fail(comm, function, pri_mpi_code(error));
}

/* Before MPI_Init or after MPI_Finalize: says so and ends the process. */
_Noreturn void pri_fail_early(const char *function);

/* The state, or the process ends. */
static inline struct pri_mpi *pri_mpi_need(const char *function)
{
    struct pri_mpi *mpi = pri_mpi();
    if (NI_UNLIKELY(mpi == NULL)) {
        pri_fail_early(function);
    }
    return mpi;
}

/* The text of a code or class; never NULL. */
const char *pri_code_text(int code);
/* The same with what is known of this case: who has died. */
void pri_code_describe(int code, char text[MPI_MAX_ERROR_STRING]);
int pri_code_class(int code);
/* Frees what the application's own codes took. */
void pri_errors_free(struct pri_mpi *mpi);

void pri_errhandler_retain(struct pri_errhandler *handler);
void pri_errhandler_release(struct pri_errhandler *handler);

/* ---- communicators ---- */

/* A new communicator of a group, of which this is a reference that it takes; NULL (and the
 * reference is gone) when memory is short. Its context is set by pri_comm_begin. */
struct pri_comm *pri_comm_new(struct pri_mpi *mpi, struct pri_group *group);
/* It has a context now, and can be used. 0 or an error of the core. */
int pri_comm_begin(struct pri_comm *comm, uint32_t context, bool leads);
/* Takes what a new communicator has from the one that it is made of. */
void pri_comm_inherit(struct pri_comm *comm, const struct pri_comm *from);
/* The same ranks in a context of their own, for the library: collective. 0 or an error of the
 * core. */
int pri_comm_copy(struct pri_comm *comm, struct pri_comm **copy);
/* One more handle or request. */
static inline void pri_comm_retain(struct pri_comm *comm)
{
    if (NI_UNLIKELY(comm->mpi->self->threads)) {
        atomic_fetch_add_explicit(&comm->refs, 1, memory_order_relaxed);
    } else {
        atomic_store_explicit(&comm->refs,
                              atomic_load_explicit(&comm->refs, memory_order_relaxed) + 1,
                              memory_order_relaxed);
    }
}
/* Nobody has it any more. */
NI_COLD void pri_comm_destroy(struct pri_comm *comm);
/* The handle is gone, or a request is. */
static inline void pri_comm_release(struct pri_comm *comm)
{
    unsigned before;
    if (NI_UNLIKELY(comm->mpi->self->threads)) {
        /* Pairs with the other releases: the last one frees what all have read. */
        before = atomic_fetch_sub_explicit(&comm->refs, 1, memory_order_acq_rel);
    } else {
        before = atomic_load_explicit(&comm->refs, memory_order_relaxed);
        atomic_store_explicit(&comm->refs, before - 1, memory_order_relaxed);
    }
    if (NI_UNLIKELY(before == 1)) {
        pri_comm_destroy(comm);
    }
}
/* Collective: the application has freed it. Its memory goes, and its context may be used again,
 * when all ranks have. */
void pri_comm_end(struct pri_comm *comm);
/* Waits for all that end, or for those with ranks of other jobs. */
void pri_comms_end_all(struct pri_mpi *mpi, bool foreign);
/* One has a context, or goes; whether the core is to know what they are called. */
void pri_comm_enlist(struct pri_comm *comm);
void pri_comm_unlist(struct pri_comm *comm);
void pri_comms_tell(struct pri_mpi *mpi, bool yes);

/* Communicators of those ranks that say the same color, ordered by key and rank; *part is NULL
 * where the color is MPI_UNDEFINED, and of an intercommunicator also where nobody in the other
 * group says it. 0 or an error of the core. */
int pri_comm_split(struct pri_comm *comm, int color, int key, struct pri_comm **part);

/* A rank of the job from a rank of the communicator. */
static inline int pri_comm_peer(const struct pri_comm *comm, int rank)
{
    return pri_team_member(&comm->team, rank);
}

/* ---- groups ---- */

struct pri_group *pri_group_new(int size);
/* Sets the rank of the calling process, when all ranks are filled in. */
void pri_group_finish(struct pri_group *group, struct pri_rank *self);
/* Whether all ranks of a group are in another. */
bool pri_group_within(const struct pri_group *group, const struct pri_group *whole);
void pri_group_retain(struct pri_group *group);
void pri_group_release(struct pri_group *group);

/* ---- attributes ---- */

enum pri_attr_kind { PRI_ATTR_COMM, PRI_ATTR_TYPE, PRI_ATTR_WIN };

int pri_keyval_new(struct pri_mpi *mpi, enum pri_attr_kind kind, void (*copy)(void),
                   void (*release)(void), void *extra, int *keyval);
int pri_keyval_free(struct pri_mpi *mpi, enum pri_attr_kind kind, int *keyval);
/* These return MPI's error codes; object is the handle that the application's functions are
 * given. */
int pri_attr_set(struct pri_mpi *mpi, struct pri_attr **list, enum pri_attr_kind kind, void *object,
                 int keyval, void *value);
int pri_attr_get(struct pri_mpi *mpi, struct pri_attr *list, enum pri_attr_kind kind, int keyval,
                 void **value, int *flag);
int pri_attr_delete(struct pri_mpi *mpi, struct pri_attr **list, enum pri_attr_kind kind,
                    void *object, int keyval);
int pri_attr_copy_all(struct pri_mpi *mpi, struct pri_attr **list, struct pri_attr *from,
                      enum pri_attr_kind kind, void *object);
int pri_attr_delete_all(struct pri_mpi *mpi, struct pri_attr **list, enum pri_attr_kind kind,
                        void *object);
void pri_keyvals_free(struct pri_mpi *mpi);
/* The functions of a key are Fortran's, with a number as their extra state; likewise an attribute's
 * value (mpi/number.h). */
void pri_keyval_fortran(struct pri_mpi *mpi, int keyval, int language, MPI_Aint extra);
void pri_attr_fortran(struct pri_attr *list, int keyval, MPI_Aint number);
bool pri_attr_is_fortran(struct pri_attr *list, int keyval);

/* ---- numbers of handles ---- */

void pri_numbers_free(struct pri_mpi *mpi);

/* ---- datatypes ---- */

/* Frees the names that the application gave to predefined types. */
void pri_type_names_free(struct pri_mpi *mpi);

/* ---- topologies ---- */

struct pri_topology *pri_topology_copy(const struct pri_topology *topology);
void pri_topology_free(struct pri_topology *topology);

/* ---- infos ---- */

struct pri_info *pri_info_copy(const struct pri_info *info);
void pri_info_release(struct pri_info *info);

/* ---- requests ---- */

/* One goes (mpi/request.h has how they come and go) whose core part completes without anybody
 * waiting. */
void pri_request_detached(struct pri_request *core);

/* Where the bytes of contiguous data are. */
static inline void *pri_data_at(const void *buf, const struct pri_type *type)
{
    return (void *)((uintptr_t)buf + (uintptr_t)type->true_lb);
}

/* Describes data with holes for core. */
void pri_data_set(struct pri_mpi_vec *data, const void *buf, size_t count, struct pri_type *type);

#endif
