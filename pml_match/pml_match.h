/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PML_MATCH_H
#define PML_MATCH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "ompi/mca/pml/base/base.h"
#include "ompi/mca/pml/base/pml_base_bsend.h"
#include "ompi/mca/pml/base/pml_base_request.h"
#include "ompi/mca/pml/pml.h"
#include "ompi_match/hot.h"

/*
 * The match PML: ompi_match directly below MPI, without pml cm and the interface for MTLs. See
 * ompi_match/match.h for what a message is.
 *
 * pml_match_*.c by verb:
 *   component   open, init, finalize        send        send, isend
 *   params      MCA parameters              recv        recv, irecv, cancel
 *   module      function table              matched     probe, mprobe, imrecv, mrecv
 *   request     free lists, the end         persistent  isend_init, irecv_init, start
 *   buffered    buffered sends              hot         what is inlined (pml_match_hot.h)
 *
 * What is short and leaves at once needs no request: MPI_Isend gives the program one that all such
 * sends share, which is complete. (With threads it gets one of its own, since users of the PML
 * write into it.) So does a blocking receive whose message is there; one that has to wait has its
 * request on the stack. Only data that does not lie in one piece is described by a convertor. A
 * persistent request keeps what starting it needs.
 *
 * Threads: a request is touched by the thread that starts it and then, once, by the thread that
 * handles its event; who frees it may be a third, see pml_match_request.c.
 */

/* ---- objects --------------------------------------------------------------------------------- */

/* How far a request is that is about to be given back. */
enum { PML_MATCH_FREED = 1, PML_MATCH_OVER = 2 };

/* A request. It begins as Open MPI's own do, whose debugger support reads that. */
struct pml_match_request {
    mca_pml_base_request_t super;
    _Atomic int ends;                 /* PML_MATCH_* */
    bool described;                   /* the convertor is prepared, the datatype retained */
    struct ompi_match_buffer *packed; /* NULL: the data is in the user's buffer */
    void *copy;                       /* of a buffered send: in the program's attached buffer */
    ni_me_handle entry;               /* of a receive; 0: none */
    struct pml_match_request *next;   /* in a list of free ones */
    /* of persistent ones */
    mca_pml_base_send_mode_t mode;
    struct ompi_match_message message;
    struct ompi_match_endpoint *from; /* NULL: any source */
    struct ni_me me;
};
typedef struct pml_match_request pml_match_request_t;
OBJ_CLASS_DECLARATION(pml_match_request_t);

struct pml_match_component {
    mca_pml_base_component_t super;
    int enable; /* enum ompi_glue_enable */
    int priority;
};

OPAL_MODULE_DECLSPEC extern struct pml_match_component mca_pml_match_component;
extern mca_pml_base_module_t pml_match;
extern const struct ompi_match_calls pml_match_calls;

/* ---- component ------------------------------------------------------------------------------- */

int pml_match_register_params(void);

/* Whether this run asked for the component. */
bool pml_match_wanted(void);

/* The help file's text without its comments, made from it by the build. */
extern const char pml_match_help_text[];

/* ---- module ---------------------------------------------------------------------------------- */

int pml_match_send(const void *buffer, size_t count, struct ompi_datatype_t *datatype, int dest,
                   int tag, mca_pml_base_send_mode_t mode, struct ompi_communicator_t *comm);
int pml_match_isend(const void *buffer, size_t count, struct ompi_datatype_t *datatype, int dest,
                    int tag, mca_pml_base_send_mode_t mode, struct ompi_communicator_t *comm,
                    struct ompi_request_t **handle);
int pml_match_isend_init(const void *buffer, size_t count, struct ompi_datatype_t *datatype,
                         int dest, int tag, mca_pml_base_send_mode_t mode,
                         struct ompi_communicator_t *comm, struct ompi_request_t **handle);
int pml_match_recv(void *buffer, size_t count, struct ompi_datatype_t *datatype, int source,
                   int tag, struct ompi_communicator_t *comm, ompi_status_public_t *status);
int pml_match_irecv(void *buffer, size_t count, struct ompi_datatype_t *datatype, int source,
                    int tag, struct ompi_communicator_t *comm, struct ompi_request_t **handle);
int pml_match_irecv_init(void *buffer, size_t count, struct ompi_datatype_t *datatype, int source,
                         int tag, struct ompi_communicator_t *comm, struct ompi_request_t **handle);
int pml_match_imrecv(void *buffer, size_t count, struct ompi_datatype_t *datatype,
                     struct ompi_message_t **message, struct ompi_request_t **handle);
