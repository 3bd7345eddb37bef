/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OMPI_MATCH_H
#define OMPI_MATCH_H

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
 * MPI's point-to-point messages as puts to the portal of the peer: what mtl_match and pml_match
 * have in common. The network interface matches, delivers and completes; the components translate.
 * Each of them has a copy of this code of its own, with one interface. What one of them sends the
 * other receives.
 *
 *   open.c    the interface and its portal, its address published, progress
 *   procs.c   add_procs, del_procs, dead peers    send.c    what a put needs beyond the hot path
 *   probe.c   iprobe, improbe                     recv.c    the same of a receive
 *   comms.c   del_comm                            buffer.c  packing, buffers for that
 *   result.c  errors, and what ends the job       params.c  MCA parameters, performance variables
 *   hot.h     what is inlined
 *
 * A message in the terms of Portals:
 *
 *   portal table entry  one, which keeps what is unexpected (NI_PT_UNEXPECTED)
 *   match bits          63..32 context of the communicator, 31..0 tag, negative ones too
 *   initiator           the number that this interface gave to the sender
 *   hdr_data            63..32 OMPI_MATCH_*, 31..0 the sender's rank in the communicator, so that
 *                       the receiver's status needs no translation
 *
 * MPI_ANY_TAG ignores all bits of the tag but its sign: tags of the library are negative.
 *
 * Life: the interface is opened and its address published when the component is asked whether it
 * takes part. Processes are connected by add_procs; those of which that never heard when they are
 * first named.
 *
 * Threads: with MPI_THREAD_MULTIPLE the interface is opened with NI_THREADS. The only lock here is
 * over the list of endpoints.
 */

/* ---- objects --------------------------------------------------------------------------------- */

/* A peer process; in its proc's slot for MTLs. */
struct ompi_match_endpoint {
    struct ni_peer *peer; /* NULL: this process */
    ni_initiator id;
    _Atomic int down;   /* 0, or the negative ni_status with which it went; set once */
    struct ni_list all; /* in the list of all; under its lock */
    ompi_proc_t *proc;
};

/* A buffer for data that is not contiguous: the packed bytes. */
struct ompi_match_buffer {
    opal_free_list_item_t super;
    opal_free_list_t *home; /* NULL: from malloc */
    _Alignas(NI_CACHE_LINE) uint8_t data[];
};
typedef struct ompi_match_buffer ompi_match_buffer_t;
OBJ_CLASS_DECLARATION(ompi_match_buffer_t);

/* Larger sizes come from malloc. */
enum { OMPI_MATCH_BUFFER_CLASSES = 4 };

/* What a process publishes. */
enum { OMPI_MATCH_MODEX_VERSION = 1, OMPI_MATCH_PT = 0 };
struct ompi_match_modex {
    uint32_t version;
    uint32_t blob_len;
    uint8_t blob[NI_BLOB_MAX];
};

/* What the component does itself. */
struct ompi_match_calls {
    ni_event_fn on_sent;     /* the event of a put of ours */
    ni_event_fn on_received; /* of a receive */
    /* The communicator of a receive that is posted with this user_ptr; it may not call the NI. */
    struct ompi_communicator_t *(*comm_of)(const void *user_ptr);
};

/* The one interface, and what belongs to it. */
struct ompi_match {
    struct ni *ni; /* NULL unless open */
    /* All memory; [true]: of the thread that polls until it is over. */
    struct ni_md sends[2];  /* SEND events, unless ni_put says that it is done */
    struct ni_md syncs[2];  /* ACK events only */
    struct ni_eq *sent;     /* on_sent */
    struct ni_eq *received; /* on_received */
    const struct ompi_match_calls *calls;
    int (*progress)(void); /* what Open MPI calls */
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
    opal_free_list_t buffers[OMPI_MATCH_BUFFER_CLASSES];
};

extern struct ompi_match ompi_match;

/* hdr_data, upper half: matching does not look at it. */
enum ompi_match_flags {
    OMPI_MATCH_SYNCHRONOUS = 1,
    OMPI_MATCH_READY = 2,
};

/* ---- parameters ------------------------------------------------------------------------------ */

/* Register all parameters that both components have, and their performance variables. First of all:
 * the glue learns whose copy it is. self is kept. */
void ompi_match_register_params(const struct ompi_glue_component *self);

/* For struct ompi_glue_component: core parameters without effect, and the NI. */
extern const char *const ompi_match_unused[];
struct ni *ompi_match_interface(void);

/* The key under which the address is published. */
extern const mca_base_component_t ompi_match_published;

/* ---- open ------------------------------------------------------------------------------------ */

