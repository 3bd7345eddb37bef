/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OMPI_MTL_MATCH_H
#define OMPI_MTL_MATCH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <apeni/ni.h>
#include <apeni/portals.h>

#include "base/compiler.h"
#include "base/list.h"
#include "ompi_glue/component.h"
#include "ompi_glue/mtl.h"

/*
 * The match MTL: MPI's point-to-point messages as puts to the portal of the peer. The network
 * interface matches, delivers and completes; this component translates. It is used through pml cm.
 *
 * mtl_match_*.c by verb:
 *   component  open, query, close                  send    send, isend
 *   params     MCA parameters                      recv    irecv, imrecv, cancel
 *   module     function table, init, finalize      probe   iprobe, improbe
 *   procs      add_procs, del_procs, dead peers    buffer  packing, buffers for that
 *   comms      add_comm, del_comm                  result  errors, and what ends the job
 *   end        of requests, with threads           hot     what all of them share (mtl_match_hot.h)
 *
 * A message in the terms of Portals:
 *
 *   portal table entry  one, which keeps what is unexpected (NI_PT_UNEXPECTED)
 *   match bits          63..32 context of the communicator, 31..0 tag, negative ones too
 *   initiator           the number that this interface gave to the sender
 *   hdr_data            63..32 OMPI_MTL_MATCH_*, 31..0 the sender's rank in the communicator, so
 *                       that the receiver's status needs no translation
 *
 * MPI_ANY_TAG ignores all bits of the tag but its sign: tags of the library are negative.
 *
 * Life: Open MPI registers parameters (always) and opens the component, which declines unless it
 * was asked for. All that may fail is in query, because pml cm does not look for another MTL after
 * that: the interface is opened and its address published there. add_procs connects; processes of
 * which it never heard are connected when they are first named. finalize closes the interface.
 *
 * Threads: with MPI_THREAD_MULTIPLE the interface is opened with NI_THREADS. A request is touched
 * by the thread that starts it and then, once, by whoever handles its event; who frees it may be a
 * third, see mtl_match_end.c. The only lock is the module's, over the list of endpoints.
 */

/* ---- objects --------------------------------------------------------------------------------- */

/* A peer process; in its proc's slot for MTLs. */
struct ompi_mtl_match_endpoint {
    struct ni_peer *peer; /* NULL: this process */
    ni_initiator id;
    _Atomic int down;   /* 0, or the negative ni_status with which it went; set once */
    struct ni_list all; /* in the module's list; under its lock */
    ompi_proc_t *proc;
};

/* A buffer for data that is not contiguous: the packed bytes. */
struct ompi_mtl_match_buffer {
    opal_free_list_item_t super;
    opal_free_list_t *home; /* NULL: from malloc */
    _Alignas(NI_CACHE_LINE) uint8_t data[];
};
typedef struct ompi_mtl_match_buffer ompi_mtl_match_buffer_t;
OBJ_CLASS_DECLARATION(ompi_mtl_match_buffer_t);

enum ompi_mtl_match_kind { OMPI_MTL_MATCH_SEND, OMPI_MTL_MATCH_RECV };

/* A request; what pml cm reserves for us begins with its own part. */
struct ompi_mtl_match_request {
    struct mca_mtl_request_t super;
    enum ompi_mtl_match_kind kind;
    bool shared;                          /* with other threads, from the start to the end */
    bool buffered;                        /* a send that was complete when it began */
    _Atomic int ends;                     /* of one that is shared: how far, see mtl_match_end.c */
    struct ompi_mtl_match_buffer *packed; /* NULL: the data is in the user's buffer */
    /* receives */
    struct opal_convertor_t *convertor;
    struct ompi_communicator_t *comm;
    ni_me_handle entry;
};

/* Larger sizes come from malloc. */
enum { OMPI_MTL_MATCH_BUFFER_CLASSES = 4 };

/* What a process publishes. */
enum { OMPI_MTL_MATCH_MODEX_VERSION = 1, OMPI_MTL_MATCH_PT = 0 };
struct ompi_mtl_match_modex {
    uint32_t version;
    uint32_t blob_len;
    uint8_t blob[NI_BLOB_MAX];
};

