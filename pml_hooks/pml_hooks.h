/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PML_HOOKS_H
#define PML_HOOKS_H

/*
 * The component: it stands between MPI and the PML that was chosen, passes every call on, and keeps
 * a record of them. It is loaded as a component of the framework "hook", which Open MPI opens
 * before it chooses a PML and whichever it chooses; its parameters are those of the group
 * pml_hooks.
 *
 *   component.c  from loading to MPI_Finalize: when the tables of functions are exchanged
 *   params.c     parameters
 *   pass.c       the functions of the PML, with receives.c
 *   persistent.c MPI_Start of requests that are used again
 *   follow.h     operations under way, inline
 *   follow.c     the rest of it, and their end
 *   requests.c   the calls that test and wait
 *   windows.c    the calls of one-sided communication that wait, of the windows of window.c
 *   peers.c      entries of peers, by communicator and rank
 *   count.h      what is done for each message, inline, by communicators and tags
 *   class.c      classes of tags
 *   inject.c     faults that are injected, with rules.c and hold.c
 *   end.c        an end before MPI_Finalize
 *   survive.c    going on after the death of a peer, with dead.c, under.c, abandon.c, btl.c,
 *                arrivals.c
 *   hosts.c      hangs of a job on several hosts
 *   news.c       deaths, of which its hosts tell each other
 *   gather.c     at the end: the records of all ranks become one file of JSON
 *   number.c     the functions of the PML while recording is off
 *   progress.c   whether it waits in a call that is not followed
 *   switch.c     on and off at run time
 *   pvars.c      variables of MPI_T
 *   help.c       what a user is told about parameters
 *   device.c     buffers in the memory of a GPU, with stage.c
 *   queues.c     depths of the queues below
 *   ask.c        what processes of different hosts ask each other
 *
 * The record itself, what is counted and how, its file and its JSON are in record/, which knows
 * nothing of Open MPI.
 */

#include "ompi_glue/pml.h"
#include "record/account.h"
#include "record/names.h"
#include "record/record.h"
#include "record/watch.h"

OPAL_MODULE_DECLSPEC extern ompi_hook_base_component_t mca_hook_apelink_component;

/* All of this is the component's own. */
#pragma GCC visibility push(hidden)

/* Parameters; what they mean is in params.c. Set before MPI_Init returns. */
struct pml_hooks_params {
    bool enable;
    char *directory;
    char *output;
    char *report;
    unsigned peers;
    unsigned hang_s;
    bool hang_abort;
    bool survive;
    char *inject; /* NULL: nothing */
    unsigned seed;
    int record;   /* whether it is recorded now */
    char *signal; /* that switches it; NULL or empty: none */
    char *device; /* what becomes of buffers of a GPU; NULL or empty: nobody asks */
    char *device_library;
};
extern struct pml_hooks_params pml_hooks_params;

int pml_hooks_register_params(void);
int pml_hooks_register_switch(void);
void pml_hooks_register_pvars(void);

/* Print a topic of help-hook-apelink.txt. */
void pml_hooks_help(const char *topic, const char *a, const char *b);

/* The functions below us: those of the PML that was chosen, and of its requests. */
extern mca_pml_base_module_t pml_hooks_below;
extern ompi_request_fns_t pml_hooks_requests_below;

/* Our functions, where they stand for those of the PML or of requests. */
void pml_hooks_pass_install(mca_pml_base_module_t *module);
void pml_hooks_receives_install(mca_pml_base_module_t *module);
void pml_hooks_number_install(mca_pml_base_module_t *module);
void pml_hooks_requests_install(ompi_request_fns_t *functions);

/* ---- peers ----------------------------------------------------------------------------------- */

/* The entry of the process that is `rank` in a communicator; never NULL: where there is no room, or
 * the rank is none, record_spare_peer. Thread-safe. */
struct record_peer *pml_hooks_peer_of(struct ompi_communicator_t *comm, int rank);

/* Which entry a communicator's rank has: pairs that are remembered, each at one place. */
enum { PML_HOOKS_PAIRS = 2048 /* a power of two */ };
struct pml_hooks_pair {
    union {
        struct {
            uint32_t rank, context; /* of the communicator */
        };
        uint64_t key; /* both */
    };
    struct record_peer *peer;
};
extern struct pml_hooks_pair pml_hooks_pairs[PML_HOOKS_PAIRS];

/* The entry of the process of this name; as above. Thread-safe. */
struct record_peer *pml_hooks_peer_named(opal_process_name_t name);

/* Forget what was remembered of a communicator: its number may be given to another. */
void pml_hooks_peers_forget(void);

/* The class of a message with this tag: the program's own have tags of 0 and more, Open MPI's
 * collectives send with negative tags, which name the collective. */
uint32_t pml_hooks_class_of(int tag);

/* ---- accounting ------------------------------------------------------------------------------ */

/* A message is about to be sent in a communicator, of so many bytes, at that time. Returns its
 * number among those to the peer, from 1. */
uint64_t pml_hooks_count_send(struct record_peer *peer, int tag, uint32_t context, uint64_t bytes,
                              uint64_t now);