/* Open the interface and publish its address; calls is kept. Says why if it cannot, also if it
 * cannot reach the other hosts of the job, or Open MPI is another one than that for which this was
 * compiled. */
bool ompi_match_open(bool threads, const struct ompi_match_calls *calls);

/* Begin to make progress. */
void ompi_match_run(void);

/* Close all; may be called at any time, also twice. */
void ompi_match_close(void);

/* ---- peers ----------------------------------------------------------------------------------- */

int ompi_match_add_procs(size_t nprocs, struct ompi_proc_t **procs);
int ompi_match_del_procs(size_t nprocs, struct ompi_proc_t **procs);
/* The endpoint of a process that has none yet: connects. NULL if it cannot be reached, which is
 * told to the user. */
struct ompi_match_endpoint *ompi_match_connect(struct ompi_proc_t *proc);
/* Disconnect from all. */
void ompi_match_release_all(void);
/* Whether a process was lost with which the communicator exchanges messages. Thread-safe. */
NI_COLD bool ompi_match_misses_peer(struct ompi_communicator_t *comm);
/* ni_peer_down_fn */
void ompi_match_peer_down(void *arg, struct ni_peer *peer, ni_status status);

/* Drop what nobody has received of a communicator whose context will be used again. */
int ompi_match_del_comm(struct ompi_communicator_t *comm);

/* ---- messages -------------------------------------------------------------------------------- */

int ompi_match_iprobe(struct ompi_communicator_t *comm, int source, int tag, int *flag,
                      struct ompi_status_public_t *status);
int ompi_match_improbe(struct ompi_communicator_t *comm, int source, int tag, int *matched,
                       struct ompi_message_t **message, struct ompi_status_public_t *status);

/* What is to be sent, and where. */
struct ompi_match_message {
    struct ompi_match_endpoint *to;
    const void *memory;
    size_t size;
    struct ompi_match_buffer *packed; /* NULL: memory is the user's */
    uint64_t bits;
    uint64_t header;
};

/* Send and wait until the data has left, or of a synchronous send, until it has been matched. The
 * packed bytes are given back. */
NI_NOINLINE int ompi_match_send(const struct ompi_match_message *message,
                                mca_pml_base_send_mode_t mode);

/* Send bytes of nobody's: a buffer, which the event gives back. NI_OK, or an error of the put; the
 * buffer is given back in any case. */
int ompi_match_send_buffer(struct ompi_match_message *message, struct ompi_match_buffer *buffer);

/* The event of a put, if it is of one of the two above. The user_ptr of others has two low bits
 * that are 0. */
bool ompi_match_on_sent(const struct ni_event *event);

/* Of a message that was not expected, or has failed. The error of MPI. */
NI_NOINLINE int ompi_match_examine(const struct ni_event *event, const struct ompi_request_t *user);

/* ---- buffers --------------------------------------------------------------------------------- */

int ompi_match_make_buffers(void);
void ompi_match_free_buffers(void);
/* A buffer of at least size bytes, or NULL. Thread-safe. */
struct ompi_match_buffer *ompi_match_buffer_get(size_t size);
void ompi_match_buffer_put(struct ompi_match_buffer *buffer);
/* Pack all that the convertor describes, size bytes. NULL if there is no memory. */
struct ompi_match_buffer *ompi_match_pack(struct opal_convertor_t *convertor, size_t size);
/* Unpack the first size bytes. */
int ompi_match_unpack(struct opal_convertor_t *convertor, const struct ompi_match_buffer *buffer,
                      size_t size);

/* ---- results --------------------------------------------------------------------------------- */

/* The error of Open MPI for a result of the portals, and the one of MPI for a request's event. That
 * memory has run out is told to the user, once. The job ends if it was a message of a part of Open
 * MPI that does not look how its messages end: of a nonblocking collective, by the tag in the match
 * bits, or of a window, by the callback of the request, which is NULL where there is none: a
 * blocking send, or a probe. Thread-safe. */
int ompi_match_error(int result, uint64_t bits, const struct ompi_request_t *user);
int ompi_match_failure(const struct ni_event *event, const struct ompi_request_t *user);
/* The same where it was not the portals that ran out of memory. */
NI_COLD int ompi_match_no_memory(uint64_t bits, const struct ompi_request_t *user);
/* The same where it was a process that was lost. */
NI_COLD int ompi_match_lost(uint64_t bits, const struct ompi_request_t *user);
/* The user knows that a process was lost: if a part of Open MPI cannot go on without it, the job
 * ends now. */
NI_COLD void ompi_match_told_lost(void);

#endif