int pml_match_mrecv(void *buffer, size_t count, struct ompi_datatype_t *datatype,
                    struct ompi_message_t **message, ompi_status_public_t *status);
int pml_match_iprobe(int source, int tag, struct ompi_communicator_t *comm, int *matched,
                     ompi_status_public_t *status);
int pml_match_probe(int source, int tag, struct ompi_communicator_t *comm,
                    ompi_status_public_t *status);
int pml_match_improbe(int source, int tag, struct ompi_communicator_t *comm, int *matched,
                      struct ompi_message_t **message, ompi_status_public_t *status);
int pml_match_mprobe(int source, int tag, struct ompi_communicator_t *comm,
                     struct ompi_message_t **message, ompi_status_public_t *status);
int pml_match_start(size_t count, struct ompi_request_t **handles);
int pml_match_cancel(struct ompi_request_t *user, int flag);

/* Handlers of events: a put of ours, or what arrived. */
void pml_match_on_sent(void *arg, const struct ni_event *event);
void pml_match_on_received(void *arg, const struct ni_event *event);

/* ---- send ------------------------------------------------------------------------------------ */

/* Send from the memory of the message, with a request that is begun and whose bytes are packed if
 * need be; it is complete at once or by an event. On an error it is as it was. */
int pml_match_put(struct pml_match_request *request, const struct ompi_match_message *message,
                  mca_pml_base_send_mode_t mode);
/* The same from what the request's convertor describes. */
int pml_match_put_described(struct pml_match_request *request, struct ompi_match_message *message,
                            mca_pml_base_send_mode_t mode);

/* A send whose bytes are copied into the program's attached buffer, unless there are none. From
 * convertor, or from the memory of the message if that is NULL. */
int pml_match_send_buffered(struct ompi_match_message *message, struct opal_convertor_t *convertor,
                            struct ompi_communicator_t *comm);

/* The same for data that is described here. */
int pml_match_bsend(struct ompi_match_message *message, const void *buffer, size_t count,
                    struct ompi_datatype_t *datatype, bool in_one_piece,
                    struct ompi_communicator_t *comm);
/* Give the room in the program's buffer back. */
void pml_match_release_copy(struct pml_match_request *request);

/* ---- receive --------------------------------------------------------------------------------- */

/* Have a receive that does not lie in one piece come into a buffer, to be unpacked: me says how
 * long it is, and then where. */
int pml_match_unpack_later(struct pml_match_request *request, struct ni_me *me);

/* End a receive that has just been posted for a peer that is gone already. What the peer had sent
 * before is received all the same: that has matched by now. */
NI_COLD void pml_match_give_up(struct pml_match_request *request, uint64_t bits);

/* A receive whose caller waits for it has its request on the stack: begin it, and wait for its
 * end. */
void pml_match_begin_on_stack(struct pml_match_request *request, struct ompi_communicator_t *comm);
int pml_match_wait(struct pml_match_request *request, ompi_status_public_t *status);

/* ---- requests -------------------------------------------------------------------------------- */

/*
 * Requests that wait to be used again. They belong to a list of Open MPI's, which debuggers read.
 * Without threads those that were given back are in a list of ours.
 */
struct pml_match_list {
    opal_free_list_t *all;
    struct pml_match_request *first; /* NULL with threads */
};
extern struct pml_match_list pml_match_sends, pml_match_receives;

int pml_match_make_requests(void);

/* ompi_request_free_fn_t */
int pml_match_request_free(struct ompi_request_t **handle);

/* Give a request back, with all that it holds. */
NI_NOINLINE void pml_match_give_back(struct pml_match_request *request);

/* The end of a request that has started; its status is set. The caller does not touch it any more.
 * With threads, or where it has a callback or has been freed. */
NI_NOINLINE void pml_match_end_otherwise(struct pml_match_request *request);
/* Without either, where MPI_Waitall or its like waits for it and others. */
NI_NOINLINE void pml_match_end_waited(struct ompi_request_t *user);

/* Describe the data of a request by its convertor, and the reverse. */
void pml_match_describe(struct pml_match_request *request, struct ompi_datatype_t *datatype,
                        size_t count, const void *buffer);
void pml_match_undescribe(struct pml_match_request *request);

/* A request of a send that is complete already: one for all, or with threads one for each. */
extern struct ompi_request_t pml_match_sent;
NI_COLD int pml_match_one_sent(struct ompi_communicator_t *comm, struct ompi_request_t **handle);

#endif
