/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OMPI_MTL_MATCH_H
#define OMPI_MTL_MATCH_H

#include <stdatomic.h>
#include <stdbool.h>

#include "ompi_match/hot.h"

/*
 * The match MTL: ompi_match through pml cm. See ompi_match/match.h for what a message is.
 *
 * mtl_match_*.c by verb:
 *   component  open, query, close                  send    send, isend
 *   params     MCA parameters                      recv    irecv, imrecv, cancel
 *   module     function table, what only forwards  end     of requests, with threads
 *
 * Life: Open MPI registers parameters (always) and opens the component, which declines unless it
 * was asked for. All that may fail is in query, because pml cm does not look for another MTL after
 * that. finalize closes the interface.
 *
 * Threads: a request is touched by the thread that starts it and then, once, by the thread that
 * handles its event; who frees it may be a third, see mtl_match_end.c.
 */

/* ---- objects --------------------------------------------------------------------------------- */

enum ompi_mtl_match_kind { OMPI_MTL_MATCH_SEND, OMPI_MTL_MATCH_RECV };

/* A request; what pml cm reserves for us begins with its own part. */
struct ompi_mtl_match_request {
    struct mca_mtl_request_t super;
    enum ompi_mtl_match_kind kind;
    bool shared;                      /* with other threads, from the start to the end */
    bool buffered;                    /* a send that was complete when it began */
    _Atomic int ends;                 /* of one that is shared: how far, see mtl_match_end.c */
    struct ompi_match_buffer *packed; /* NULL: the data is in the user's buffer */
    /* receives */
    struct opal_convertor_t *convertor;
    struct ompi_communicator_t *comm;
    ni_me_handle entry;
};

struct ompi_mtl_match_component {
    mca_mtl_base_component_t super;
    int enable; /* enum ompi_glue_enable */
    int priority;
};

OPAL_MODULE_DECLSPEC extern struct ompi_mtl_match_component mca_mtl_match_component;
extern mca_mtl_base_module_t ompi_mtl_match;
extern const struct ompi_match_calls ompi_mtl_match_calls;

/* ---- component ------------------------------------------------------------------------------- */

int ompi_mtl_match_register_params(void);

/* Whether this run asked for the component. */
bool ompi_mtl_match_wanted(void);

/* The help file's text without its comments, made from it by the build. */
extern const char ompi_mtl_match_help_text[];

/* ---- module ---------------------------------------------------------------------------------- */

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

/* The end of a request; its status is set. */
static inline void ompi_mtl_match_complete(struct ompi_mtl_match_request *request)
{
    if (NI_UNLIKELY(request->shared)) {
        ompi_mtl_match_complete_shared(request);
    } else {
        request->super.completion_callback(&request->super);
    }
}

#endif