/* A send of this mode begins. */
static inline void pml_hooks_count_mode(mca_pml_base_send_mode_t mode)
{
    record_add(&record_own.head->sends[mode], 1);
}

/* Whether our functions stand for those of the PML. */
static inline bool pml_hooks_installed(void)
{
    return record_own.head != NULL;
}

/* Whether what begins now is recorded. */
static inline bool pml_hooks_recording(void)
{
    return pml_hooks_installed() && record_own.head->enabled != 0;
}

/* A message has been received. */
void pml_hooks_count_receive(struct record_peer *peer, int tag, uint32_t context, uint64_t bytes,
                             bool any_source, uint64_t now);

/* The size of a message in bytes. */
static inline uint64_t pml_hooks_bytes(size_t count, const struct ompi_datatype_t *type)
{
    return count * type->super.size;
}

/* ---- operations under way -------------------------------------------------------------------- */

/* Of a request that pml_irecv_init or pml_isend_init has made: have it start by way of us. */
void pml_hooks_persistent_send(ompi_request_t *request, int peer, int tag,
                               mca_pml_base_send_mode_t mode, struct ompi_communicator_t *comm,
                               uint64_t bytes);
void pml_hooks_persistent_receive(ompi_request_t *request, int peer, int tag,
                                  struct ompi_communicator_t *comm, uint64_t bytes);
int pml_hooks_persistent_start(size_t count, ompi_request_t **requests);

/* While recording is off: a message is about to be sent, a receive that names the peer begins, and
 * a receive has been begun. */
void pml_hooks_number_send(struct record_peer *peer, int tag, uint32_t context);
void pml_hooks_number_post(struct record_peer *peer, int tag, uint32_t context);
void pml_hooks_number_receive(ompi_request_t *request, struct ompi_communicator_t *comm);

/* What a request that is used again does; false if it is not known. */
bool pml_hooks_persistent_of(const ompi_request_t *request, struct ompi_communicator_t **comm,
                             int *peer, int *tag, bool *is_send);

/* Have the depths of queues looked at from now on, if what is below us tells them. */
void pml_hooks_queues_begin(void);

/* ---- one-sided communication ----------------------------------------------------------------- */

/* Have windows that are made between the two tell which of their calls a process is in. */
void pml_hooks_windows_begin(void);
void pml_hooks_windows_end(void);

/* ---- buffers of a GPU ------------------------------------------------------------------------ */

/* Read the parameter; false if it is wrong, which rank 0 says. */
bool pml_hooks_device_read(void);

/* Put our functions before those of the module and of requests, if there is a policy and a library
 * to ask. */
void pml_hooks_device_install(mca_pml_base_module_t *module, ompi_request_fns_t *functions);

/* ---- hangs ----------------------------------------------------------------------------------- */

/* What to ask about the job's other hosts; NULL if there are none, or nothing can be asked. */
record_elsewhere_fn pml_hooks_hosts_begin(void);
bool pml_hooks_hosts_several(void); /* whether there are some that can be asked */
/* The lowest rank of this host, and of rank 0's; how many hosts there are. Only if several. */
size_t pml_hooks_hosts_lowest(uint32_t *here, uint32_t *first);
void pml_hooks_hosts_end(void);

/* Have the runtime keep a letter and a text under this key, by which nothing is kept yet; false if
 * it does not. And what is kept there, to be freed; NULL if there is nothing, or if `failed`, it
 * cannot be asked. Both wait for the runtime: not for a thread of the program. */
bool pml_hooks_publish(const char *key, char letter, const char *text);
char *pml_hooks_look_up(const char *key, bool *failed);

/* ---- deaths ---------------------------------------------------------------------------------- */

/* If it is wanted, and the PML is ob1: have what waits for the dead end with an error. Puts
 * functions before those of the module. */
void pml_hooks_survive_install(mca_pml_base_module_t *module);

/* For the watch, in its thread: tell the other hosts who has died here, and look what they tell. */
void pml_hooks_news_died(uint32_t rank);
void pml_hooks_news_look(void);

bool pml_hooks_survives(void); /* whether it is so */
void pml_hooks_survive_end(void);

/* ---- on and off ------------------------------------------------------------------------------ */

/* Record what begins from now on, or not. Async-signal-safe; the record is open. */
void pml_hooks_switch(bool on);

/* Take the signal pml_hooks_signal for switching, and give it back. */
void pml_hooks_signal_begin(void);
void pml_hooks_signal_end(void);

/* ---- progress -------------------------------------------------------------------------------- */

/* Note in the record when Open MPI makes progress, until the other. The record is open. */
void pml_hooks_progress_begin(void);
void pml_hooks_progress_end(void);

/* ---- the end --------------------------------------------------------------------------------- */

/* Note what ends this process or the job before MPI_Finalize, and say who has died before. */
void pml_hooks_ending_watch(void);
void pml_hooks_ending_ignore(void);

/* Collective over MPI_COMM_WORLD: have rank 0 write the records of all to the file of JSON. */
void pml_hooks_gather(void);

#pragma GCC visibility pop

#endif
