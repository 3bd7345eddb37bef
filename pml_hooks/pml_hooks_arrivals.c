/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Between BTLs and pml ob1, where several threads make progress: a message that comes takes its
 * receive out of ob1's list under a lock, and says so in the request later, without it. Who cancels
 * the receive between the two would take it out a second time. So nothing is cancelled while a
 * thread is in one of these calls, and none begins meanwhile.
 */
#include <sched.h>

#include "ompi_glue/arrivals.h"
#include "pml_hooks/pml_hooks_survive.h"

/* Of ob1's tags those of messages that are matched come first: MATCH, RNDV and RGET. */
enum { FIRST = MCA_BTL_TAG_PML + 1, TAGS = 3 };

static mca_btl_base_module_recv_cb_fn_t below[TAGS];
static bool guarding;
static unsigned inside; /* threads that are in a call */
static bool stopped;
static _Thread_local unsigned depth; /* of calls within each other in this thread */

/* Either this thread sees that they are stopped, or who stops them sees this thread. */
static void enter(void)
{
    (void)__atomic_fetch_add(&inside, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&stopped, __ATOMIC_SEQ_CST)) {
        (void)__atomic_fetch_sub(&inside, 1, __ATOMIC_SEQ_CST);
        while (__atomic_load_n(&stopped, __ATOMIC_RELAXED)) {
            (void)sched_yield();
        }
        (void)__atomic_fetch_add(&inside, 1, __ATOMIC_SEQ_CST);
    }
}

static void arrived(OMPI_GLUE_ARRIVAL)
{
    if (depth++ == 0) {
        enter();
    }
    below[OMPI_GLUE_ARRIVAL_TAG - FIRST](OMPI_GLUE_ARRIVED);
    if (--depth == 0) {
        /* Release pairs with the load in pml_hooks_arrivals_stop. */
        (void)__atomic_fetch_sub(&inside, 1, __ATOMIC_RELEASE);
    }
}

bool pml_hooks_arrivals_stop(void)
{
    if (!guarding) {
        return true;
    }
    if (depth > 0) {
        return false;
    }
    __atomic_store_n(&stopped, true, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&inside, __ATOMIC_SEQ_CST) == 0) {
        return true;
    }
    pml_hooks_arrivals_go_on();
    return false;
}

void pml_hooks_arrivals_go_on(void)
{
    __atomic_store_n(&stopped, false, __ATOMIC_SEQ_CST);
}

void pml_hooks_arrivals_install(void)
{
    for (unsigned i = 0; record_threads && i < TAGS; i++) {
        mca_btl_active_message_callback_t *entry = &mca_btl_base_active_message_trigger[FIRST + i];

        below[i] = entry->cbfunc;
        entry->cbfunc = entry->cbfunc != NULL ? arrived : NULL;
    }
    guarding = record_threads;
}

void pml_hooks_arrivals_remove(void)
{
    for (unsigned i = 0; guarding && i < TAGS; i++) {
        mca_btl_base_active_message_trigger[FIRST + i].cbfunc = below[i];
    }
    guarding = false;
}
