/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PML_HOOKS_SURVIVE_H
#define PML_HOOKS_SURVIVE_H

#include "pml_hooks/pml_hooks_follow.h"

#pragma GCC visibility push(hidden)

/*
 * The death of a peer over pml ob1, which knows of none: what waits for it ends with an error.
 *
 *   dead.c     who has died
 *   abandon.c  the end of a request from above the PML
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

/* Note one; false if it is known already. Thread-safe. */
bool pml_hooks_dead_add(opal_process_name_t name);

/* Look for those that the records of this host tell of. By one thread at a time. */
void pml_hooks_dead_look(void);

/* Whether they tell of more than at the last look. */
bool pml_hooks_dead_news(void);

/* ---- the end of a request ---------------------------------------------------------------------
 */

/* End a request of pml ob1 with MPI_ERR_OTHER: a receive without a message is taken back. Another
 * operation, if `force`, is complete for its caller while the PML keeps it: nothing of the peer may
 * be under way any more. By one thread at a time, with which the request's caller does not race. */
void pml_hooks_end_request(ompi_request_t *request, bool is_send, bool force);

/* A request that has been ended may be started again. */
void pml_hooks_end_forget(ompi_request_t *request);

/* ---- what carries the messages ----------------------------------------------------------------
 */

/* Stand between pml ob1 and its BTLs, and no longer; look now and then whether an operation has
 * failed that no death explains: that ends the job. */
void pml_hooks_btl_install(void);
void pml_hooks_btl_remove(void);
void pml_hooks_btl_look(void);

#pragma GCC visibility pop

#endif