/* The one module. */
struct ompi_mtl_match_module {
    mca_mtl_base_module_t super;
    struct ni *ni; /* NULL unless open */
    /* All memory; [true]: of whoever polls until it is over. */
    struct ni_md sends[2];  /* SEND events, unless ni_put says that it is done */
    struct ni_md syncs[2];  /* ACK events only */
    struct ni_eq *sent;     /* ompi_mtl_match_on_sent */
    struct ni_eq *received; /* ompi_mtl_match_on_received */
    int (*progress)(void);  /* what Open MPI calls */
    bool threads;
    bool closing;   /* peers that go away now are no news */
    bool running;   /* progress is registered */
    unsigned looks; /* of a blocking receive for its message, before it is posted */
    struct ni_list endpoints;
    opal_mutex_t lock;
    _Atomic uint64_t unready; /* ready sends that found no receive */
    _Atomic bool no_memory;   /* and the user knows */
    _Atomic bool lost;        /* a process, and the user knows */
    /* The part of Open MPI that cannot go on, if it is of a process that the user hears next. */
    _Atomic(const char *) doomed;
    opal_free_list_t buffers[OMPI_MTL_MATCH_BUFFER_CLASSES];
};

struct ompi_mtl_match_component {
    mca_mtl_base_component_t super;
    int enable; /* enum ompi_glue_enable */
    int priority;
};

OPAL_MODULE_DECLSPEC extern struct ompi_mtl_match_component mca_mtl_match_component;
extern struct ompi_mtl_match_module ompi_mtl_match;

/* hdr_data, upper half: matching does not look at it. */
enum ompi_mtl_match_flags {
    OMPI_MTL_MATCH_SYNCHRONOUS = 1,
    OMPI_MTL_MATCH_READY = 2,
};

/* ---- component ------------------------------------------------------------------------------- */

/* Register all parameters. First of all: the glue learns whose copy it is. */
int ompi_mtl_match_register_params(void);

/* Whether this run asked for the component. */
bool ompi_mtl_match_wanted(void);

/* The help file's text without its comments, made from it by the build. */
extern const char ompi_mtl_match_help_text[];

/* Open the interface and publish its address. Says why if it cannot. */
bool ompi_mtl_match_open(struct ompi_mtl_match_module *module, bool threads);

/* Begin to make progress. */
void ompi_mtl_match_run(struct ompi_mtl_match_module *module);

/* Close all; may be called at any time, also twice. */
int ompi_mtl_match_finalize(struct mca_mtl_base_module_t *mtl);

/* ---- module ---------------------------------------------------------------------------------- */

int ompi_mtl_match_add_procs(struct mca_mtl_base_module_t *mtl, size_t nprocs,
                             struct ompi_proc_t **procs);
int ompi_mtl_match_del_procs(struct mca_mtl_base_module_t *mtl, size_t nprocs,
                             struct ompi_proc_t **procs);
/* The endpoint of a process that has none yet: connects. NULL if it cannot be reached, which is
 * told to the user. */
struct ompi_mtl_match_endpoint *ompi_mtl_match_connect(struct ompi_proc_t *proc);
/* Disconnect from all. */
void ompi_mtl_match_release_all(struct ompi_mtl_match_module *module);
/* Whether a process was lost with which the communicator exchanges messages. Thread-safe. */
NI_COLD bool ompi_mtl_match_misses_peer(struct ompi_communicator_t *comm);
/* ni_peer_down_fn */
void ompi_mtl_match_peer_down(void *arg, struct ni_peer *peer, ni_status status);

int ompi_mtl_match_add_comm(struct mca_mtl_base_module_t *mtl, struct ompi_communicator_t *comm);
int ompi_mtl_match_del_comm(struct mca_mtl_base_module_t *mtl, struct ompi_communicator_t *comm);

int ompi_mtl_match_send(struct mca_mtl_base_module_t *mtl, struct ompi_communicator_t *comm,
                        int dest, int tag, struct opal_convertor_t *convertor,
                        mca_pml_base_send_mode_t mode);
