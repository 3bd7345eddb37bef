/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PML_HOOKS_SURVIVE_H
#define PML_HOOKS_SURVIVE_H

#include "pml_hooks/pml_hooks_follow.h"

#pragma GCC visibility push(hidden)

/*
 * The death of a peer over pml ob1, which knows of none: what waits for it ends with an error.
 *
 *   dead.c     who has died
 *   under.c    operations under way
 *   abandon.c  the end of a request from above the PML
 *   arrivals.c messages that come, where there are threads
 *   btl.c      what BTLs say of the dead, kept from pml ob1
 *   survive.c  blocking calls as nonblocking ones and a wait, and what is ended when
 *
 * A message that has come from the dead is delivered: nothing is ended before progress has been
 * made for a while.
 */

/* ---- who has died -----------------------------------------------------------------------------
 */

struct pml_hooks_dead {
    opal_process_name_t name;
    uint64_t known_ns; /* on record_clock, since when it has been known */
    uint64_t known_stamp;
};

/* The processes that are known to be dead, in the order of the news. Thread-safe. */
uint32_t pml_hooks_dead_count(void);
const struct pml_hooks_dead *pml_hooks_dead_at(uint32_t index);

/* The entry of a process, NULL if it is not known to be dead. Thread-safe. */
const struct pml_hooks_dead *pml_hooks_dead_find(opal_process_name_t name);

/* How many ns its death has been known; 0 for NULL. */
uint64_t pml_hooks_dead_age(const struct pml_hooks_dead *dead);

/* Note one; false if it is known already. Thread-safe. */
bool pml_hooks_dead_add(opal_process_name_t name);

/* Look for those that the records of this host tell of. By one thread at a time. */
void pml_hooks_dead_look(void);

/* Whether they tell of more than at the last look. */
bool pml_hooks_dead_news(void);

/* ---- operations under way ---------------------------------------------------------------------
 */

/* An operation of pml ob1. Its request is not freed before it has been taken out of the table, so
 * that another thread may look at it. */
struct pml_hooks_under_way {
    struct pml_hooks_under_way *next;
    ompi_request_t *request;
    struct ompi_communicator_t *comm;
    int peer;
    bool is_send;
    uint64_t since; /* a stamp */
};

/* Add one, which is taken out when its request is freed: by its caller, who has just begun it.
 * Thread-safe, as all of these. */
void pml_hooks_under_way_add(const struct pml_hooks_under_way *what);

/* Take one out that is about to be started again, with the stamp of now; false: it is not there. */
bool pml_hooks_under_way_take(ompi_request_t *request, struct pml_hooks_under_way *what);

/* Call `end` with each that `selects` says; no request is freed meanwhile by another thread. */
void pml_hooks_under_way_each(bool (*selects)(const struct pml_hooks_under_way *what),
                              void (*end)(const struct pml_hooks_under_way *what));

/* ---- the end of a request ---------------------------------------------------------------------
 */

/* End a request of pml ob1 with MPI_ERR_OTHER: a receive without a message is taken back. Another
 * operation, if `force`, is complete for its caller while the PML keeps it: nothing of the peer may
 * be under way any more. By one thread at a time. */
void pml_hooks_end_request(ompi_request_t *request, bool is_send, bool force);

/* The request is complete with what says that it was cancelled, and nobody has been told: that is
 * an error if it is being ended. */
void pml_hooks_end_cancelled(ompi_request_t *request);

/* What its caller has freed waits in the PML for ever, if its peer has been dead for so many ns: it
 * is followed no more. */
void pml_hooks_end_lost(uint64_t age);

/* A request that has been ended may be started again. */
void pml_hooks_end_forget(ompi_request_t *request);

/* The request that is being freed in this thread, if the PML keeps it after its end: its buffer is
 * the PML's, too. */
extern _Thread_local const ompi_request_t *pml_hooks_end_kept;

/* ---- what carries the messages ----------------------------------------------------------------
 */

/* Stand between pml ob1 and its BTLs, and no longer; look now and then whether an operation has
 * failed that no death explains: that ends the job. */
void pml_hooks_btl_install(void);
void pml_hooks_btl_remove(void);
void pml_hooks_btl_look(void);

/* Stand between BTLs and pml ob1 where there are threads, and no longer. */
void pml_hooks_arrivals_install(void);
void pml_hooks_arrivals_remove(void);

/* Have no message come in another thread until pml_hooks_arrivals_go_on; false: one is coming now.
 */
bool pml_hooks_arrivals_stop(void);
void pml_hooks_arrivals_go_on(void);

#pragma GCC visibility pop

#endif