int ompi_mtl_match_isend(struct mca_mtl_base_module_t *mtl, struct ompi_communicator_t *comm,
                         int dest, int tag, struct opal_convertor_t *convertor,
                         mca_pml_base_send_mode_t mode, bool blocking,
                         mca_mtl_request_t *mtl_request);
int ompi_mtl_match_irecv(struct mca_mtl_base_module_t *mtl, struct ompi_communicator_t *comm,
                         int source, int tag, struct opal_convertor_t *convertor,
                         struct mca_mtl_request_t *mtl_request);
int ompi_mtl_match_iprobe(struct mca_mtl_base_module_t *mtl, struct ompi_communicator_t *comm,
                          int source, int tag, int *flag, struct ompi_status_public_t *status);
int ompi_mtl_match_improbe(struct mca_mtl_base_module_t *mtl, struct ompi_communicator_t *comm,
                           int source, int tag, int *matched, struct ompi_message_t **message,
                           struct ompi_status_public_t *status);
int ompi_mtl_match_imrecv(struct mca_mtl_base_module_t *mtl, struct opal_convertor_t *convertor,
                          struct ompi_message_t **message, struct mca_mtl_request_t *mtl_request);
int ompi_mtl_match_cancel(struct mca_mtl_base_module_t *mtl, mca_mtl_request_t *mtl_request,
                          int flag);

/* Handlers of events: a put of ours, or what arrived. */
void ompi_mtl_match_on_sent(void *arg, const struct ni_event *event);
void ompi_mtl_match_on_received(void *arg, const struct ni_event *event);

/* ---- end ------------------------------------------------------------------------------------- */

/* A request that has its kind is about to be started, and another thread may complete it. Not for
 * one that a blocking receive has on its stack. */
void ompi_mtl_match_share(struct ompi_mtl_match_request *request);
/* Complete it; its status is set. The caller does not touch it any more. Any thread. */
void ompi_mtl_match_complete_shared(struct ompi_mtl_match_request *request);

/* ---- buffers --------------------------------------------------------------------------------- */

int ompi_mtl_match_make_buffers(struct ompi_mtl_match_module *module);
void ompi_mtl_match_free_buffers(struct ompi_mtl_match_module *module);
/* A buffer of at least size bytes, or NULL. Thread-safe. */
struct ompi_mtl_match_buffer *ompi_mtl_match_buffer_get(size_t size);
void ompi_mtl_match_buffer_put(struct ompi_mtl_match_buffer *buffer);
/* Pack all that the convertor describes, size bytes. NULL if there is no memory. */
struct ompi_mtl_match_buffer *ompi_mtl_match_pack(struct opal_convertor_t *convertor, size_t size);
/* Unpack the first size bytes. */
int ompi_mtl_match_unpack(struct opal_convertor_t *convertor,
                          const struct ompi_mtl_match_buffer *buffer, size_t size);

/* ---- results --------------------------------------------------------------------------------- */

/* The error of Open MPI for a result of the portals, and the one of MPI for a request's event. That
 * memory has run out is told to the user, once. The job ends if it was a message of a part of Open
 * MPI that does not look how its messages end: of a nonblocking collective, by the tag in the match
 * bits, or of a window, by the callback of the request, which is NULL where there is none: a
 * blocking send, or a probe. Thread-safe. */
int ompi_mtl_match_error(int result, uint64_t bits, const struct ompi_mtl_match_request *request);
int ompi_mtl_match_failure(const struct ni_event *event,
                           const struct ompi_mtl_match_request *request);
/* The same where it was not the portals that ran out of memory. */
NI_COLD int ompi_mtl_match_no_memory(uint64_t bits, const struct ompi_mtl_match_request *request);
/* The same where it was a process that was lost. */
NI_COLD int ompi_mtl_match_lost(uint64_t bits, const struct ompi_mtl_match_request *request);
/* The user knows that a process was lost: if a part of Open MPI cannot go on without it, the job
 * ends now. */
NI_COLD void ompi_mtl_match_told_lost(void);

#endif
